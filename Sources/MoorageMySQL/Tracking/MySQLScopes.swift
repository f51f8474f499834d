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
}
