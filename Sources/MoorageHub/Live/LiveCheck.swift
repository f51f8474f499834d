import MoorageCore
import MoorageWire

/// Checks whether streams may go on as they began. Nothing else checks their replicas while they
/// wait.
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

    /// - Returns: The numbers of the streams that have to end.
    func ended(on connection: any CentralConnection) throws -> [Int] {
        let state = try states.state(connection)
        guard state.identity == state.facts.identity else { return asked.map(\.number) }
        var visible: [Principal?: VisibleScopes] = [:]
        var known: [Checkpoint?: Bool] = [:]
        return try asked.filter { asked in
            let principal = asked.member.principal
            let seen: VisibleScopes
            do {
                seen =
                    try visible[principal]
                    ?? VisibleScopesReader(
                        connection: connection, settings: configuration.scopes
                    )
                    .read(for: principal)
            } catch is HubError {
                // A problem with one user's scopes does not concern other users.
                return true
            }
            visible[principal] = seen
            let scopes = seen.delivered(asked.member.requested)
            let checkpoint = asked.cursor.checkpoint
            let isKnown =
                try known[checkpoint] ?? !asked.cursor.isOfLostHistory(state.facts, connection)
            known[checkpoint] = isKnown
            guard isKnown, scopes == asked.view.name.authorized, asked.view.isCurrent(state) else {
                return true
            }
            do {
                try asked.member.gate(on: connection, configuration).check()
                return false
            } catch is HubError {
                // The next exchange says why.
                return true
            }
        }.map(\.number)
    }
}
