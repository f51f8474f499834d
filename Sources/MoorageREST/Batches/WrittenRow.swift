import MoorageCore
import MoorageHub

/// What a request says of one row, before the hub knows its table.
enum WrittenRow: Sendable {
    case absent
    case document(JSON)
    /// The same, where a document in a column would be merged (RFC 7396).
    case mergePatch(JSON)

    /// The columns that the row names, without those that the database or the hub alone writes.
    ///
    /// - Throws: ``RESTProblem`` for what is no row of the table.
    func values(of table: WrittenTable) throws(RESTProblem) -> [(column: Int, value: Value)] {
        switch self {
        case .absent: []
        case .document(let json): try Self.values(of: json, in: table, mergesDocuments: false)
        case .mergePatch(let json): try Self.values(of: json, in: table, mergesDocuments: true)
        }
    }

    private static func values(
        of json: JSON, in table: WrittenTable, mergesDocuments: Bool
    ) throws(RESTProblem) -> [(column: Int, value: Value)] {
        guard case .object(let members) = json else { throw .noObject }
        var row = RowValues(table)
        for (name, json) in members where !RowValues.isNoColumn(name) {
            guard let column = try row.take(name) else { continue }
            let description = table.table.description.columns[column]
            if mergesDocuments, description.type == .json, case .object = json {
                throw .documentToMerge(description.name, of: table.table.name)
            }
            try row.add(description.type.value(of: json), for: column)
        }
        return row.values
    }

    /// The version that a row of a batch names.
    func etag() throws(RESTProblem) -> String? {
        guard case .document(let json) = self else { return nil }
        switch json["$etag"] {
        case nil, .null: return nil
        case .string(let etag): return etag
        default: throw .malformed("`$etag` is a string, as in the row.")
        }
    }
}

/// The values of a row while a request is read. Each column comes once.
struct RowValues {
    private let table: WrittenTable
    private var isNamed: [Bool]
    private(set) var values: [(column: Int, value: Value)] = []

    init(_ table: WrittenTable) {
        self.table = table
        isNamed = Array(repeating: false, count: table.table.description.columns.count)
    }

    /// Whether a name is that of no column, and does not count.
    static func isNoColumn(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "$") }

    /// - Returns: The column of this name; `nil` for one that the request does not write.
    mutating func take(_ name: String) throws(RESTProblem) -> Int? {
        let column = try table.column(named: name)
        guard !isNamed[column] else { throw .columnTwice(name, of: table.table.name) }
        isNamed[column] = true
        let description = table.table.description
        return description.columns[column].isGenerated && !description.isKey(column)
            ? nil : column
    }

    /// - Parameter value: `nil` for what is not of the column's type.
    mutating func add(_ value: Value?, for column: Int) throws(RESTProblem) {
        guard let value else {
            throw .wrongType(table.table.description.columns[column], of: table.table.name)
        }
        values.append((column, value))
    }
}
