import MoorageCore
import MoorageHub

/// Character sets and collations. What mends the one must not undo what mends the other: a column that needs both
/// gets both in either statement.
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
                    mend: .sql(
                        try zip(narrow, collations).map { column, collation in
                            try alter(column, to: collation, in: table.name, edges)
                        })))
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
                    mend: .sql([
                        try alter(column, to: link.kind.binaryCollation, in: table.name, edges)
                    ])))
        }
        return findings
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

    /// The same rules in utf8mb4; `nil` where there are none of the name.
    private func counterpart(of collation: String) throws -> String? {
        let rules = collation.drop { $0 != "_" }
        let name = "utf8mb4\(rules)"
        // Those of all character sets stand in the list without one.
        if rules.hasPrefix("_uca1400_") { return name }
        let answer = try link.query(
            "SELECT count(*) FROM information_schema.collations WHERE collation_name = ?",
            Self.parameters(name), isKept: false)
        return answer.integer(0, 0) == 1 ? name : nil
    }

    /// The lengths of these types are bytes, and characters get more of them.
    private static func roomier(_ column: NativeColumn) -> String {
        guard column.characterSet != "utf8mb4" else { return column.columnType }
        return switch column.dataType {
        case "tinytext": "text"
        case "text": "mediumtext"
        case "mediumtext": "longtext"
        default: column.columnType
        }
    }

    /// Spaces at the end included, devices compare bytes.
    private static func callsTextsEqual(_ column: NativeColumn) -> Bool {
        guard column.family == .text, let collation = column.collation else { return false }
        return collation != "binary" && !collation.hasSuffix("_nopad_bin")
            && !collation.hasSuffix("_0900_bin")
    }
}
