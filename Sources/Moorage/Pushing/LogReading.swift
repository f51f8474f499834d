import GRDB
import MoorageCore

/// Reads the log of one table, folded or entry by entry.
struct LogReading {
    let table: SyncedTable
    let statements: RawStatements

    /// One entry with its place in the log.
    struct Entry {
        let seq: Int64
        let op: String
        let entry: LogEntry
        /// The key as it was written, in the hub's order.
        let rawKey: [Value]
        let group: Int64?
    }

    /// An entry that is written by hand.
    struct NewEntry {
        let rawKey: [Value]
        let entry: LogEntry
        var group: Int64?
    }

    var log: String { SQLText.name(table.tracked.logTable) }
    private var keys: [String] { table.logKeyColumns }
    private var maskCount: Int { table.tracked.maskCount }
    private var placeCount: Int { table.tracked.logNames.count }

    var columns: String {
        (["seq", "op", "at", "again", "grp"] + keys + (0..<maskCount).map { "m\($0)" }
            + (0..<placeCount).map { "o\($0)" }).joined(separator: ", ")
    }

    var isKey: String { keys.enumerated().map { "\($1) IS ?\($0 + 1)" }.joined(separator: " AND ") }

    func isEmpty() throws -> Bool { try !statements("SELECT 1 FROM \(log) LIMIT 1").exists([]) }

    /// How many entries there are, counted up to a limit.
    func count(upTo limit: Int) throws -> Int {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM \(log) LIMIT \(limit))"
        guard case .value(.integer(let count))? = try statements(sql).first([])?.first else {
            return 0
        }
        return Int(count)
    }

    /// The entry that a statement with ``columns`` stands on.
    func entry(_ statement: RawStatement) -> Entry {
        func integer(_ column: Int) -> Int64 {
            if case .value(.integer(let number)) = statement.column(column) { number } else { 0 }
        }
        let op: String =
            if case .value(.text(let text)) = statement.column(1) { text } else { "" }
        let firstKey = 5
        let firstMask = firstKey + keys.count
        let firstPlace = firstMask + maskCount
        let rawKey = keys.indices.map { statement.column(firstKey + $0).value }
        func old(_ place: Int, _ column: Int) -> Value {
            table.form(column).portable(statement.column(firstPlace + place).value)
        }
        func row() -> [Value] {
            var row = [Value](repeating: .null, count: table.description.columns.count)
            for (index, column) in table.description.primaryKey.enumerated() {
                row[column] = table.form(column).portable(rawKey[index])
            }
            for (place, column) in table.columnOfPlace.enumerated() {
                if let column { row[column] = old(place, column) }
            }
            return row
        }
        let kind: LogEntry.Kind
        switch op {
        case "I": kind = .insert
        case "D": kind = .delete(row())
        case "C": kind = .candidate(row())
        default:
            var values: [OldValue] = []
            for mask in 0..<maskCount {
                let bits = integer(firstMask + mask)
                guard bits != 0 else { continue }
                let first = mask * TrackedTable.columnsPerMask
                for place in first..<min(first + TrackedTable.columnsPerMask, placeCount)
                where bits >> Int64(place - first) & 1 == 1 {
                    guard let column = table.columnOfPlace[place] else { continue }
                    values.append(OldValue(column: column, value: old(place, column)))
                }
            }
            kind = .update(values)
        }
        let entry = LogEntry(kind: kind, at: integer(2), isAgain: integer(3) != 0)
        let group: Int64? =
            if case .value(.integer(let number)) = statement.column(4) { number } else { nil }
        return Entry(seq: integer(0), op: op, entry: entry, rawKey: rawKey, group: group)
    }

    /// The key of each row with an entry, once.
    ///
    /// - Parameters:
    ///   - condition: On the entries; all of them without it.
    ///   - body: Not called again once it answers `false`.
    func forEachRow(
        where condition: String = "1", _ values: [Value] = [], while body: ([Value]) throws -> Bool
    ) throws {
        // A statement of its own: what is done with a row may ask the same again.
        let statement = try statements.own(
            "SELECT DISTINCT \(keys.joined(separator: ", ")) FROM \(log) WHERE \(condition)")
        try statement.bind(values)
        while try statement.step() {
            let rawKey = (0..<statement.columnCount).map { statement.column($0).value }
            guard try body(rawKey) else { return }
        }
    }

    /// Every entry of a group.
    func forEachGrouped(_ body: (_ rawKey: [Value], _ group: Int64) throws -> Void) throws {
        let statement = try statements.own(
            "SELECT grp, \(keys.joined(separator: ", ")) FROM \(log) WHERE grp IS NOT NULL")
        while try statement.step() {
            guard case .value(.integer(let group)) = statement.column(0) else { continue }
            try body(keys.indices.map { statement.column($0 + 1).value }, group)
        }
    }

    /// The entries of one row, in the log's order.
    func entries(rawKey: [Value]) throws -> [Entry] {
        let statement = try statements("SELECT \(columns) FROM \(log) WHERE \(isKey) ORDER BY seq")
        try statement.bind(rawKey)
        var result: [Entry] = []
        while try statement.step() { result.append(entry(statement)) }
        return result
    }

    /// What an entry holds in each place, as it was stored.
    func places(seq: Int64) throws -> [StoredValueForm] {
        if placeCount == 0 { return [] }
        let columns = (0..<placeCount).map { "o\($0)" }.joined(separator: ", ")
        let sql = "SELECT \(columns) FROM \(log) WHERE seq = ?1"
        return try statements(sql).first([.integer(seq)])
            ?? [StoredValueForm](repeating: .value(.null), count: placeCount)
    }

    func note(rawKey: [Value]) throws -> Note? {
        let entries = try entries(rawKey: rawKey)
        guard !entries.isEmpty else { return nil }
        var folding = NoteFolding()
        for entry in entries { folding.add(entry.entry) }
        let exists = try folding.hasOpenCandidate && self.exists(rawKey: rawKey)
        return folding.note(exists: exists)
    }

    /// Says of the row's last candidates what they were, while the row still tells: they go, or the
    /// first of them is a deletion.
    func resolveCandidates(rawKey: [Value]) throws {
        let entries = try entries(rawKey: rawKey)
        guard let last = entries.last, last.op == "C" else { return }
        let open = entries.reversed().prefix { $0.op == "C" }.reversed()
        let exists = try exists(rawKey: rawKey)
        for (index, entry) in open.enumerated() {
            if index == 0, !exists {
                try statements("UPDATE \(log) SET op = 'D' WHERE seq = ?1")
                    .run([.integer(entry.seq)])
            } else {
                try delete(seq: entry.seq)
            }
        }
    }

    /// Entries that change nothing and ask the hub what the row is: an update of a row that is here, a
    /// touch of one that is not.
    func question(rawKey: [Value]) throws -> [LogEntry.Kind] {
        if let row = try portableRow(rawKey: rawKey) { return [.delete(row), .insert] }
        let none = [Value](repeating: .null, count: table.description.columns.count)
        return [.insert, .delete(none)]
    }

    /// Notes what is in flight as an insert and is neither here nor noted: its user deleted it while
    /// no trigger looked.
    func noteDeletions(ofInFlight changes: some Sequence<Change>, at now: Int64) throws {
        for change in changes where change.table.hasSameBytes(as: table.name) {
            guard case .insert(let row) = change.operation,
                row.count == table.description.columns.count,
                let rawKey = table.localKey(table.description.key(change.key.values)),
                try !exists(rawKey: rawKey), try entries(rawKey: rawKey).isEmpty
            else { continue }
            try append(LogEntry(kind: .delete(row), at: now), rawKey: rawKey)
        }
    }

    // MARK: The row itself

    /// Whether the row is there, keys compared by bytes.
    func exists(rawKey: [Value]) throws -> Bool {
        try statements("SELECT 1 FROM \(target) WHERE \(isRow)").exists(rawKey)
    }

    var target: String { SQLText.name(table.tracked.local.name) }

    /// The column's own comparison finds the row by its index, the bytes decide.
    var isRow: String {
        table.keyLocalNames.enumerated().map {
            "\(SQLText.name($1)) = ?\($0 + 1) AND \(SQLText.name($1)) COLLATE BINARY = ?\($0 + 1)"
        }.joined(separator: " AND ")
    }

    /// The synced columns of a row as they are stored; `nil` when there is no such row.
    func row(rawKey: [Value]) throws -> [StoredValueForm]? {
        let names = SQLText.names(table.localNames)
        return try statements("SELECT \(names) FROM \(target) WHERE \(isRow)").first(rawKey)
    }

    /// The same in the form that travels.
    func portableRow(rawKey: [Value]) throws -> [Value]? {
        try row(rawKey: rawKey)?.enumerated().map { table.form($0).portable($1.value) }
    }

    /// The value that a column has where nobody wrote into it; `nil` where the row holds just that.
    func standard(ofEdited column: Int, rawKey: [Value]) throws -> Value? {
        let local = table.tracked.local.columns[table.localColumns[column]]
        let standard = local.standardSQL
        let sql = """
            SELECT \(standard) FROM \(target)
            WHERE \(isRow) AND \(SQLText.name(local.name)) COLLATE BINARY IS NOT \(standard)
            """
        let value = try statements(sql).first(rawKey)?.first?.value
        return value.map { table.form(column).portable($0) }
    }

    // MARK: Rows that pages touch

    /// A row before it goes, with what local tables may refer to; `nil` when there is none.
    ///
    /// - Parameter columns: See ``LocalReferences/columns(referencedIn:)``.
    func removedRow(rawKey: [Value], columns: [String]) throws -> RemovedRow? {
        let names = columns.isEmpty ? "1" : SQLText.names(columns)
        let sql = "SELECT \(names) FROM \(target) WHERE \(isRow)"
        guard let row = try statements(sql).first(rawKey) else { return nil }
        var values = ByBytes<Value>()
        for (name, form) in zip(columns, row) { values[SQLText.folded(name)] = form.value }
        return RemovedRow(table: table.tracked.local.name, values: values)
    }

    /// The row's foreign keys are to be checked.
    func touch(rawKey: [Value], isGone: Bool) throws {
        try statements(
            """
            INSERT OR REPLACE INTO \(SQLText.name(table.tracked.touchedTable))\
            (\(keys.joined(separator: ", ")), gone) \
            VALUES(\(SQLText.parameters(rawKey.count + 1)))
            """
        ).run(rawKey + [.integer(isGone ? 1 : 0)])
    }

    // MARK: Writing

    /// Puts entries before all others, in the order given.
    func prepend(_ entries: [NewEntry]) throws {
        let sql = "SELECT coalesce(min(seq), 1) FROM \(log)"
        guard case .value(.integer(let first))? = try statements(sql).first([])?.first else {
            return
        }
        var seq = first - Int64(entries.count)
        for item in entries {
            try insert(item, seq: seq)
            seq += 1
        }
    }

    /// Adds an entry at the end.
    func append(_ entry: LogEntry, rawKey: [Value]) throws {
        try insert(NewEntry(rawKey: rawKey, entry: entry), seq: nil)
    }

    private func insert(_ new: NewEntry, seq: Int64?) throws {
        let entry = new.entry
        var masks = [Int64](repeating: 0, count: maskCount)
        var olds = [Value](repeating: .null, count: placeCount)
        func place(_ column: Int, _ value: Value) -> Int? {
            guard let place = table.placeOfColumn[column] else { return nil }
            // An old value that the column cannot hold is kept as it came.
            olds[place] = table.form(column).local(value) ?? value
            return place
        }
        let op: String
        switch entry.kind {
        case .insert: op = "I"
        case .update(let old):
            op = "U"
            for value in old {
                guard let place = place(value.column, value.value) else { continue }
                masks[place / TrackedTable.columnsPerMask] |=
                    1 << Int64(place % TrackedTable.columnsPerMask)
            }
        case .delete(let row), .candidate(let row):
            if case .delete = entry.kind { op = "D" } else { op = "C" }
            for (column, value) in row.enumerated() { _ = place(column, value) }
        }
        let names =
            ["seq", "op", "at", "again", "grp"] + keys + masks.indices.map { "m\($0)" }
            + olds.indices.map { "o\($0)" }
        let values: [Value] =
            [seq.map(Value.integer) ?? .null, .text(op), .integer(entry.at)]
            + [.integer(entry.isAgain ? 1 : 0), new.group.map(Value.integer) ?? .null]
            + new.rawKey + masks.map(Value.integer) + olds
        try statements(
            """
            INSERT INTO \(log)(\(names.joined(separator: ", "))) \
            VALUES(\(SQLText.parameters(values.count)))
            """
        ).run(values)
    }

    func delete(seq: Int64) throws {
        try statements("DELETE FROM \(log) WHERE seq = ?1").run([.integer(seq)])
    }

    // MARK: Times

    /// Edits of a replica keep their order: a clock that was set back must not turn them round.
    func keepTimesInOrder() throws {
        let checked = try statements(
            "SELECT checked_seq, checked_at FROM _moorage_table WHERE name = ?1"
        ).first([.text(table.name)])
        var seq: Int64?
        var at = Int64.min
        if case .value(.integer(let number))? = checked?[0] { seq = number }
        if case .value(.integer(let time))? = checked?[1] { at = time }
        let statement = try statements.own(
            "SELECT seq, at FROM \(log) WHERE seq > ?1 ORDER BY seq")
        try statement.bind([.integer(seq ?? .min)])
        var late: [(seq: Int64, at: Int64)] = []
        while try statement.step() {
            guard case .value(.integer(let next)) = statement.column(0),
                case .value(.integer(let time)) = statement.column(1)
            else { continue }
            seq = next
            if time < at { late.append((next, at)) }
            at = max(at, time)
        }
        for entry in late {
            try statements("UPDATE \(log) SET at = ?2 WHERE seq = ?1")
                .run([.integer(entry.seq), .integer(entry.at)])
        }
        try statements(
            "UPDATE _moorage_table SET checked_seq = ?2, checked_at = ?3 WHERE name = ?1"
        ).run([.text(table.name), seq.map(Value.integer) ?? .null, .integer(at)])
    }

    // MARK: Long logs

    private var keyIndex: String { SQLText.name(table.tracked.logTable + "_key") }
    private var groupIndex: String { SQLText.name(table.tracked.logTable + "_group") }
    private func uniqueIndex(_ number: Int) -> String {
        SQLText.name(table.tracked.logTable + "_unique_\(number)")
    }

    /// Before many rows are looked up: without an index each would read the whole log.
    func makeIndexesIfLong() throws {
        if try count(upTo: Self.indexedFrom + 1) > Self.indexedFrom { try makeIndexes() }
    }

    static let indexedFrom = 2000

    /// Indexes that only a long log has: every one costs the app's own writes.
    func makeIndexes() throws {
        let key = table.tracked.keyColumns.joined(separator: ", ")
        try statements.db.execute(
            sql: "CREATE INDEX IF NOT EXISTS \(keyIndex) ON \(log)(\(key), seq)")
        try statements.db.execute(
            sql: "CREATE INDEX IF NOT EXISTS \(groupIndex) ON \(log)(grp) WHERE grp IS NOT NULL")
        for (number, places) in uniquePlaces.enumerated() {
            let columns = places.map { "o\($0)" }.joined(separator: ", ")
            try statements.db.execute(
                sql: "CREATE INDEX IF NOT EXISTS \(uniqueIndex(number)) ON \(log)(\(columns))")
        }
    }

    func dropIndexes() throws {
        let found = try statements(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1")
        try found.bind(.text(table.tracked.logTable), at: 1)
        var names: [String] = []
        while try found.step() {
            if case .value(.text(let name)) = found.column(0) { names.append(name) }
        }
        for name in names {
            try statements.db.execute(sql: "DROP INDEX \(SQLText.name(name))")
        }
    }

    /// The unique keys, besides the primary one, as places of the log.
    var uniquePlaces: [[Int]] {
        table.description.uniqueKeys.compactMap { key in
            let places = key.compactMap { table.placeOfColumn[$0] }
            return places.count == key.count ? places : nil
        }
    }
}
