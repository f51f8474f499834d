import GRDB
import MoorageCore
import MoorageWire

extension ReplicaStore {
    /// The in-flight batch, or a new one from the log; `nil` when there is nothing to send.
    ///
    /// It is stored and committed to the disk before anyone sees it, so that a sent batch is never
    /// forgotten. From then on a new edit of the same row starts a new local change.
    ///
    /// - Complexity: O(entries) of the log, with only the batch in memory.
    func prepareBatch(
        _ db: Database, limits: BatchLimits = BatchLimits(), now: DeviceTime, nonce: String
    ) throws -> StoredBatch? {
        let meta = Metadata(db: db)
        if let stored = try meta.inFlightBatch() {
            // Nothing depends on it. If another process has locked the file, or the disk is full,
            // the next request tries again.
            do { try compactLongLogs(db) } catch is DatabaseError {}
            return stored
        }
        guard try hasLocalChanges(db) else { return nil }
        try adoptUUIDForm(db)
        return try transaction(db, .durable) { transaction in
            guard let schema = transaction.tables.schema else { return nil }
            if let stored = try meta.inFlightBatch() { return stored }
            var limits = limits
            if let rows = try meta.integer(.batchRows) {
                limits.maximumRows = min(limits.maximumRows, Int(rows))
            }
            let changes = try BatchBuilder.build(
                transaction, limits: limits, hubLimits: try meta.hubLimits(), now: now)
            guard !changes.isEmpty else {
                // Entries that change nothing have left the logs.
                try transaction.notify("_moorage_inflight")
                return nil
            }
            let refused = RefusedList(statements: transaction.statements)
            for change in changes { try refused.release(change.rowName) }
            let used = Set(changes.map { Identifier($0.table) })
            let batch = Batch(
                number: (try meta.integer(.number) ?? 0) + 1, nonce: nonce, preparedAt: now,
                tables: transaction.tables.synced.filter { used.contains($0.name) }.map(\.columns),
                changes: changes)
            let payload = batch.block()
            try transaction.statements(
                "INSERT INTO _moorage_inflight(number, nonce, at, payload) VALUES(?1, ?2, ?3, ?4)"
            ).run([
                .integer(batch.number), .text(nonce), .time(now), .blob(payload),
            ])
            try RowStateKeeping(
                statements: transaction.statements, tables: transaction.tables
            ).markInFlight(changes)
            try meta.set(.batchSchema, schema.version)
            try transaction.notify("_moorage_inflight")
            return StoredBatch(batch: batch, payload: payload)
        }
    }

    /// Whether any log has entries that can be sent.
    func hasLocalChanges(_ db: Database) throws -> Bool {
        let tables = try load(db)
        let statements = RawStatements(db, cache: statementCache)
        let sent = tables.tracked.filter { !tables.isSuspendedAtHub($0.name) }
        return try !statements.filled(sent, in: \.logTable).isEmpty
    }

    /// Whether anything waits for the hub's answer, in a log or in the batch in flight. What only
    /// suspended tables have does not count.
    func hasUnanswered(_ db: Database) throws -> Bool {
        try Metadata(db: db).hasInFlightBatch() || hasLocalChanges(db)
    }

    /// The next request: the present cursor and tables, and the in-flight batch.
    ///
    /// - Returns: The request, and the stored bytes of its batch. Encoding the batch again gives
    ///   the same bytes (B1).
    func request(
        _ db: Database, now: DeviceTime, limits: PageLimits
    ) throws -> (request: ExchangeRequest, batch: [UInt8]?) {
        try transaction(db) { transaction in
            let meta = transaction.meta
            let inFlight = try meta.inFlightBatch()
            // If the hub's schema is another one since, the hub says whether the batch still fits.
            let schema =
                try inFlight.flatMap { _ in try meta.text(.batchSchema) }
                ?? transaction.tables.schema?.version
            var request = ExchangeRequest(
                replica: try meta.replica(), formerly: try meta.text(.formerly),
                user: try meta.text(.user), hub: try meta.text(.hub), sentAt: now,
                tables: transaction.tables.synced.map(\.columns),
                cursor: try meta.cursor(), schemaVersion: schema,
                answered: try meta.integer(.number) ?? 0, batch: inFlight?.batch,
                keys: try transaction.keysLeft(), limits: limits)
            request.scopes = try SubscriptionTable(db: db).requested(at: now)
            request.rightsVersion = transaction.tables.rightsVersion
            return (request, inFlight?.payload)
        }
    }
}
