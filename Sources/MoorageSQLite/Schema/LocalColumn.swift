import MoorageCore

/// A column as SQLite declares it.
struct LocalColumn {
    let name: String
    /// Whether the name is UTF-8. SQLite accepts any bytes as a name.
    let isNameReadable: Bool
    let declaredType: String
    let isNotNull: Bool
    /// Its place in the primary key, from 1; 0 when it is not part of it.
    let keyPosition: Int64
    let isGenerated: Bool
    let defaultValue: ColumnDefault
    /// The default as it was written.
    let defaultText: String?

    static func read(_ table: String, on connection: SQLiteConnection) throws -> [LocalColumn] {
        try connection.query(
            """
            SELECT name, type, "notnull", dflt_value, pk, hidden
            FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid
            """, [.text(table)]
        ).map { row in
            LocalColumn(
                name: row[0].plainText ?? "", isNameReadable: row[0].plainText != nil,
                declaredType: row[1].plainText ?? "",
                isNotNull: row[2] == .integer(1), keyPosition: row[4].number,
                isGenerated: row[5].number > 1, defaultValue: defaultValue(row[3].plainText),
                defaultText: row[3].plainText)
        }
    }

    /// A literal is the same for everyone. Only the central database computes an expression.
    private static func defaultValue(_ text: String?) -> ColumnDefault {
        guard let text else { return .none }
        let upper = text.uppercased()
        if upper == "NULL" { return .none }
        if upper == "TRUE" { return .value(.integer(1)) }
        if upper == "FALSE" { return .value(.integer(0)) }
        if let number = Int64(text) { return .value(.integer(number)) }
        if ColumnType.significantDigits(ofDecimal: text) != nil, let number = Double(text) {
            return .value(.real(number))
        }
        return text.unquoted(by: "'").map { .value(.text($0)) } ?? .central
    }
}

extension Value {
    /// The integer, or 0.
    var number: Int64 {
        if case .integer(let number) = self { number } else { 0 }
    }
}
