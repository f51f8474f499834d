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

    /// By way of text, because a cast from any type to text works. A function would otherwise fail,
    /// and the owner's statement with it, once the column has another type.
    func comparable(_ column: String, _ type: ColumnType) -> String {
        let text = text(column, .text)
        switch type {
        case .integer, .decimal, .real:
            return """
                (CASE WHEN \(text) ~ '^-?[0-9]+([.][0-9]+)?(e[-+]?[0-9]{1,3})?$' \
                THEN \(text)::numeric END)
                """
        default: return text
        }
    }

    func constant(_ value: String, _ type: ColumnType) -> String {
        switch type {
        case .integer, .decimal, .real: return SQLText.literal(value) + "::numeric"
        default:
            // The literal is in the body of a function, which ends with a word between dollars.
            let parts = value.unicodeScalars.split(separator: "$", omittingEmptySubsequences: false)
            let literals = parts.map { SQLText.literal(String($0)) }
            return "(\(literals.joined(separator: " || '$' || ")))::text"
        }
    }
}
