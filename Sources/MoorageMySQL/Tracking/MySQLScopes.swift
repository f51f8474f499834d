import MoorageCore
import MoorageHub

/// Scopes in the SQL of MariaDB and MySQL.
struct MySQLScopes: ScopeDialect {
    func table(_ name: String) -> String { SQLText.name(name) }
    func column(_ name: String) -> String { SQLText.name(name) }
    func literal(_ text: String) -> String { SQLText.literal(text) }

    func text(_ column: String, _ type: ColumnType) -> String {
        switch type {
        case .boolean: "(CASE \(integer(column)) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)"
        case .text: "CONVERT(\(column) USING utf8mb4)"
        default: "CAST(\(column) AS CHAR CHARACTER SET utf8mb4)"
        }
    }

    func byteCount(_ text: String) -> String { "LENGTH(\(text))" }

    func literal(_ value: String, _ type: ColumnType) -> String {
        switch type {
        case .integer: Int64(value).map(String.init) ?? "NULL"
        case .boolean: value == "true" ? "1" : "0"
        default: literal(value)
        }
    }

    func comparable(_ column: String, _ type: ColumnType) -> String {
        switch type {
        case .integer: integer(column)
        case .boolean: "(\(integer(column)) <> 0)"
        case .real: "(CASE WHEN \(isNumber(column)) THEN \(column) + 0 END)"
        case .decimal: "(CASE WHEN \(isNumber(column)) THEN \(column) END)"
        // As bytes, because the column's collation may call another text equal.
        default: "CAST(\(text(column, type)) AS BINARY)"
        }
    }

    func constant(_ value: String, _ type: ColumnType) -> String {
        switch type {
        case .integer, .decimal: value
        case .real: value + "e0"
        case .boolean: literal(value, type)
        default: SQLText.literal(Array(value.utf8))
        }
    }

    /// The bytes of a number's text, in hexadecimal. With `e` only what a double can be: at most
    /// `…e307`.
    private static let number = """
        ^(2D)?((3[0-9]){1,300}(2E(3[0-9]){1,60})?\
        |3[0-9](2E(3[0-9]){1,60})?65(2D(3[0-9]){1,3}|(3[0-9]){1,2}|3[12](3[0-9]){2}|33303[0-7]))$
        """

    /// Whether a value can be read as a number. It asks the bytes, because a conversion to another
    /// character set fails for some texts.
    ///
    /// The owner may change a number's column to a text. In strict mode a text that is no number
    /// would fail the numbering step.
    private func isNumber(_ column: String) -> String {
        "HEX(LEFT(CAST(\(column) AS BINARY), 400)) REGEXP '\(Self.number)'"
    }

    /// A column's value as an integer. The text of a `BIT` is its bytes.
    private func integer(_ column: String) -> String {
        """
        (CASE WHEN \(isNumber(column)) THEN \(column) + 0 \
        WHEN CHARSET(\(column)) = 'binary' AND LENGTH(\(column)) <= 8 \
        THEN CAST(CONV(HEX(\(column)), 16, 10) AS UNSIGNED) END)
        """
    }
}
