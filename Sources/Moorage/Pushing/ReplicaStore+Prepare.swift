import GRDB
import MoorageCore
import MoorageWire

extension ReplicaStore {
    /// The batch in flight, or a new one cut from the log; `nil` when there is nothing to send.
    ///
    /// Stored and committed to the disk before anyone sees it: a batch that was sent is never
    /// forgotten. From then on a new edit of the same row starts a fresh note.
    ///
    /// - Complexity: O(entries) of the log, with the batch alone in memory.
    func prepareBatch(
        _ db: Database, limits: BatchLimits = BatchLimits(), now: Int64, nonce: String
    ) throws -> StoredBatch? {
        let meta = Metadata(db: db)
        if planted(.sentCountsAsTaken) { try db.execute(sql: "DELETE FROM _moorage_inflight") }
        if let stored = try meta.inFlight() {
            // Nothing depends on it: where another process holds the file, or the disk is full, the next
            // request tries again.
            do { try compactLongLogs(db) } catch is DatabaseError {}
            return stored
        }
        guard try hasNotes(db) else { return nil }
        return try transaction(db, .durable) { transaction in
            guard transaction.tables.schema != nil else { return nil }
            if let stored = try meta.inFlight() { return stored }
            var limits = limits
            if let rows = try meta.integer(.batchRows) {
                limits.maximumRows = min(limits.maximumRows, Int(rows))
            }
            let builder = BatchBuilder(
                transaction, limits: limits, hubLimits: try meta.hubLimits(), now: now)
            let changes = try builder.build()
            guard !changes.isEmpty else { return nil }
            let refused = RefusedList(statements: transaction.statements)
            for change in changes { try refused.release(change.rowName) }
            let used = Set(changes.map { Value.text($0.table) })
            let batch = Batch(
                number: (try meta.integer(.number) ?? 0) + 1, nonce: nonce, preparedAt: now,
                tables: transaction.tables.synced.map(\.columns)
                    .filter { used.contains(.text($0.name)) },
                changes: changes)
            let payload = batch.block()
            if planted(.batchNotStored) { return StoredBatch(batch: batch, payload: payload) }
            try transaction.statements(
                "INSERT INTO _moorage_inflight(number, nonce, at, payload) VALUES(?1, ?2, ?3, ?4)"
            ).run([.integer(batch.number), .text(nonce), .integer(now), .blob(payload)])
            try transaction.notify("_moorage_inflight")
            return StoredBatch(batch: batch, payload: payload)
        }
    }

    /// Whether any log has entries that can be sent.
    func hasNotes(_ db: Database) throws -> Bool {
        let tables = try load(db)
        let statements = RawStatements(db, kept: kept)
        return try tables.tracked.filter { tables.hubStopped[$0.name] == nil }.contains {
            try statements("SELECT 1 FROM \(SQLText.name($0.logTable)) LIMIT 1").exists([])
        }
    }

    /// The next request: cursor and tables as they stand, and the batch in flight.
    ///
    /// - Returns: The request, and the stored bytes of its batch: encoding the batch again gives the
    ///   same (B1).
    func request(
        _ db: Database, now: Int64, limits: PageLimits
    ) throws -> (request: ExchangeRequest, batch: [UInt8]?) {
        try transaction(db) { transaction in
            let meta = transaction.meta
            let inFlight = try meta.inFlight().map {
                planted(.newNonceOnRetry) ? $0.renamed(by: now) : $0
            }
            let request = ExchangeRequest(
                replica: try meta.replica(), formerly: try meta.text(.formerly),
                user: try meta.text(.user), hub: try meta.text(.hub), sentAt: now,
                tables: transaction.tables.synced.map(\.columns),
                cursor: try meta.cursor(), schemaVersion: transaction.tables.schema?.version,
                answered: try meta.integer(.number) ?? 0, batch: inFlight?.batch,
                keys: try transaction.keysLeft(), limits: limits)
            return (request, inFlight?.payload)
        }
    }
}

extension StoredBatch {
    /// The same batch under another nonce: what no replica may do.
    fileprivate func renamed(by number: Int64) -> StoredBatch {
        let batch = Batch(
            number: batch.number, nonce: "\(batch.nonce)-\(number)", preparedAt: batch.preparedAt,
            tables: batch.tables, changes: batch.changes)
        return StoredBatch(batch: batch, payload: batch.block())
    }
}
