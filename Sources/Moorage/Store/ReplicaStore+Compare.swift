import GRDB
public import MoorageCore
import MoorageWire

/// A row in which replica and hub differ.
public struct RowDifference: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        case missingHere, missingThere, differs
    }

    public let table: String
    public let key: Key
    public let kind: Kind
}

extension ReplicaStore {
    /// Begins to compare a table: the keys met are kept in a temporary table.
    func beginComparing(_ db: Database, table: SyncedTable) throws {
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
        _ db: Database, table: SyncedTable, after: Key?, rows: Int, withValues: Bool
    ) throws -> CompareRequest {
        let meta = Metadata(db: db)
        return CompareRequest(
            replica: try meta.replica(), formerly: try meta.text(.formerly),
            user: try meta.text(.user), table: table.columns, after: after, maximumRows: rows,
            cursor: try meta.cursor(), withValues: withValues)
    }

    // MARK: Verifying

    /// Compares one page of fingerprints; rows that may differ by right are passed over.
    func verify(_ db: Database, table: SyncedTable, _ answer: CompareAnswer) throws
        -> [RowDifference]
    {
        let comparing = try RowComparing(db, store: self, table: table)
        var result: [RowDifference] = []
        for row in answer.rows {
            let key = table.description.key(row.key.values)
            guard let rawKey = table.localKey(key) else { continue }
            try comparing.meet(rawKey)
            guard try !row.isBeyondCursor && !row.isWithheld && !comparing.isExcused(key, rawKey)
            else { continue }
            let local = try comparing.reading.portableRow(rawKey: rawKey)
            let kind: RowDifference.Kind
            switch (row.fingerprint, local) {
            case (nil, nil): continue
            // Its deletion was never noticed there: it is tracked as living.
            case (nil, _?): kind = .missingThere
            case (_?, nil): kind = .missingHere
            case (let fingerprint?, let local?):
                if table.description.fingerprint(of: local) == fingerprint { continue }
                kind = .differs
            }
            result.append(RowDifference(table: table.name, key: key, kind: kind))
        }
        return result
    }

    /// The rows that no page of the hub named, up to a limit.
    func unmet(_ db: Database, table: SyncedTable, limit: Int) throws -> [RowDifference] {
        let comparing = try RowComparing(db, store: self, table: table)
        return try comparing.unmet(limit: limit).map {
            RowDifference(table: table.name, key: table.key(raw: $0), kind: .missingThere)
        }
    }

    // MARK: Finding what was changed while no trigger looked

    /// Notes one page of differences as changes made here.
    func recompare(_ db: Database, table: SyncedTable, _ answer: CompareAnswer, now: Int64) throws {
        try transaction(db) { transaction in
            let comparing = try RowComparing(db, store: self, table: table)
            let isStale = transaction.tables.stale.contains(table.name)
            for row in answer.rows {
                try comparing.recompare(row, isStale: isStale, now: now)
            }
            guard answer.next == nil else { return }
            // Rows that the hub never had were made here; of an older state nobody can say that: they are
            // listed, for the copy that follows drops them, or brings another row of the key. What
            // goes with its note's answer is listed now, too.
            var noted: [(Key, [Value])] = []
            let made = try comparing.unmet(limit: .max) { noted.append(($0, $1)) }
            for (key, rawKey) in noted {
                if try comparing.hidesEdits(key, rawKey, hub: nil),
                    let local = try comparing.reading.portableRow(rawKey: rawKey)
                {
                    try comparing.list(local, key, now)
                }
                try comparing.completeNote(key, rawKey, base: nil, now: now)
            }
            for rawKey in made {
                guard isStale else {
                    try comparing.reading.append(LogEntry(kind: .insert, at: now), rawKey: rawKey)
                    continue
                }
                guard let local = try comparing.reading.portableRow(rawKey: rawKey) else {
                    continue
                }
                try comparing.list(local, table.key(raw: rawKey), now)
            }
            try comparing.reading.noteDeletions(ofInFlight: comparing.inFlight.values, at: now)
            try db.execute(
                sql: """
                    UPDATE _moorage_table SET recompare = 0,
                      unseen = CASE WHEN recompare = 2 THEN 'recover' ELSE unseen END
                    WHERE name = ?
                    """, arguments: [table.name])
            try transaction.meta.bump()
        }
    }
}

/// Compares rows of one table with the hub's.
private struct RowComparing {
    let table: SyncedTable
    let reading: LogReading
    private let statements: RawStatements
    /// The columns whose values at the hub were never read.
    private let unread: Set<Int>
    let inFlight: [RowName: Change]

    init(_ db: Database, store: ReplicaStore, table: SyncedTable) throws {
        self.table = table
        statements = RawStatements(db, kept: store.kept)
        reading = LogReading(table: table, statements: statements)
        let unread = try store.load(db).unread[table.name] ?? []
        self.unread = Set(unread.compactMap(table.description.column(named:)))
        let changes = try Metadata(db: db).inFlight()?.batch.changes ?? []
        inFlight = Dictionary(
            changes.map { ($0.rowName, $0) }, uniquingKeysWith: { _, last in last })
    }

    func meet(_ rawKey: [Value]) throws {
        try statements(
            """
            INSERT OR IGNORE INTO temp._moorage_met(\(table.logKeyColumns.joined(separator: ", "))) \
            VALUES(\(SQLText.parameters(rawKey.count)))
            """
        ).run(rawKey)
    }

    /// Pending changes, rows in flight, waiting and withheld rows differ by right.
    func isExcused(_ key: Key, _ rawKey: [Value]) throws -> Bool {
        try inFlight[RowName(table: table.name, key: key)] != nil
            || reading.note(rawKey: rawKey) != nil || isBehind(key)
    }

    /// The hub's row could not go in: what stands here is of an older state.
    private func isBehind(_ key: Key) throws -> Bool {
        let name = RowName(table: table.name, key: key)
        return try WaitingRows(statements: statements).contains(name)
            || WithheldRows(statements: statements).contains(name)
    }

    /// - Parameter excused: Told of the rows that the hub need not have.
    func unmet(
        limit: Int, excused: (Key, [Value]) throws -> Void = { _, _ in }
    ) throws -> [[Value]] {
        let keys = table.keyLocalNames.map { "t.\(SQLText.name($0))" }
        // `+` takes the column's affinity away: with it the keys that were met could not be looked up.
        let isSame = zip(table.logKeyColumns, keys).map { "m.\($0) = +\($1) COLLATE BINARY" }
        let statement = try RawStatement(
            statements.db,
            """
            SELECT \(keys.joined(separator: ", ")) FROM \(reading.target) AS t WHERE NOT EXISTS (
              SELECT 1 FROM temp._moorage_met AS m WHERE \(isSame.joined(separator: " AND ")))
            """)
        var result: [[Value]] = []
        while result.count < limit, try statement.step() {
            let rawKey = (0..<statement.columnCount).map { statement.column($0).value }
            let key = table.key(raw: rawKey)
            if try isExcused(key, rawKey) {
                try excused(key, rawKey)
            } else {
                result.append(rawKey)
            }
        }
        statement.reset()
        return result
    }

    func recompare(_ row: ComparedRow, isStale: Bool, now: Int64) throws {
        let key = table.description.key(row.key.values)
        guard let rawKey = table.localKey(key) else { return }
        try meet(rawKey)
        if let hub = row.values, hub.count != table.description.columns.count {
            throw ReplicaError.protocolViolation(
                "a compared row of \(table.name) has other columns")
        }
        if try isExcused(key, rawKey) {
            // While an update is on its way, nobody can tell an edit from a value that a page brought
            // and an edit, taken back since, kept out: the answer brings the row again. Where whole
            // rows are settled, every note keeps pages out.
            guard
                try row.isBeyondCursor || isStale || isBehind(key) || isUpdateInFlight(key)
                    || table.description.granularity == .row
            else {
                return try completeNote(key, rawKey, base: row.values, now: now)
            }
            if try hidesEdits(key, rawKey, hub: row.values),
                let local = try reading.portableRow(rawKey: rawKey)
            {
                try list(local, key, now)
            }
            return try completeNote(key, rawKey, base: nil, now: now)
        }
        let local = try reading.portableRow(rawKey: rawKey)
        guard !row.isWithheld, let hub = row.values else {
            // Deleted at the hub: the row goes, edited here or not. No page may name it, where the key
            // came and went beyond the cursor: so the hub is asked.
            if row.isBeyondCursor, !row.isWithheld, let local {
                try list(local, key, now)
                try ask(rawKey, now)
            }
            return
        }
        let differing = try local.map { local in
            try local.indices.compactMap { try edit(of: $0, hub, local, rawKey) }
        }
        if let differing, differing.isEmpty { return }
        if row.isBeyondCursor || isStale {
            // Nobody can tell an edit made here from an older state: the hub's row stands. It may be gone
            // again before the page.
            if let local {
                try list(local, key, now)
                if row.isBeyondCursor { try ask(rawKey, now) }
            }
            return
        }
        let kind: LogEntry.Kind =
            if let differing {
                .update(differing)
            } else {
                .delete(hub)
            }
        try reading.append(LogEntry(kind: kind, at: now), rawKey: rawKey)
    }

    /// Has the hub say what the row is.
    private func ask(_ rawKey: [Value], _ now: Int64) throws {
        for kind in try reading.question(rawKey: rawKey) {
            try reading.append(LogEntry(kind: kind, at: now), rawKey: rawKey)
        }
    }

    /// Whether a row with a note may hold edits that its note does not tell of: what differs from the
    /// hub in columns that nobody noted. The page takes their place.
    ///
    /// - Parameter hub: The hub's row; `nil` when it has none.
    func hidesEdits(_ key: Key, _ rawKey: [Value], hub: [Value]?) throws -> Bool {
        guard let local = try reading.portableRow(rawKey: rawKey) else { return false }
        var noted: Set<Int> = []
        switch try reading.note(rawKey: rawKey)?.kind {
        case .insert?, .delete?, .touch?: return false
        case .update(let old)?: noted.formUnion(old.map(\.column))
        case nil: break
        }
        switch inFlight[RowName(table: table.name, key: key)]?.operation {
        case .insert?, .delete?, .touch?: return false
        case .update(let edits)?: noted.formUnion(edits.map(\.column))
        case nil: break
        }
        guard let hub else { return true }
        return try local.indices.contains {
            try !noted.contains($0) && edit(of: $0, hub, local, rawKey) != nil
        }
    }

    /// A column that holds neither the hub's value nor, where that was never read, what it began
    /// with: it was edited, and this was its old value.
    private func edit(
        of column: Int, _ hub: [Value], _ local: [Value], _ rawKey: [Value]
    ) throws -> OldValue? {
        guard !table.description.columns[column].type.equal(hub[column], local[column]) else {
            return nil
        }
        guard unread.contains(column) else { return OldValue(column: column, value: hub[column]) }
        return try reading.standard(ofEdited: column, rawKey: rawKey).map {
            OldValue(column: column, value: $0)
        }
    }

    private func isUpdateInFlight(_ key: Key) -> Bool {
        switch inFlight[RowName(table: table.name, key: key)]?.operation {
        case .update?: true
        case .insert?, .delete?, .touch?, nil: false
        }
    }

    /// A row with a note may have been edited further while no trigger looked.
    ///
    /// - Parameter base: The hub's row, where it is what the note's edits began with.
    func completeNote(_ key: Key, _ rawKey: [Value], base: [Value]?, now: Int64) throws {
        guard let local = try reading.portableRow(rawKey: rawKey) else { return }
        let sent = inFlight[RowName(table: table.name, key: key)]?.operation
        // What each column would hold if nobody had edited it meanwhile.
        var expected: [Value?] = local.map { _ in nil }
        if let base {
            for column in local.indices {
                expected[column] = try edit(of: column, base, local, rawKey)?.value
            }
        }
        switch sent {
        case .insert(let row)? where row.count == local.count: expected = row
        case .update(let edits)?:
            for edit in edits where expected.indices.contains(edit.column) {
                expected[edit.column] = edit.new
            }
        case .insert?, .delete?, .touch?, nil: break
        }
        switch (try reading.note(rawKey: rawKey)?.kind, sent) {
        case (.insert?, _), (nil, nil): return
        case (.delete?, _), (.touch?, _), (nil, .delete?), (nil, .touch?):
            // It is gone by the note, and yet it is here.
            return try reading.append(LogEntry(kind: .insert, at: now), rawKey: rawKey)
        case (.update(let old)?, _): for value in old { expected[value.column] = nil }
        case (nil, .insert?), (nil, .update?): break
        }
        let edited = expected.enumerated().compactMap { column, value -> OldValue? in
            guard let value, !table.description.columns[column].type.equal(value, local[column])
            else { return nil }
            return OldValue(column: column, value: value)
        }
        if edited.isEmpty { return }
        try reading.append(LogEntry(kind: .update(edited), at: now), rawKey: rawKey)
    }

    func list(_ local: [Value], _ key: Key, _ now: Int64) throws {
        try RefusedList(statements: statements).add(
            row: RefusedList.Entry(
                name: RowName(table: table.name, key: key), operation: .row,
                columns: table.columns.columns, before: nil, after: local,
                refusal: Refusal(
                    code: .recovered,
                    message: """
                        The row changed at the hub while nothing was logged here; the hub's row \
                        stands.
                        """),
                at: now))
    }
}
