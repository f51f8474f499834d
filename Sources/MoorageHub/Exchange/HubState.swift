import MoorageCore
import MoorageWire

/// What one step of an exchange knows of the hub: its facts, and its tables as they are.
struct HubState: Sendable {
    let facts: HubFacts
    let attached: AttachedSchema
}

/// Reads the hub's state, and the schema only when it moved.
final class HubStateReader: Sendable {
    private let check: RuleCheck
    private let configuration: HubConfiguration
    private let cached = Locked<(stamp: String, attached: AttachedSchema)?>(nil)

    init(_ configuration: HubConfiguration) {
        check = RuleCheck(configuration: configuration)
        self.configuration = configuration
    }

    /// - Throws: ``HubError`` `configuration` while a rule does not fit its table.
    func state(_ connection: any CentralConnection) throws -> HubState {
        let metadata = Metadata(connection: connection)
        let facts = try metadata.facts()
        let stamp = try connection.schemaStamp() + "/" + facts.attachedAs
        if let known = cached.withLock({ $0 }), known.stamp == stamp {
            return HubState(facts: facts, attached: known.attached)
        }
        let attached = AttachedSchema(
            tables: try metadata.tables(), central: try connection.readTables(),
            scopes: try metadata.scopes(), configuration: configuration)
        if let problem = attached.scopeProblem ?? attached.columnProblem {
            throw HubError(.configuration, problem)
        }
        try check.check(attached.runningTables, on: connection)
        cached.withLock { $0 = (stamp, attached) }
        return HubState(facts: facts, attached: attached)
    }

    /// Forgets the schema, after an attach of our own.
    func invalidate() { cached.withLock { $0 = nil } }
}
