import MoorageCore
import MoorageHub

/// A column as the owner has to say it to change its type: MODIFY drops what it does not repeat.
struct ColumnDefinition: Hashable, Sendable {
    let name: String
    var isNullable = true
    var isAutomatic = false
    /// As SQL; `nil` for none.
    var defaultText: String?
    var comment = ""
    /// It has nothing that a client might read otherwise, or that is not here: a check, an expression.
    var isWhole = true

    /// - Parameter type: With character set and collation.
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
        // In a client's usual mode a backslash takes the next character along, and double quotes hold text.
        let texts = [column.columnType, result.defaultText ?? "", result.comment]
        let isPlain = texts.allSatisfy { text in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\\") }
        }
        let isLiteral = result.defaultText?.contains("\"") != true
        result.isWhole =
            isPlain && isLiteral && ["", "auto_increment"].contains(extra)
            && !column.columnType.contains("/*") && !column.columnType.contains("zerofill")
        if result.isWhole, link.kind.isMariaDB {
            // In its own words: not everybody is shown a list of checks.
            let table = try link.query("SHOW CREATE TABLE \(SQLText.name(table))", isKept: false)
            let line = (table.text(0, 1) ?? "").split(separator: "\n").first {
                $0.utf8.starts(with: "  \(column.quoted) ".utf8)
            }
            result.isWhole = line.map { !$0.contains(" CHECK (") } ?? false
        }
        return result
    }
}
