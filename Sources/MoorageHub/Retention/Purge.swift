import MoorageCore

/// One bounded step that forgets what is older than the retention time (docs/reference/hub.md,
/// Versions and checkpoints).
///
/// - R1: The horizon is in place before, or together with, the first thing that is forgotten behind
///   it. Every page checks it in its own snapshot.
/// - R2: The horizon never goes back within an epoch.
/// - R3: No step deletes more than a fixed number of rows.
struct Purge {
    /// Rows deleted in one step.
    private static let maximumRows = 2000

    let connection: any CentralConnection
    let policy: RetentionPolicy
    /// Whether there are classes of replicas. Only then the hub records who wrote a row.
    let hasClasses: Bool
    var audit: AuditPolicy?

    /// Call it inside a write transaction.
    func step(of tables: [AttachedTable], now: HubTime) throws {
        let metadata = Metadata(connection: connection)
        // If two hubs purge at once, the second waits, and finds that no purge is due any more.
        try metadata.lockPurge()
        guard policy.isDue(since: try metadata.purgedAt(), now: now) else { return }
        try recordCheckpoint(metadata, now: now)
        var rest = Self.maximumRows
        if let horizon = try metadata.horizon() {
            for table in tables where rest > 0 {
                rest -= try connection.purgeTombstones(
                    table, within: horizon.checkpoint, limit: rest)
            }
            if rest > 0 { try connection.forgetCheckpoints(before: horizon.checkpoint) }
            if rest > 0 { rest -= try metadata.forgetBatches(before: horizon.at, limit: rest) }
            if rest > 0, hasClasses {
                rest -= try metadata.forgetPriorities(before: horizon.at, limit: rest)
            }
        }
        if rest > 0, let time = policy.conflicts {
            rest -= try metadata.forgetConflicts(before: now - time, limit: rest)
        }
        if rest > 0, let time = audit?.time {
            rest -= try metadata.forgetAudit(before: now - time, limit: rest)
        }
        if rest > 0 { rest -= try metadata.forgetReports(before: now - policy.time, limit: rest) }
        // An older version may have attached the database.
        if rest > 0, try connection.hasOwnTable("moorage_request") {
            rest -= try metadata.forgetRequests(now: now, limit: rest)
        }
        assert(rest >= 0, "R3")
        try metadata.setPurgedAt(rest > 0 ? now : 0)
    }

    private func recordCheckpoint(_ metadata: Metadata, now: HubTime) throws {
        var checkpoints = try metadata.checkpoints()
        if let last = checkpoints.last, !policy.isApart(last.at, now) { return }
        let checkpoint = DatedCheckpoint(
            position: (checkpoints.last?.position ?? 0) + 1,
            checkpoint: try connection.currentCheckpoint(), at: now)
        try metadata.record(checkpoint)
        checkpoints.append(checkpoint)
        guard let horizon = policy.horizon(among: checkpoints, now: now) else { return }
        try metadata.set(horizon: horizon)
    }
}

extension SyncCursor {
    /// Whether the hub has forgotten deletions that the replica would need.
    func isBehind(_ horizon: Checkpoint?, _ connection: any CentralConnection) throws -> Bool {
        guard let horizon else { return false }
        return try checkpoints.contains { try !connection.covers($0, horizon) }
    }

    /// Whether it belongs to a history that the central database does not have any more. The
    /// database was restored, or another one took its place (docs/reference/hub.md, Versions and
    /// checkpoints).
    func isOfLostHistory(_ facts: HubFacts, _ connection: any CentralConnection) throws -> Bool {
        guard epoch == facts.epoch else { return false }
        // The hub knows nothing about checkpoints behind the horizon. They are too old in any case.
        guard try !isBehind(facts.horizon, connection) else { return false }
        let known = knownCheckpoints
        return try known.contains { try !connection.isKnown($0) }
    }
}
