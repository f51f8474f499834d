import MoorageCore
import MoorageHub

/// Scopes in PostgreSQL's SQL.
struct PostgresScopes: ScopeDialect {
    let schema: OwnerSchema

    func table(_ name: String) -> String { schema.table(name) }
    func column(_ name: String) -> String { SQLText.name(name) }
    func literal(_ text: String) -> String { SQLText.literal(text) + "::text" }

    func text(_ column: String, _ type: ColumnType) -> String {
        switch type {
        case .boolean: "(CASE \(column) WHEN true THEN 'true' WHEN false THEN 'false' END)"
        default: "(\(column)::text COLLATE \"C\")"
        }
    }

    func byteCount(_ text: String) -> String { "octet_length(\(text))" }

    /// A literal without a type takes the column's.
    func literal(_ value: String, _ type: ColumnType) -> String { SQLText.literal(value) }
}
