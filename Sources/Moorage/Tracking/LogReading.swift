import GRDB
import MoorageCore
import SQLiteSupport

/// Reads the log of one table, folded or entry by entry.
struct LogReading {
    let table: SyncedTable
    let statements: RawStatements
    /// Whether the table can be read: a suspended one may be gone.
    var hasRows = true

    /// One entry with its place in the log.
    struct Entry {
        let seq: Int64
        let op: LogOperation
        let entry: LogEntry
        /// The key as it was written, in the hub's order.
        let localKey: LocalKey
        let group: Int64?
    }

    var log: String { SQLText.name(table.tracked.logTable) }
    var keys: [String] { table.logKeyColumns }
    var maskCount: Int { table.tracked.maskCount }
    var placeCount: Int { table.tracked.logNames.count }

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

    /// The entry in the current row of a statement with ``columns``.
    func entry(_ statement: RawStatement) -> Entry {
        func integer(_ column: Int) -> Int64 {
            if case .value(.integer(let number)) = statement.column(column) { number } else { 0 }
        }
        let op = LogOperation(stored: statement.column(1))
        let firstKey = 5
        let firstMask = firstKey + keys.count
        let firstPlace = firstMask + maskCount
        let localKey = LocalKey(statement, from: firstKey, count: keys.count)
        func old(_ place: Int, _ column: Int) -> Value {
            table.form(column).portable(statement.column(firstPlace + place).value)
        }
        func row() -> [Value] {
            var row = [Value](repeating: .null, count: table.description.columns.count)
            for (index, column) in table.description.primaryKey.enumerated() {
                row[column] = table.form(column).portable(localKey.values[index])
            }
            for (place, column) in table.columnOfPlace.enumerated() {
                if let column { row[column] = old(place, column) }
            }
            return row
        }
        func marked<Element>(_ element: (_ place: Int, _ column: Int) -> Element) -> [Element] {
            var elements: [Element] = []
            for mask in 0..<maskCount {
                let bits = integer(firstMask + mask)
                guard bits != 0 else { continue }
                let first = mask * TrackedTable.columnsPerMask
                for place in first..<min(first + TrackedTable.columnsPerMask, placeCount)
                where bits >> Int64(place - first) & 1 == 1 {
                    guard let column = table.columnOfPlace[place] else { continue }
                    elements.append(element(place, column))
                }
            }
            return elements
        }
        func named() -> [OldValue] { marked { OldValue(column: $1, value: old($0, $1)) } }
        let kind: LogEntry.Kind
        switch op {
        case .insert: kind = .insert
        case .delete: kind = .delete(row())
        case .candidate: kind = .candidate(row())
        case .update: kind = .update(named())
        case .fill: kind = .fill(named())
        }
        let marksEdits = op == .update || op == .fill
        let entry = LogEntry(
            kind: kind, at: DeviceTime(milliseconds: integer(2)), isAgain: integer(3) != 0,
            unknownColumns: marksEdits ? [] : Set(marked { $1 }))
        let group: Int64? =
            if case .value(.integer(let number)) = statement.column(4) { number } else { nil }
        return Entry(seq: integer(0), op: op, entry: entry, localKey: localKey, group: group)
    }

    /// Calls the closure with the key of each row that has an entry, once.
    ///
    /// - Parameters:
    ///   - condition: A condition for the entries; without it, all of them count.
    ///   - body: Not called again after it returns `false`.
    func forEachRow(
        where condition: String = "1", _ values: [Value] = [], while body: (LocalKey) throws -> Bool
    ) throws {
        // A statement of its own: the closure may run the same query.
        let statement = try statements.own(
            "SELECT DISTINCT \(keys.joined(separator: ", ")) FROM \(log) WHERE \(condition)")
        try statement.bind(values)
        while try statement.step() {
            let localKey = LocalKey(statement)
            guard try body(localKey) else { return }
        }
    }

    /// Calls the closure for every entry that belongs to a group.
    func forEachGrouped(_ body: (_ localKey: LocalKey, _ group: Int64) throws -> Void) throws {
        let statement = try statements.own(
            "SELECT grp, \(keys.joined(separator: ", ")) FROM \(log) WHERE grp IS NOT NULL")
        while try statement.step() {
            guard case .value(.integer(let group)) = statement.column(0) else { continue }
            try body(LocalKey(statement, from: 1), group)
        }
    }

    /// The entries of one row, in the log's order.
    func entries(localKey: LocalKey) throws -> [Entry] {
        let statement = try statements("SELECT \(columns) FROM \(log) WHERE \(isKey) ORDER BY seq")
        return try run(statement, localKey: localKey) { statement in
            var result: [Entry] = []
            while try statement.step() { result.append(entry(statement)) }
            return result
        } isFound: {
            !$0.isEmpty
        }
    }

    /// What an entry has in each place, as it was stored.
    func places(seq: Int64) throws -> [StoredValueForm] {
        if placeCount == 0 { return [] }
        let columns = (0..<placeCount).map { "o\($0)" }.joined(separator: ", ")
        let sql = "SELECT \(columns) FROM \(log) WHERE seq = ?1"
        return try statements(sql).first([.integer(seq)])
            ?? [StoredValueForm](repeating: .value(.null), count: placeCount)
    }

    /// The columns of which the row's first insert in the log says nothing; none if the row is not
    /// here.
    func columnsNotInserted(localKey: LocalKey) throws -> Set<Int> {
        guard try exists(localKey: localKey) else { return [] }
        return columnsNotInserted(by: try entries(localKey: localKey).first { $0.op == .insert })
    }

    /// The columns of which an insert says nothing, as the table got them later. Where the log has
    /// no insert, that is all columns.
    func columnsNotInserted(by insert: Entry?) -> Set<Int> {
        insert?.entry.unknownColumns ?? Set(table.description.columns.indices)
    }

    func localChange(localKey: LocalKey) throws -> LocalChange? {
        let entries = try entries(localKey: localKey)
        guard !entries.isEmpty else { return nil }
        var folding = LocalChangeFolding()
        for entry in entries { folding.add(entry.entry) }
        return try localChange(folding, localKey: localKey)
    }

    /// What a row's folded log says, now that all of its entries are in it.
    func localChange(_ folding: LocalChangeFolding, localKey: LocalKey) throws -> LocalChange? {
        let exists = try folding.hasOpenCandidate && self.exists(localKey: localKey)
        return folding.localChange(exists: exists)
    }

    /// Entries that change nothing and ask the hub what the row is. They are an update of a row
    /// that is here, or a refetch of one that is not.
    func question(localKey: LocalKey) throws -> [LogEntry.Kind] {
        if let row = try portableRow(localKey: localKey) { return [.delete(row), .insert] }
        let none = [Value](repeating: .null, count: table.description.columns.count)
        return [.insert, .delete(none)]
    }
}
