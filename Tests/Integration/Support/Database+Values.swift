import Foundation
import GRDB
import MoorageCore

extension Database {
    /// Inserts a row bit for bit. Text goes in by its length, because it may contain NUL.
    func insert(into table: String, _ columns: [String], _ values: [Value]) throws {
        let names = columns.map { $0.quoted(by: "\"") }.joined(separator: ", ")
        let parameters = values.map(\.parameter).joined(separator: ", ")
        try execute(
            sql: "INSERT INTO \(table.quoted(by: "\"")) (\(names)) VALUES (\(parameters))",
            arguments: StatementArguments(values.map(\.argument)))
    }

    /// Rows as they are stored, bit for bit. Text is read by its length.
    func values(of columns: [String], in table: String) throws -> [[Value]] {
        let parts = columns.flatMap { column in
            let name = column.quoted(by: "\"")
            let bytes =
                "CASE typeof(\(name)) WHEN 'text' THEN CAST(\(name) AS BLOB) ELSE \(name) END"
            return ["typeof(\(name))", bytes]
        }
        let sql = "SELECT \(parts.joined(separator: ", ")) FROM \(table.quoted(by: "\""))"
        return try Row.fetchAll(self, sql: sql).map { row in
            columns.indices.map { index in
                let kind: String = row[index * 2]
                switch kind {
                case "integer": return .integer(row[index * 2 + 1])
                case "real": return .real(row[index * 2 + 1])
                case "text":
                    let bytes: Data = row[index * 2 + 1]
                    // Text that is not UTF-8 counts as a blob.
                    return String(validating: bytes, as: UTF8.self).map { .text($0) }
                        ?? .blob(Array(bytes))
                case "blob":
                    let bytes: Data = row[index * 2 + 1]
                    return .blob(Array(bytes))
                default: return .null
                }
            }
        }
    }
}

extension Value {
    fileprivate var parameter: String {
        switch self {
        case .text: "CAST(? AS TEXT)"
        case .blob: "CAST(? AS BLOB)"
        case .null, .integer, .real: "?"
        }
    }

    fileprivate var argument: (any DatabaseValueConvertible)? {
        switch self {
        case .null: nil
        case .integer(let number): number
        case .real(let number): number
        case .text(let text): Data(text.utf8)
        case .blob(let bytes): Data(bytes)
        }
    }
}
