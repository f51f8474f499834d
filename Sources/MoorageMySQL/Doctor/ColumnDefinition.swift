import MoorageCore
import MoorageHub

/// A column's definition, as the owner must repeat it to change the type. MODIFY drops each
/// attribute that it does not repeat.
struct ColumnDefinition: Hashable, Sendable {
    let name: String
    var isNullable = true
    var isAutomatic = false
    /// As SQL; `nil` where the column has no default.
    var defaultText: String?
    var comment = ""
    /// Whether this describes the whole column. It does not where the column has a check, an
    /// expression, or text that a client might read differently.
    var isWhole = true

    /// - Parameter type: The type with its character set and collation.
    func modify(type: String) -> String {
        var words = "MODIFY \(SQLText.ownersName(name)) \(type)\(isNullable ? "" : " NOT NULL")"
        if let defaultText { words += " DEFAULT \(defaultText)" }
        if isAutomatic { words += " AUTO_INCREMENT" }
        if !comment.isEmpty { words += " COMMENT \(SQLText.literal(comment))" }
        return words
    }
}

extension MySQLConnection {
    func definition(of column: NativeColumn, in table: String) throws -> ColumnDefinition {
        let answer = try link.query(
            """
            SELECT column_default, extra, column_comment FROM information_schema.columns
            WHERE table_schema = database() AND table_name = ? AND column_name = ?
            """, Self.parameters(table, column.name), isKept: false)
        var result = ColumnDefinition(
            name: column.name, isNullable: column.isNullable, isAutomatic: column.isAutomatic)
        let text = answer.text(0, 0)
        if let text, text.uppercased() != "NULL" || !link.kind.quotesDefaults {
            result.defaultText = link.kind.quotesDefaults ? text : SQLText.literal(text)
        }
        result.comment = answer.text(0, 2) ?? ""
        let extra = (answer.text(0, 1) ?? "").lowercased()
        // In a client's default mode a backslash escapes the next character, and double quotes
        // enclose text.
        let texts = [column.columnType, result.defaultText ?? "", result.comment]
        let isPlain = texts.allSatisfy { text in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\\") }
        }
        let isLiteral = result.defaultText?.contains("\"") != true
        result.isWhole =
            isPlain && isLiteral && ["", "auto_increment"].contains(extra)
            && !column.columnType.contains("/*") && !column.columnType.contains("zerofill")
        if result.isWhole, link.kind.isMariaDB {
            // SHOW CREATE TABLE also shows checks to users who cannot read the list of checks.
            let table = try link.query("SHOW CREATE TABLE \(SQLText.name(table))", isKept: false)
            let line = (table.text(0, 1) ?? "").split(separator: "\n").first {
                $0.utf8.starts(with: "  \(column.quoted) ".utf8)
            }
            result.isWhole = line.map { !$0.contains(" CHECK (") } ?? false
        }
        return result
    }
}
