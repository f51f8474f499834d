import MoorageCore
import MoorageHub
import SQLiteSupport

/// A unique key, as SQL for triggers. `REPLACE` removes the row that has the key that NEW will
/// have.
struct UniqueKey {
    /// One column or expression, without a table's name, and the same of NEW.
    private struct Part {
        let sql: String
        let new: String
        /// The index's own collation, which need not be the column's.
        var collation: String?
    }

    private let parts: [Part]
    /// The condition of a partial index, for rows that exist already.
    private let condition: String?
    /// The quoted columns that an update must set to conflict with another row.
    let deciding: [String]
    /// Whether an update can set these columns without a change to this key, or SQLite needs to see
    /// their names.
    private let isDerived: Bool
    /// Whether equal keys have equal bytes.
    let isByBytes: Bool

    /// The key of these columns, each with its own comparison.
    init(columns: [String]) {
        parts = columns.map { Part(sql: $0.quoted, new: "NEW.\($0.quoted)") }
        (condition, isDerived, isByBytes) = (nil, false, true)
        deciding = columns.map(\.quoted)
    }

    /// Selects the rows that have the key of NEW.
    ///
    /// - Parameter isUpdate: Whether NEW is a row that existed before.
    func hits(isUpdate: Bool) -> String {
        var conditions = parts.map { part in
            let collation = part.collation.map { " COLLATE \($0.quoted)" } ?? ""
            return "\(part.sql) = \(part.new)\(collation)"
        }
        if let condition { conditions.append(condition) }
        // This also names the columns that a generated column is computed from. SQLite gives a
        // trigger no other columns of NEW, and computes the generated one from those that it gives.
        if isUpdate, isDerived {
            // No update changes a key that is computed from no column.
            let isSet = deciding.isEmpty ? "0" : "NOT (\(TrackingTriggers.areSame(deciding)))"
            conditions.append(isSet)
        }
        return conditions.joined(separator: " AND ")
    }
}

extension UniqueKey {
    /// A key column as SQLite lists it: without a name for an expression.
    struct IndexColumn {
        let name: String?
        let collation: String
    }

    /// - Parameters:
    ///   - columns: The table's columns.
    ///   - table: The statement that created the table.
    ///   - text: The text of the index, where it has one.
    init?(
        _ key: [IndexColumn], isPartial: Bool, of columns: [LocalColumn], table: String,
        text: IndexText?
    ) {
        var named: [LocalColumn] = []
        func find(_ words: [SQLWords.Word]) -> [LocalColumn] {
            columns.filter { column in words.contains { SQLText.isSameName($0.text, column.name) } }
        }
        func new(_ column: LocalColumn) -> String {
            let value = "NEW.\(column.name.quoted)"
            // After the trigger, REPLACE gives a column that accepts no NULL its default.
            guard column.isNotNull, let text = column.defaultText else { return value }
            return "coalesce(\(value), (\(text)\n))"
        }
        var parts: [Part] = []
        for (position, part) in key.enumerated() {
            if let name = part.name {
                guard let column = columns.first(where: { $0.name.hasSameBytes(as: name) }) else {
                    return nil
                }
                named.append(column)
                parts.append(
                    Part(sql: name.quoted, new: new(column), collation: part.collation))
                continue
            }
            guard let text, text.parts.count == key.count else { return nil }
            let sql = "(\(text.parts[position])\n)"
            let inner = find(SQLWords(text.parts[position]).words)
            named += inner
            let values = inner.map { "\(new($0)) AS \($0.name.quoted)" }
            let source = values.isEmpty ? "" : " FROM (SELECT \(values.joined(separator: ", ")))"
            parts.append(
                Part(sql: sql, new: "(SELECT \(sql)\(source))", collation: part.collation))
        }
        self.parts = parts
        condition = isPartial ? text?.condition.map { "(\($0)\n)" } : nil
        if isPartial { named += find(SQLWords(text?.condition ?? "").words) }
        let isGenerated = named.contains(where: \.isGenerated)
        if isGenerated { named += find(Self.generating(table)) }
        let names = named.filter { !$0.isGenerated }.map(\.name.quoted)
        // A condition that cannot be read may use any column.
        let isAny = isPartial && text?.condition == nil
        deciding =
            isAny
            ? columns.filter { !$0.isGenerated }.map(\.name.quoted) : Set(names).sorted()
        isDerived = isPartial || isGenerated || key.contains { $0.name == nil }
        isByBytes = key.allSatisfy { $0.name != nil && $0.collation.uppercased() == "BINARY" }
    }

    /// The words of the expressions that a table's generated columns come from.
    private static func generating(_ table: String) -> [SQLWords.Word] {
        let words = SQLWords(table).words
        var result: [SQLWords.Word] = []
        for (index, word) in words.enumerated().dropLast()
        where word.isKeyword("AS") && words[index + 1].isMark("(") {
            var depth = 0
            for word in words[(index + 1)...] {
                if word.isMark("(") { depth += 1 }
                if word.isMark(")") { depth -= 1 }
                if depth == 0 { break }
                result.append(word)
            }
        }
        return result
    }
}

extension SQLiteConnection {
    /// The keys by which `REPLACE` finds the rows that it removes, the primary key first. They
    /// include whole and partial indexes, of columns and of expressions.
    ///
    /// - Parameter key: The key of a table without a primary key, where it matters which one that
    ///   is.
    /// - Throws: ``CentralError`` when the text of an index is needed, and is not UTF-8.
    func replacingKeys(of table: String, key: [String]? = nil) throws -> [UniqueKey] {
        let columns = try LocalColumn.read(table, on: self)
        let primary = columns.filter { $0.keyPosition > 0 }
            .sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
        let sql =
            try query(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(table)]
            ).first?.first?.plainText ?? ""
        let rows = try query(
            """
            SELECT i.seq, i.origin, i.partial, c.name, c.coll,
              (SELECT s.sql FROM sqlite_master s WHERE s.type = 'index' AND s.name = i.name)
            FROM pragma_index_list(?) AS i, pragma_index_xinfo(i.name) AS c
            WHERE i."unique" = 1 AND c.key = 1
            ORDER BY i.name, c.seqno
            """, [.text(table)])
        var groups: [[[Value]]] = []
        for row in rows {
            if groups.last?[0][0] != row[0] { groups.append([]) }
            groups[groups.count - 1].append(row)
        }
        let substitute = try primary.isEmpty ? key ?? firstSubstitute(of: table) : nil
        var first = UniqueKey(columns: substitute ?? primary)
        var others: [UniqueKey] = []
        for group in groups {
            let key = UniqueKey(
                group.map { .init(name: $0[3].plainText, collation: $0[4].plainText ?? "BINARY") },
                isPartial: group[0][2].number == 1, of: columns, table: sql,
                text: group[0][5].plainText.flatMap(IndexText.init))
            guard let key else { throw CentralError.unreadableIndex(of: table) }
            let isFirst =
                substitute.map { Self.isIndex(group, of: $0) } ?? (group[0][1].plainText == "pk")
            if isFirst { first = key } else { others.append(key) }
        }
        return [first] + others
    }

    /// Whether the rows of an index say that it is one of exactly these columns, for every row.
    private static func isIndex(_ group: [[Value]], of names: [String]) -> Bool {
        group[0][2].number == 0 && Set(group.map { $0[3] }) == Set(names.map(Value.text))
    }

    /// The columns of any unique key that tells all rows of a table apart.
    private func firstSubstitute(of table: String) throws -> [String]? {
        guard let keyless = try readTable(table).keyless else { return nil }
        return keyless.substitutes.first.map { keyless.names(of: $0) }
    }
}
