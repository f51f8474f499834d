import MoorageCore
import MoorageWire

/// Sees whether streams may go on as they began: nothing else looks at their replicas while they wait.
struct LiveCheck: Sendable {
    struct Asked: Sendable {
        let number: Int
        let member: LiveMember
        let view: LiveView
        let cursor: SyncCursor
    }

    let states: HubStateReader
    let configuration: HubConfiguration
    let asked: [Asked]

    /// - Returns: The numbers of those that are over.
    func ended(on connection: any CentralConnection) throws -> [Int] {
        let state = try states.state(connection)
        guard state.identity == state.facts.identity else { return asked.map(\.number) }
        var held: [Principal?: Set<Scope>] = [:]
        var known: [Mark?: Bool] = [:]
        return try asked.filter { asked in
            let principal = asked.member.principal
            let scopes: Set<Scope>
            do {
                scopes =
                    try held[principal]
                    ?? HeldScopes(connection: connection, settings: configuration.scopes)
                    .held(by: principal)
            } catch is HubError {
                // What is wrong with one user's scopes is no other's matter.
                return true
            }
            held[principal] = scopes
            let mark = asked.cursor.mark
            let isKnown = try known[mark] ?? !asked.cursor.isOfLostHistory(state.facts, connection)
            known[mark] = isKnown
            guard isKnown, scopes == asked.view.name.held, asked.view.isCurrent(state) else {
                return true
            }
            do {
                try asked.member.gate(on: connection, configuration).check()
                return false
            } catch is HubError {
                // The next exchange is told why.
                return true
            }
        }.map(\.number)
    }
}
