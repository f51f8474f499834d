import GRDB
import MoorageCore
import MoorageWire

extension ReplicaStore {
    /// Begins to compare a table. A temporary table keeps the keys that the hub names.
    func beginComparing(_ db: Database, table: SyncedTable) throws {
        // Every row with an entry is looked up, so a long log needs indexes. A short log, or an
        // empty one, needs no transaction.
        let statements = RawStatements(db, cache: statementCache)
        let reading = LogReading(table: table, statements: statements)
        if try reading.isLong(from: LogReading.indexedForComparing) {
            try transaction(db) { transaction in
                try LogReading(table: table, statements: transaction.statements).makeIndexes()
            }
        }
        let key = table.tracked.keyColumns.joined(separator: ", ")
        try db.execute(
            sql: """
                DROP TABLE IF EXISTS temp._moorage_met;
                CREATE TEMP TABLE _moorage_met(\(key), PRIMARY KEY(\(key))) WITHOUT ROWID
                """)
    }

    func endComparing(_ db: Database) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS temp._moorage_met")
    }

    func compareRequest(
        _ db: Database, table: SyncedTable, after: RowKey?, rows: Int, withValues: Bool
    ) throws -> CompareRequest {
        let meta = Metadata(db: db)
        return CompareRequest(
            replica: try meta.replica(), formerly: try meta.text(.formerly),
            user: try meta.text(.user), table: table.columns, after: after, maximumRows: rows,
            cursor: try meta.cursor(), withValues: withValues)
    }

    // MARK: Verifying

    /// Compares one page of fingerprints. It skips rows that are allowed to differ.
    func verify(_ db: Database, table: SyncedTable, _ answer: CompareAnswer) throws
        -> [RowDifference]
    {
        try read(db) { try difference(db, table: table, answer) }
    }

    /// Runs reads as one transaction. Otherwise each statement would lock the file again, and each
    /// key that is met would be a commit of the temporary file.
    private func read<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
        try db.returning(.deferred, body)
    }

    private func difference(_ db: Database, table: SyncedTable, _ answer: CompareAnswer) throws
        -> [RowDifference]
    {
        let comparing = try RowComparer(db, store: self, table: table)
        var result: [RowDifference] = []
        for row in answer.rows {
            let key = table.description.key(row.key.values)
            guard let localKey = table.localKey(key) else { continue }
            try comparing.meet(localKey)
            guard try !row.isBeyondCursor && !row.isWithheld && !comparing.isExcused(key, localKey)
            else { continue }
            let local = try comparing.localRow(localKey)
            let kind: RowDifference.Kind
            switch (row.fingerprint, local) {
            case (nil, nil): continue
            // The hub never noticed its deletion, and tracks the row as a live one.
            case (nil, _?): kind = .missingThere
            case (_?, nil): kind = .missingHere
            case (let fingerprint?, let local?):
                if table.description.fingerprint(of: local) == fingerprint { continue }
                kind = .differs
            }
            result.append(RowDifference(table: table.name.text, key: key, kind: kind))
        }
        return result
    }

    /// The rows that no page of the hub named, up to a limit.
    func unmet(_ db: Database, table: SyncedTable, limit: Int) throws -> [RowDifference] {
        try read(db) {
            let comparing = try RowComparer(db, store: self, table: table)
            return try comparing.unmet(limit: limit).map {
                RowDifference(table: table.name.text, key: table.key($0), kind: .missingThere)
            }
        }
    }

    // MARK: Finding changes that no trigger recorded

    /// Records one page of differences as changes made here.
    func repair(_ db: Database, table: SyncedTable, _ answer: CompareAnswer, now: DeviceTime)
        throws
    {
        try transaction(db) { transaction in
            let comparing = try RowComparer(db, store: self, table: table)
            let isStale = transaction.tables.repair(of: table.name) == .dueOnStaleRows
            for row in answer.rows {
                try comparing.repair(row, isStale: isStale, now: now)
            }
            guard answer.next == nil else { return }
            // Rows that the hub never had were made here. If the rows here are stale, nobody can
            // say that. Then they are listed, because the copy that follows drops them, or brings
            // another row of the key. What the answer to a local change overwrites is listed now,
            // too.
            var excused: [(RowKey, LocalKey)] = []
            let made = try comparing.unmet(limit: .max) { excused.append(($0, $1)) }
            for (key, localKey) in excused {
                if try comparing.hidesEdits(key, localKey, hub: nil),
                    let local = try comparing.reading.portableRow(localKey: localKey)
                {
                    try comparing.list(local, key, now)
                }
                try comparing.completeLocalChange(key, localKey, base: nil, now: now)
            }
            for localKey in made {
                guard isStale else {
                    try comparing.reading.append(
                        LogEntry(kind: .insert, at: now), localKey: localKey)
                    continue
                }
                guard let local = try comparing.reading.portableRow(localKey: localKey) else {
                    continue
                }
                try comparing.list(local, table.key(localKey), now)
            }
            try comparing.recordDeletionsInFlight(at: now)
            try transaction.records.change(table.name) { $0.state.finishRepair() }
            try transaction.meta.bump()
        }
    }
}

/// Compares rows of one table with the hub's.
private struct RowComparer {
    let table: SyncedTable
    let reading: LogReading
    private let statements: RawStatements
    /// The columns whose values at the hub this device never read.
    private let unread: Set<Int>
    private let fills: UndecidedFills
    private let batch: Batch?
    private let inFlight: [RowName: Change]
    private let excuses: ComparisonExemptions
    private let forms: [ColumnForm]
    // Prepared once: their texts are as long as the table has columns, and every row needs them.
    private let localRows: RawStatement
    private let meeting: RawStatement

    init(_ db: Database, store: ReplicaStore, table: SyncedTable) throws {
        self.table = table
        statements = RawStatements(db, cache: store.statementCache)
        reading = LogReading(table: table, statements: statements)
        fills = UndecidedFills(reading: reading)
        unread = try store.load(db).unreadColumns(of: table)
        batch = try Metadata(db: db).inFlightBatch()?.batch
        inFlight = Dictionary(
            (batch?.changes ?? []).map { ($0.rowName, $0) }, uniquingKeysWith: { _, last in last })
        excuses = try ComparisonExemptions(reading)
        forms = table.description.columns.indices.map(table.form)
        localRows = try statements.own(reading.selectRow)
        let keys = table.logKeyColumns
        meeting = try statements.own(
            """
            INSERT OR IGNORE INTO temp._moorage_met(\(keys.joined(separator: ", "))) \
            VALUES(\(SQLText.parameters(keys.count)))
            """)
    }

    func meet(_ localKey: LocalKey) throws { try meeting.run(localKey.values) }

    /// The local row in portable form; `nil` when there is no such row.
    func localRow(_ localKey: LocalKey) throws -> [Value]? {
        try localRows.bind(localKey.values)
        defer { localRows.reset() }
        guard try localRows.step() else { return nil }
        return forms.indices.map { forms[$0].portable(localRows.column($0).value) }
    }

    /// Whether a row may differ: it has a pending change, or is in flight, deferred or withheld.
    func isExcused(_ key: RowKey, _ localKey: LocalKey) throws -> Bool {
        if !inFlight.isEmpty, inFlight[table.rowName(key)] != nil { return true }
        return try excuses.mayHaveLocalChange(localKey)
            && reading.localChange(localKey: localKey) != nil
            || isBehind(key)
    }

    /// Whether the hub's row could not go in. The local row then has an older state.
    private func isBehind(_ key: RowKey) throws -> Bool {
        guard excuses.hasRowsBehind else { return false }
        let name = table.rowName(key)
        return try DeferredRows(statements: statements).contains(name)
            || WithheldRows(statements: statements).contains(name)
    }

    /// - Parameter excused: Called for the rows that the hub need not have.
    func unmet(
        limit: Int, excused: (RowKey, LocalKey) throws -> Void = { _, _ in }
    ) throws -> [LocalKey] {
        let keys = table.keyLocalNames.map { "t.\(SQLText.name($0))" }
        // `+` removes the column's affinity. With it, SQLite could not look up the keys that were
        // met.
        let isSame = zip(table.logKeyColumns, keys).map { "m.\($0) = +\($1) COLLATE BINARY" }
        let statement = try RawStatement(
            statements.db,
            """
            SELECT \(keys.joined(separator: ", ")) FROM \(reading.target) AS t WHERE NOT EXISTS (
              SELECT 1 FROM temp._moorage_met AS m WHERE \(isSame.joined(separator: " AND ")))
            """)
        var result: [LocalKey] = []
        while result.count < limit, try statement.step() {
            let localKey = LocalKey(statement)
            let key = table.key(localKey)
            if try isExcused(key, localKey) {
                try excused(key, localKey)
            } else {
                result.append(localKey)
            }
        }
        statement.reset()
        return result
    }

    func repair(_ row: ComparedRow, isStale: Bool, now: DeviceTime) throws {
        let key = table.description.key(row.key.values)
        guard let localKey = table.localKey(key) else { return }
        try meet(localKey)
        if let hub = row.values, hub.count != table.description.columns.count {
            throw ReplicaError.protocolViolation(ProtocolReason.otherColumns(table.name))
        }
        if try isExcused(key, localKey) {
            // While an update is in flight, nobody can tell an edit from a value of a page. An
            // edit, reverted since, may have blocked that page. The answer brings the row again.
            // Where whole rows are merged, every local change blocks pages.
            guard
                try row.isBeyondCursor || isStale || isBehind(key) || isUpdateInFlight(key)
                    || table.description.granularity == .row
            else {
                return try completeLocalChange(key, localKey, base: row.values, now: now)
            }
            if try hidesEdits(key, localKey, hub: row.values),
                let local = try reading.portableRow(localKey: localKey)
            {
                try list(local, key, now)
            }
            return try completeLocalChange(key, localKey, base: nil, now: now)
        }
        let local = try localRow(localKey)
        guard !row.isWithheld, let hub = row.values else {
            // The hub deleted the row, so it goes, whether edited here or not. If its key came and
            // went beyond the cursor, perhaps no page names it. So ask the hub.
            if row.isBeyondCursor, !row.isWithheld, let local {
                try list(local, key, now)
                try reading.ask(localKey: localKey, at: now)
            }
            return
        }
        let differing = local.map { local in
            local.indices.compactMap { edit(of: $0, hub, local) }
        }
        let isOlder = row.isBeyondCursor || isStale
        if let local, differing?.isEmpty == true,
            try !isOlder || !fills.loses(local, to: hub, localKey)
        {
            return
        }
        if isOlder {
            // Nobody can tell an edit made here from an older state, so the hub's row wins. It may
            // be gone again before the page.
            if let local {
                try list(local, key, now)
                if row.isBeyondCursor { try reading.ask(localKey: localKey, at: now) }
            }
            return
        }
        let kind: LogEntry.Kind =
            if let differing {
                .update(differing)
            } else {
                .delete(hub)
            }
        try reading.append(LogEntry(kind: kind, at: now), localKey: localKey)
    }

    /// Whether a row may have edits that its local change does not contain: it differs from the hub
    /// in columns that nobody recorded. The page overwrites them.
    ///
    /// - Parameter hub: The hub's row; `nil` if it has no such row.
    func hidesEdits(_ key: RowKey, _ localKey: LocalKey, hub: [Value]?) throws -> Bool {
        guard let local = try reading.portableRow(localKey: localKey) else { return false }
        var editedColumns: Set<Int> = []
        switch try reading.localChange(localKey: localKey)?.kind {
        case .insert?, .delete?, .refetch?: return false
        case .update(let old)?: editedColumns.formUnion(old.map(\.column))
        case nil: break
        }
        let sent = inFlight[table.rowName(key)]
        switch sent?.operation {
        case .insert?, .delete?, .refetch?: return false
        case .update(let edits)?:
            editedColumns.formUnion(edits.compactMap { column($0.column, of: sent) })
        case nil: break
        }
        guard let hub else { return true }
        return try local.indices.contains {
            !editedColumns.contains($0) && edit(of: $0, hub, local) != nil
        } || fills.loses(local, to: hub, localKey, except: editedColumns)
    }

    /// The edit of a column, with the hub's value as the old one; `nil` if there was no edit. What is
    /// in an unread column is no edit: see ``UndecidedFills``.
    private func edit(of column: Int, _ hub: [Value], _ local: [Value]) -> OldValue? {
        guard !unread.contains(column),
            !table.description.columns[column].type.equal(hub[column], local[column])
        else { return nil }
        return OldValue(column: column, value: hub[column])
    }

    /// The present position of a column of a change in flight.
    private func column(_ position: Int, of change: Change?) -> Int? {
        change.flatMap { batch?.columns(of: $0) }.flatMap { table.column(position, of: $0) }
    }

    func recordDeletionsInFlight(at now: DeviceTime) throws {
        if let batch { try reading.recordDeletions(inFlight: batch, at: now) }
    }

    private func isUpdateInFlight(_ key: RowKey) -> Bool {
        switch inFlight[table.rowName(key)]?.operation {
        case .update?: true
        case .insert?, .delete?, .refetch?, nil: false
        }
    }

    /// Adds the edits of a row with a local change that were made while triggers were missing.
    ///
    /// - Parameter base: The hub's row, if the local change's edits began with it.
    func completeLocalChange(
        _ key: RowKey, _ localKey: LocalKey, base: [Value]?, now: DeviceTime
    ) throws {
        var expected = [Value?](repeating: nil, count: table.description.columns.count)
        if let base, let local = try reading.portableRow(localKey: localKey) {
            for column in local.indices {
                expected[column] = edit(of: column, base, local)?.value
            }
        }
        let change = inFlight[table.rowName(key)]
        try reading.completeLocalChange(
            localKey,
            sent: change.flatMap { change in
                batch?.columns(of: change).map { (change.operation, $0) }
            }, expected: expected, at: now)
    }

    func list(_ local: [Value], _ key: RowKey, _ now: DeviceTime) throws {
        try RefusedList(statements: statements).addRecovered(
            local, of: table, key, why: .changedUnlogged, at: now)
    }
}
