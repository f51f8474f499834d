import MoorageCore
import MoorageHub

/// Character sets and collations. A fix for one must not undo the fix for the other. A column that
/// needs both gets both in each statement.
extension MySQLConnection {
    func textFindings(_ table: AttachedTable, _ edges: [ForeignEdge]) throws -> [Finding] {
        let description = table.description
        let columns = try nativeColumns(of: table.name).filter(\.isText)
        let keys = Set(description.primaryKey + description.uniqueKeys.flatMap(\.self)).sorted()
            .compactMap { position in
                columns.first {
                    $0.name.hasSameBytes(as: description.columns[position].name)
                }.map { (column: $0, isPrimary: description.primaryKey.contains(position)) }
            }.filter { Self.callsTextsEqual($0.column) }
        let isKey = { (column: NativeColumn) in
            keys.contains { $0.column.name.hasSameBytes(as: column.name) }
        }
        var findings: [Finding] = []
        let narrow = columns.filter { column in
            guard let set = column.characterSet else { return false }
            return set != "utf8mb4" && set != "binary"
        }
        if !narrow.isEmpty {
            let sets = Set(narrow.compactMap(\.characterSet)).sorted().joined(separator: ", ")
            let collations = try narrow.map {
                isKey($0) ? link.kind.binaryCollation : try counterpart(of: $0.collation ?? "")
            }
            findings.append(
                Finding(
                    .textEncoding, .warning, table: table.name,
                    """
                    Texts of \(table.name) are in \(sets): what a device writes in other characters is refused.
                    """,
                    repair: .sql(
                        try alters(
                            zip(narrow, collations).map { (column: $0, collation: $1) },
                            in: table.name, edges))))
        }
        for (column, isPrimary) in keys {
            findings.append(
                Finding(
                    .keyCollation, isPrimary ? .warning : .note, table: table.name,
                    """
                    \(table.name).\(column.name) is \(isPrimary ? "a key" : "unique") and compares by \
                    \(column.collation ?? ""), which calls different texts equal: devices compare by bytes, and \
                    may send two rows that are one here.
                    """,
                    repair: .sql([
                        try alter(column, to: link.kind.binaryCollation, in: table.name, edges)
                    ])))
        }
        return findings
    }

    /// One statement for each column. Columns of one FULLTEXT index share a statement, because they
    /// must always have the same character set.
    private func alters(
        _ columns: [(column: NativeColumn, collation: String?)], in table: String,
        _ edges: [ForeignEdge]
    ) throws -> [String] {
        let indexes = try fullTextIndexes(of: table)
        var left = columns
        var statements: [String] = []
        while let first = left.first {
            // Indexes can share columns, so the columns of one index may add those of another.
            var names = [first.column.name]
            while let index = indexes.first(where: { index in
                index.contains { names.hasName($0) } && !index.allSatisfy { names.hasName($0) }
            }) {
                names += index.filter { !names.hasName($0) }
            }
            let part = left.filter { names.hasName($0.column.name) }
            left.removeAll { names.hasName($0.column.name) }
            statements.append(try alter(part, in: table, edges))
        }
        return statements
    }

    private func alter(
        _ columns: [(column: NativeColumn, collation: String?)], in table: String,
        _ edges: [ForeignEdge]
    ) throws -> String {
        let single = try columns.map { try alter($0.column, to: $0.collation, in: table, edges) }
        guard single.count > 1 else { return single.joined() }
        let head = "ALTER TABLE \(SQLText.ownersName(table)) "
        // If one column needs a choice by the owner, the whole statement does.
        let isChoice = single.contains { $0.hasPrefix("-- ") }
        let parts = single.map { statement in
            let whole = statement.hasPrefix("-- ") ? String(statement.dropFirst(3)) : statement
            return String(whole.dropFirst(head.count))
        }
        // A part may end with a SQL comment. Inside the joined statement the comment would hide
        // what follows, so it moves to the end.
        let remarks = parts.compactMap { part in
            part.firstRange(of: "  -- ").map { part[$0.lowerBound...] }
        }
        let changes = parts.map { part in
            part.firstRange(of: "  -- ").map { String(part[..<$0.lowerBound]) } ?? part
        }
        return (isChoice ? "-- " : "") + head + changes.joined(separator: ", ")
            + (remarks.first.map { String($0) } ?? "")
    }

    private func fullTextIndexes(of table: String) throws -> [[String]] {
        let answer = try link.query(
            """
            SELECT index_name, column_name FROM information_schema.statistics
            WHERE table_schema = database() AND table_name = ? AND index_type = 'FULLTEXT'
            ORDER BY BINARY index_name, seq_in_index
            """, Self.parameters(table), isKept: false)
        let rows = (0..<answer.rowCount).map {
            (answer.text($0, 0) ?? "", answer.text($0, 1) ?? "")
        }
        return Dictionary(grouping: rows, by: { $0.0 }).sorted { $0.key < $1.key }
            .map { $0.value.map { $0.1 } }
    }

    /// - Parameter collation: `nil` where the owner has to choose one.
    private func alter(
        _ column: NativeColumn, to collation: String?, in table: String, _ edges: [ForeignEdge]
    ) throws -> String {
        let definition = try definition(of: column, in: table)
        let type = """
            \(Self.roomier(column)) CHARACTER SET utf8mb4 COLLATE \(collation ?? "…")
            """
        let alter = "ALTER TABLE \(SQLText.ownersName(table)) \(definition.modify(type: type))"
        if isBound(column.name, of: table, edges) {
            return "-- \(alter)  -- with what refers to it"
        }
        if !definition.isWhole { return "-- \(alter) …  -- with all else that it has" }
        return collation == nil ? "-- \(alter)" : alter
    }

    /// The collation of utf8mb4 with the same rules; `nil` where no collation has that name.
    private func counterpart(of collation: String) throws -> String? {
        let rules = collation.drop { $0 != "_" }
        let name = "utf8mb4\(rules)"
        // The server lists these collations without a character set.
        if rules.hasPrefix("_uca1400_") { return name }
        let answer = try link.query(
            "SELECT count(*) FROM information_schema.collations WHERE collation_name = ?",
            Self.parameters(name), isKept: false)
        return answer.integer(0, 0) == 1 ? name : nil
    }

    /// A type with more room where needed. These types limit bytes, and a character of utf8mb4 can
    /// need more bytes.
    private static func roomier(_ column: NativeColumn) -> String {
        guard column.characterSet != "utf8mb4" else { return column.columnType }
        return switch column.dataType {
        case "tinytext": "text"
        case "text": "mediumtext"
        case "mediumtext": "longtext"
        default: column.columnType
        }
    }

    /// Whether the collation calls different texts equal. Devices compare bytes, including spaces
    /// at the end.
    private static func callsTextsEqual(_ column: NativeColumn) -> Bool {
        guard column.family == .text, let collation = column.collation else { return false }
        return collation != "binary" && !collation.hasSuffix("_nopad_bin")
            && !collation.hasSuffix("_0900_bin")
    }
}

extension [String] {
    fileprivate func hasName(_ name: String) -> Bool { contains { $0.hasSameBytes(as: name) } }
}
