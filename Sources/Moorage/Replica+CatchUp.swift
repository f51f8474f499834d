import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

/// Waiting until both sides have what the other one had.
extension Replica {
    /// Returns when everything that was committed here before the call is at the hub, and
    /// everything that the hub had at the call is here. What is committed meanwhile may go with it.
    ///
    /// It waits for the hub, tries again after failures, and works with ``run()`` and without it.
    /// It is for a background task with a limited time, or for the moment before a user signs out.
    ///
    /// - Parameter limit: How long to try, at most.
    /// - Throws: ``ReplicaError`` `notCaughtUp` when the time is over, with what is missing and
    ///   with the last failure as its cause. If only the app can go on, it throws at once, as
    ///   ``run()`` does, and with `clientTooOld` if the hub wants a newer version of the app. It
    ///   throws `CancellationError` if the task is cancelled. What was done until then stays done.
    public func catchUp(within limit: Duration) async throws {
        let missing = Missing(try await reading { try $1.logPosition($0) })
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.catchUp(missing)
                return true
            }
            group.addTask { [clock] in
                try await clock.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            if try await group.next() == true { return }
            throw await self.notCaughtUp(missing, within: limit)
        }
    }

    /// What a call waits for.
    private final class Missing: Sendable {
        let before: Locked<LogPosition>
        let hasPulled = Locked(false)
        let lastError = Locked<ReplicaError?>(nil)

        init(_ position: LogPosition) { before = Locked(position) }
    }

    private func catchUp(_ missing: Missing) async throws {
        var pacing = RetryPacing(options)
        while true {
            do {
                if try await sync().isCaughtUp { missing.hasPulled.withLock { $0 = true } }
                missing.lastError.withLock { $0 = nil }
                if missing.hasPulled.withLock({ $0 }), try await unanswered(missing).all == 0 {
                    return
                }
            } catch let error as ReplicaError {
                if error.needsApp || error.needsUpdate { throw error }
                missing.lastError.withLock { $0 = error }
            }
            // The hub, or this device, may accept later what it refuses now.
            var generator = random.generator
            pacing.failed(
                missing.lastError.withLock { $0 } ?? ReplicaError.changesLeft,
                at: clock.time, using: &generator)
            try await clock.sleep(for: pacing.left(at: clock.time))
        }
    }

    /// How many changes from before the call are not answered yet.
    private func unanswered(_ missing: Missing) async throws -> UnansweredCount {
        try await reading { db, store in
            // A log that became shorter uses its numbers again.
            let now = try store.logPosition(db)
            let before = missing.before.withLock { before in
                before.lower(to: now)
                return before
            }
            return try store.unanswered(db, upTo: before)
        }
    }

    private func notCaughtUp(_ missing: Missing, within limit: Duration) async -> ReplicaError {
        let last = missing.lastError.withLock { $0 }
        let suspended = status.suspendedTables.map(\.name)
        // The message can do without a count.
        let count = (try? await unanswered(missing)) ?? UnansweredCount()
        return ReplicaError.notCaughtUp(
            within: limit, pending: count.all, sendable: count.sendable,
            hasPulled: missing.hasPulled.withLock { $0 }, suspended: suspended, last: last)
    }
}

/// Rows with changes that the hub has not answered. Tables that this device has suspended are not
/// counted.
private struct UnansweredCount {
    var all = 0
    /// Without the logs of tables that the hub has suspended.
    var sendable = 0
}

extension ReplicaStore {
    /// How many rows have changes that were in the logs at a moment, or are in flight.
    fileprivate func unanswered(
        _ db: Database, upTo position: LogPosition
    ) throws -> UnansweredCount {
        let statements = RawStatements(db, cache: statementCache)
        let inFlight = try Metadata(db: db).inFlightBatch()?.batch.changes.count ?? 0
        var count = UnansweredCount(all: inFlight, sendable: inFlight)
        let tables = try load(db)
        for table in tables.tracked {
            guard let last = position[table.logTable] else { continue }
            let keys = table.keyColumns.joined(separator: ", ")
            let log = SQLText.name(table.logTable)
            let rows = Int(
                try statements(
                    "SELECT count(*) FROM (SELECT DISTINCT \(keys) FROM \(log) WHERE seq <= ?1)"
                ).firstInteger([.integer(last)]) ?? 0)
            count.all += rows
            if !tables.isSuspendedAtHub(table.name) { count.sendable += rows }
        }
        return count
    }
}
