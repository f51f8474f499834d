import Logging
import MoorageCore
import MoorageSupport
import MoorageWire

/// What one step of an exchange knows about the hub: its facts, and its tables as they are.
struct HubState: Sendable {
    let facts: HubFacts
    let attached: AttachedSchema
    /// The database's clock when it was read.
    let now: HubTime
    /// The database's identity as it is.
    let identity: String
    /// The checkpoint of the database then, where the database state named it; `nil` once the
    /// exchange has written.
    var checkpoint: Checkpoint?
}

/// Reads the hub's state, and the schema only when it has changed.
final class HubStateReader: Sendable {
    private let check: RuleCheck
    private let configuration: HubConfiguration
    private let cached = Locked<(stamp: String, attached: AttachedSchema)?>(nil)
    private let suspensions: SuspensionLog

    init(_ configuration: HubConfiguration, logger: Logger) {
        check = RuleCheck(configuration: configuration)
        self.configuration = configuration
        suspensions = SuspensionLog(logger)
    }

    /// - Throws: ``HubError`` `configuration` while a rule does not fit its table.
    func state(_ connection: any CentralConnection) throws -> HubState {
        let databaseState = try connection.databaseState()
        let facts = try HubFacts(databaseState.facts)
        let stamp = ([databaseState.schemaStamp, facts.attachedAs] + facts.missed)
            .joined(separator: "/")
        return HubState(
            facts: facts, attached: try attached(connection, at: stamp), now: databaseState.now,
            identity: databaseState.identity, checkpoint: databaseState.checkpoint)
    }

    private func attached(
        _ connection: any CentralConnection, at stamp: String
    ) throws -> AttachedSchema {
        if let known = cached.withLock({ $0 }), known.stamp == stamp { return known.attached }
        let attached = try AttachedSchema(on: connection, configuration: configuration)
        if let problem = attached.scopeProblem ?? attached.columnProblem {
            throw HubError.configuration(problem)
        }
        suspensions.update(attached)
        try check.check(attached.runningTables, on: connection)
        cached.withLock { $0 = (stamp, attached) }
        return attached
    }

    /// Forgets the schema, after this hub has attached tables.
    func invalidate() { cached.withLock { $0 = nil } }
}
