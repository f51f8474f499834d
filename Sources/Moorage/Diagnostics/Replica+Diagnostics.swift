import Foundation
import GRDB
public import MoorageCore
import MoorageSupport
import MoorageWire

/// What an app, its users and its support want to know when something is odd.
extension Replica {
    /// What the replica is now, without values and keys of rows.
    ///
    /// It asks no hub. With a `DatabasePool` it does not wait for the app's writes. With a
    /// `DatabaseQueue`, which has no readers, it waits for its turn.
    ///
    /// - Throws: ``ReplicaError`` if the file cannot be read, and `CancellationError` if the task is
    ///   cancelled.
    /// - Complexity: O(log entries).
    public func diagnostics() async throws -> ReplicaDiagnostics {
        let now = clock.time
        let path = database.path
        var result = try await readingWithExchanges { db, store, own in
            try store.diagnostics(db, at: now, path: path, also: own)
        }
        let status = status
        result.appVersion = options.device.appVersion
        result.appSchemaVersion = options.device.schemaVersion
        result.platform = options.device.platform
        result.address = hub.address
        result.phase = "\(status.phase)"
        result.isLive = status.isLive
        result.lastErrorCode = status.lastError?.code.rawValue ?? result.lastErrorCode
        result.clockOffsetMilliseconds = store.reports.withLock { $0.clockOffset }
        return result
    }

    /// Why the local change of a row is not at the hub yet, in the order of importance.
    ///
    /// A row that was sent, and edited again since, has the reasons of both changes. The call asks
    /// no hub, and changes nothing.
    ///
    /// - Parameters:
    ///   - key: The row's key, as in ``PendingChange/key``.
    ///   - table: One of the replica's tables, by its name at the hub.
    /// - Returns: At least one reason for a row with a local change; none for any other row.
    /// - Throws: ``ReplicaError`` `noSuchTable` for another table, or if the file cannot be read. It
    ///   throws `CancellationError` if the task is cancelled.
    /// - Complexity: O(rows that the change needs). It is O(log entries) if the log has groups, and
    ///   for a row that the log does not have under this form of its key.
    public func pendingReasons(of key: RowKey, in table: String) async throws -> [PendingReason] {
        try await readingWithExchanges { db, store, own in
            let exchanges = ExchangeRecord.merged(try ExchangeTable(db: db).all(), own)
            return try PendingReasonReading(db, store, exchanges: exchanges)
                .reasons(of: key, in: table)
        }
    }

    /// Reads the file with the exchanges that only this process knows. It reads again if some of
    /// them went into the file meanwhile.
    private func readingWithExchanges<Result: Sendable>(
        _ body: @escaping @Sendable (Database, ReplicaStore, [ExchangeRecord]) throws -> Result
    ) async throws -> Result {
        while true {
            let own = store.journal?.records(at: clock.time)
            let result = try await reading { db, store in try body(db, store, own?.onlyHere ?? []) }
            if store.journal?.savedCount == own?.savedCount { return result }
        }
    }

    /// Writes exchanges into the file that it lacks, where other processes read them.
    ///
    /// - Parameter all: Whether to save also those that may wait for the next page.
    func saveExchanges(all: Bool = false) async {
        guard let journal = store.journal,
            (all ? journal.unsaved : journal.overdue) != nil
        else { return }
        // Also if the caller's task is cancelled, as it is when a run ends.
        await Task {
            // Nothing depends on them, and the next page saves them again.
            try? await access { db, store in
                // Asked again in the turn of the writer: a page may have saved them meanwhile, or
                // the file may be another user's now.
                guard let unsaved = all ? journal.unsaved : journal.overdue else { return }
                try store.save(unsaved, db)
            }
        }.value
    }
}
