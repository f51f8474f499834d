import MoorageCore
import MoorageWire

/// Finds out what happens when replicas come back to a central database that was restored, moved or
/// copied. Synchronous.
///
/// It only reads, in one transaction that may do nothing else.
struct RestoreCheck {
    let connection: any CentralConnection
    let configuration: HubConfiguration
    /// In milliseconds. A replica that was not seen for longer is not recent.
    let recent: Int64

    func report() throws -> RestoreReport {
        try connection.begin(.snapshot)
        defer { connection.rollback() }
        let metadata = Metadata(connection: connection)
        let facts = try metadata.facts()
        let now = try connection.now()
        let attached = try AttachedSchema(on: connection, configuration: configuration)
        let isOther = try connection.identity() != facts.identity
        var counts = RestoreReport.Replicas(since: now - recent)
        let known = try ReplicaDirectory(connection: connection).known()
        let asked = try count(known, of: attached, into: &counts, now: now)
        counts.pushed = try metadata.countPushers(since: counts.since)
        let newestContactAt = known.map(\.seenAt).filter { $0 > 0 }.max()
        return RestoreReport(
            hub: facts.hub, epoch: facts.epoch.text, epochBeganAt: facts.epochBeganAt,
            isOtherDatabase: isOther, copiedAt: facts.copiedAt, checkedAt: now,
            newestPushAt: try metadata.newestPushAt(),
            newestReportAt: known.compactMap(\.reportedAt).max(),
            newestContactAt: newestContactAt, replicas: counts,
            tables: try tables(attached, asked, unknown: counts.unknown, metadata),
            steps: steps(
                attached, unfinished: try metadata.begunTables().map(\.name),
                needsEpoch: !isOther && !facts.isFresh(newestContactAt: newestContactAt)))
    }

    /// - Returns: How many accepted replicas ask for each table, whichever of its names they use.
    private func count(
        _ known: [ReplicaSummary], of attached: AttachedSchema,
        into counts: inout RestoreReport.Replicas, now: HubTime
    ) throws -> [Identifier: Int] {
        let accepted = known.filter { $0.standing == .active }
        counts.accepted = accepted.count
        counts.refused = known.count - accepted.count
        let oldest = now - configuration.retention.time
        var asked: [Identifier: Int] = [:]
        try ReplicaDirectory(connection: connection).forEach(accepted) { replica, stored in
            if replica.seenAt >= counts.since { counts.recent += 1 }
            if let time = replica.reportedAt, time >= counts.since { counts.reported += 1 }
            if replica.seenAt < oldest { counts.away += 1 }
            guard let requested = stored?.tables else {
                counts.unknown += 1
                return
            }
            let names = Set(
                requested.names.map { Identifier(attached.centralName(of: $0.text)) })
            for name in names { asked[name, default: 0] += 1 }
        }
        return asked
    }

    private func tables(
        _ attached: AttachedSchema, _ asked: [Identifier: Int], unknown: Int, _ metadata: Metadata
    ) throws -> [RestoreReport.Table] {
        let scopes = try metadata.scopes()
        return try attached.tables.map { table in
            let name = Identifier(table.name)
            let suspension = attached.suspended[name]
            var rowCount: Int?
            if !table.description.direction.isReceived {
                rowCount = 0
            } else if suspension == nil, scopes[table.number] == nil {
                rowCount = try connection.countTracked(
                    table, in: .everything, .fromNothing(copiedAt: nil, within: nil))
            }
            return RestoreReport.Table(
                name: table.name, rowCount: rowCount,
                replicaCount: asked[name, default: 0] + unknown, suspension: suspension)
        }
    }

    /// - Parameters:
    ///   - unfinished: Tables of an attach that was broken off.
    ///   - needsEpoch: Whether the database looks as if nothing had happened to it.
    private func steps(
        _ attached: AttachedSchema, unfinished: [String], needsEpoch: Bool
    ) -> [RestoreReport.Step] {
        var steps: [RestoreReport.Step] = []
        if let problem = attached.columnProblem {
            steps.append(.init(kind: .configure, reason: problem))
        }
        let suspended = attached.suspendedTables.map(\.name) + unfinished
        if let problem = attached.scopeProblem {
            steps.append(.init(kind: .attach, reason: problem))
        } else if !suspended.isEmpty {
            steps.append(.init(kind: .attach, reason: RestoreReason.suspended(suspended)))
        }
        if needsEpoch { steps.append(.init(kind: .newEpoch, reason: RestoreReason.looksTheSame)) }
        return steps
    }
}

extension HubFacts {
    /// Whether no replica came since the epoch began. All of them reconcile then.
    fileprivate func isFresh(newestContactAt: HubTime?) -> Bool {
        guard let epochBeganAt else { return false }
        return newestContactAt.map { $0 < epochBeganAt } ?? true
    }
}

extension Metadata {
    /// When a replica last pushed; `nil` for never.
    fileprivate func newestPushAt() throws -> HubTime? {
        let rows = try connection.run("SELECT max(seen_at) FROM moorage_replica", [])
        guard case .integer(let time)? = rows.first?.first else { return nil }
        return HubTime(milliseconds: time)
    }

    fileprivate func countPushers(since time: HubTime) throws -> Int {
        let rows = try connection.run(
            "SELECT count(DISTINCT replica) FROM moorage_batch WHERE taken_at >= ?", [.time(time)])
        guard case .integer(let count)? = rows.first?.first else { return 0 }
        return Int(clamping: count)
    }
}
