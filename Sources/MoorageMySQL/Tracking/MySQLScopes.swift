import MoorageCore
import MoorageHub

/// Scopes in the SQL of MariaDB and MySQL.
struct MySQLScopes: ScopeDialect {
    func table(_ name: String) -> String { SQLText.name(name) }
    func column(_ name: String) -> String { SQLText.name(name) }
    func literal(_ text: String) -> String { SQLText.literal(text) }

    func text(_ column: String, _ type: ColumnType) -> String {
        switch type {
        case .boolean: "(CASE (\(column) + 0) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)"
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
        case .integer, .real: "(\(column) + 0)"
        case .boolean: "((\(column) + 0) <> 0)"
        case .decimal: column
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
}
