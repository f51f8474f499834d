import MoorageCore
import MoorageHub

/// Scopes in SQLite's SQL. A column may contain a value of another type than it declares. Such a
/// value names no scope.
struct SQLiteScopes: ScopeDialect {
    func table(_ name: String) -> String { name.quoted }
    func column(_ name: String) -> String { name.quoted }
    func literal(_ text: String) -> String { text.quoted(by: "'") }

    func text(_ column: String, _ type: ColumnType) -> String {
        switch type {
        case .integer: "CASE typeof(\(column)) WHEN 'integer' THEN CAST(\(column) AS TEXT) END"
        case .boolean: "CASE \(column) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END"
        case .uuid:
            """
            CASE typeof(\(column)) WHEN 'text' THEN lower(\(column)) \
            WHEN 'blob' THEN CASE length(\(column)) WHEN 16 THEN \(uuid("lower(hex(\(column)))")) END END
            """
        default: "CASE typeof(\(column)) WHEN 'text' THEN \(column) END"
        }
    }

    func byteCount(_ text: String) -> String { "length(CAST(\(text) AS BLOB))" }

    func literal(_ value: String, _ type: ColumnType) -> String {
        switch type {
        case .integer: Int64(value).map(String.init) ?? "NULL"
        case .boolean: value == "true" ? "1" : "0"
        default: literal(value)
        }
    }

    func comparable(_ column: String, _ type: ColumnType) -> String {
        switch type {
        case .integer: "CASE typeof(\(column)) WHEN 'integer' THEN \(column) END"
        case .boolean: "CASE typeof(\(column)) WHEN 'integer' THEN \(column) <> 0 END"
        case .decimal, .real:
            "CASE WHEN typeof(\(column)) IN ('integer', 'real') THEN \(column) END"
        // A file may contain a time of day behind the date.
        case .date: "CASE typeof(\(column)) WHEN 'text' THEN substr(\(column), 1, 10) END"
        default: text(column, type)
        }
    }

    func constant(_ value: String, _ type: ColumnType) -> String {
        switch type {
        case .integer, .decimal, .real: value
        default: literal(value, type)
        }
    }

    private func uuid(_ digits: String) -> String {
        [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)]
            .map { "substr(\(digits), \($0.0), \($0.1))" }.joined(separator: " || '-' || ")
    }
}
