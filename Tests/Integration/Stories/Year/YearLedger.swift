/// A row of the year.
struct YearRow: Hashable, CustomStringConvertible {
    let table: String
    let id: String

    var description: String { "\(table) \(id)" }
}

/// A value of a row, under the last name of its column.
struct YearCell: Hashable, CustomStringConvertible {
    let row: YearRow
    let column: String

    var description: String { "\(row) \(column)" }
}

/// What somebody wrote into a cell, and what was there before them.
struct YearEdit: CustomStringConvertible {
    let number: Int
    let value: String
    /// What the writer saw; `nil` for a new row, and for NULL.
    let seen: String?
    let who: String
    let when: String
    /// The owner made it after a backup that was restored later. No device sends it again.
    var isUndone = false

    var description: String {
        "\(value) by \(who) in \(when) after \(seen ?? "NULL")\(isUndone ? ", undone" : "")"
    }
}

/// Everything that anybody wrote, who saw what, and what the hub or a device said of it.
struct YearLedger {
    static let office = "the office"

    private(set) var edits: [YearCell: [YearEdit]] = [:]
    /// Rows by whoever inserted them.
    private(set) var inserted: [YearRow: String] = [:]
    /// Rows by whoever deleted them.
    private(set) var deleted: [YearRow: [String]] = [:]
    /// Values that lost, in a log or list of one side.
    private(set) var logged: Set<String> = []
    /// Values of changes that were refused.
    private(set) var refused: Set<String> = []
    private var refusedInserts: Set<YearRow> = []
    /// Deletions that were refused or overruled, by row and device.
    private var failedDeletions: [YearRow: Set<String>] = [:]
    private var count = 0
    private var backup: Int?

    // MARK: Writing

    /// A value that nobody wrote before. All have the same length, so none is part of another one.
    mutating func newValue() -> String {
        count += 1
        return "v" + String(String(1_000_000 + count).dropFirst())
    }

    mutating func write(
        _ value: String, _ cell: YearCell, seen: String?, by who: String, _ when: String
    ) {
        edits[cell, default: []].append(
            YearEdit(number: count, value: value, seen: seen, who: who, when: when))
    }

    mutating func insert(_ row: YearRow, by who: String) { inserted[row] = who }

    mutating func delete(_ row: YearRow, by who: String) { deleted[row, default: []].append(who) }

    // MARK: Backups

    var hasBackup: Bool { backup != nil }

    mutating func backUp() { backup = count }

    /// What the owner changed since the backup is gone.
    mutating func restore() {
        guard let backup else { return }
        for (cell, all) in edits {
            edits[cell] = all.map { edit in
                var edit = edit
                if edit.who == Self.office, edit.number > backup { edit.isUndone = true }
                return edit
            }
        }
        self.backup = nil
    }

    // MARK: Answers

    mutating func log(_ values: some Sequence<String>) { logged.formUnion(values) }

    mutating func refuse(_ values: some Sequence<String>) { refused.formUnion(values) }

    mutating func refuseInsert(of row: YearRow) { refusedInserts.insert(row) }

    mutating func failDeletion(of row: YearRow, by who: String) {
        failedDeletions[row, default: []].insert(who)
    }

    // MARK: The end

    /// What is wrong with a table of the central database at the end.
    ///
    /// - Parameters:
    ///   - rows: The central rows, with their values by column.
    ///   - columns: The columns that the last version has.
    func problems(
        of table: String, _ rows: [String: [String: String]], columns: [String]
    ) -> [String] {
        var problems: [String] = []
        for (row, who) in inserted where row.table == table {
            let isThere = rows[row.id] != nil
            let deletions = deleted[row] ?? []
            let counting = deletions.filter { !(failedDeletions[row]?.contains($0) ?? false) }
            if isThere, let by = counting.first {
                problems.append("\(row) came back: \(by) deleted it")
            }
            if !isThere, counting.isEmpty, !refusedInserts.contains(row) {
                problems.append("\(row) of \(who) is lost, and nobody deleted it")
            }
        }
        for (cell, all) in edits where cell.row.table == table && columns.contains(cell.column) {
            guard let row = rows[cell.row.id] else { continue }
            if let problem = problem(of: cell, all, row[cell.column]) { problems.append(problem) }
        }
        let strangers = rows.keys.filter { inserted[YearRow(table: table, id: $0)] == nil }
        for id in strangers { problems.append("\(table) \(id) is there, and nobody made it") }
        return problems.sorted()
    }

    /// - Parameter value: The cell's value at the end.
    private func problem(of cell: YearCell, _ edits: [YearEdit], _ value: String?) -> String? {
        let writes = edits.map { "\n    \($0)" }.joined()
        let ofValue = Dictionary(edits.map { ($0.value, $0) }, uniquingKeysWith: { $1 })
        func isAfter(_ edit: YearEdit, _ value: String) -> Bool {
            var seen = edit.seen
            while let one = seen {
                if one == value { return true }
                seen = ofValue[one]?.seen
            }
            return false
        }
        let counting = edits.filter { !$0.isUndone && !refused.contains($0.value) }
        // The owner's and the app's own values have no edit. So all edits come after them.
        let known = value.flatMap { ofValue[$0] }
        if let known, let later = counting.first(where: { isAfter($0, known.value) }) {
            return "\(cell) is stale: \(known.value), which \(later.who) overwrote:\(writes)"
        }
        let overwritten = Set(counting.compactMap(\.seen))
        for edit in counting
        where !overwritten.contains(edit.value) && edit.value != value
            && !logged.contains(edit.value)
        {
            return "\(cell) is \(value ?? "NULL"), and \(edit.value) is lost:\(writes)"
        }
        return nil
    }
}
