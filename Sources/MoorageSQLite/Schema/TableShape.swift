import MoorageCore
import MoorageHub
import SQLiteSupport

/// How one table's values are stored, and the pieces of SQL that name its columns.
struct TableShape {
    let table: AttachedTable
    /// For each column of the description.
    private let affinities: [Affinity]

    init(_ table: AttachedTable, on connection: SQLiteConnection) throws {
        self.table = table
        let columns = try LocalColumn.read(table.name, on: connection)
        affinities = table.description.columns.map { column in
            let found = columns.first { $0.name.hasSameBytes(as: column.name) }
            return Affinity(declaredType: found?.declaredType ?? "")
        }
    }

    private var description: TableDescription { table.description }

    var name: String { table.name.quoted }
    var track: String { table.objectName("track").quoted }
    var columnList: String { description.columns.map(\.name.quoted).joined(separator: ", ") }
    var keyColumns: [String] { description.primaryKey.map { description.columns[$0].name.quoted } }
    var trackKeys: [String] { description.primaryKey.indices.map { "k\($0)" } }
    var keyCount: Int { description.primaryKey.count }

    /// `"a" = ? AND "b" = ?`
    var keyPredicate: String { keyColumns.map { "\($0) = ?" }.joined(separator: " AND ") }
    var trackPredicate: String { trackKeys.map { "\($0) = ?" }.joined(separator: " AND ") }

    func column(_ position: Int) -> String { description.columns[position].name.quoted }
    func affinity(of column: Int) -> Affinity { affinities[column] }

    /// An argument in an expression, which has no column that would turn a decimal's text into a
    /// number.
    func argument(_ column: Int) -> String {
        guard case .decimal = description.columns[column].type else { return "?" }
        switch affinities[column] {
        case .text, .blob: return "?"
        case .integer, .real, .numeric: return "CAST(? AS NUMERIC)"
        }
    }

    // MARK: Values

    /// A row in portable form.
    func row(_ stored: [Value]) -> [Value] {
        zip(description.columns.indices, stored).map { portable($1, in: $0) }
    }

    /// A value of a row in portable form.
    func portable(_ value: Value, in column: Int) -> Value {
        // A key that is a blob is returned as it is. So the hub sees that no device can name it.
        if case .blob = value, description.isKey(column) { return value }
        return portable(value, description.columns[column].type)
    }

    /// A key in portable form, but not in its normal one: ``position(_:)`` has its bytes again.
    func key(_ stored: [Value]) -> RowKey {
        RowKey(zip(description.primaryKey, stored).map { portable($1, in: $0) })
    }

    /// The values of a key as they are stored.
    func stored(_ key: RowKey) throws -> [Value] {
        try zip(description.primaryKey, key.values).map { column, value in
            tracked(try stored(value, in: column), in: column)
        }
    }

    /// The values of a key that the database returned, as they are stored. Their place in its order
    /// is not that of the normal form.
    func position(_ key: RowKey) -> [Value] {
        zip(description.primaryKey, key.values).map { tracked($1, in: $0) }
    }

    /// A value as the tracking table stores it, whose columns have no affinity that would turn a
    /// text into a number.
    private func tracked(_ value: Value, in column: Int) -> Value {
        guard ![.text, .blob].contains(affinities[column]), case .text(let text) = value else {
            return value
        }
        switch description.columns[column].type {
        case .decimal where ColumnType.decimal.accepts(value):
            if let number = Int64(text) { return .integer(number) }
            return Double(text).map(Value.real) ?? value
        // What ``portable(_:_:)`` makes of a number, and no other text.
        case .text, .json:
            if let number = Int64(text), String(number) == text { return .integer(number) }
            guard let number = Double(text), number.isFinite, number.description == text else {
                return value
            }
            return .real(number)
        default: return value
        }
    }

    /// The same; `nil` for a key that no row can have, because its columns cannot store it.
    func storable(_ key: RowKey) throws -> [Value]? {
        do {
            return try stored(key)
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
            return nil
        }
    }

    /// A value as the column stores it.
    ///
    /// - Throws: `refused` when the column would change it.
    func stored(_ value: Value, in column: Int) throws -> Value {
        guard case .decimal = description.columns[column].type, case .text(let text) = value else {
            return value
        }
        switch affinities[column] {
        case .text, .blob: return value
        case .integer, .real, .numeric:
            // A binary double keeps 15 digits, and has a largest and a smallest number. SQLite
            // would round the rest without an error, and store infinity or 0.
            if Int64(text) != nil { return value }
            guard let digits = ColumnType.significantDigits(ofDecimal: text), digits <= 15,
                let number = Double(text), number.isFinite, digits == 0 || number.isNormal
            else {
                throw CentralError.decimalTooLong(
                    for: description.columns[column].name, of: table.name)
            }
            return value
        }
    }

    func portable(_ value: Value, _ type: ColumnType) -> Value {
        switch (type, value) {
        case (.decimal, .integer(let number)), (.json, .integer(let number)): .text(String(number))
        case (.json, .real(let number)): .text(number.description)
        case (.decimal, .real): ColumnType.decimal.normalized(value)
        case (.real, .integer(let number)): .real(Double(number))
        // A type with STRING in it has numeric affinity.
        case (.text, .integer(let number)): .text(String(number))
        // Infinity would be the text `inf`, which such a column may have, too.
        case (.text, .real(let number)) where number.isFinite: .text(number.description)
        case (.uuid, .blob(let bytes)) where bytes.count == 16: .text(UUIDText.text(bytes))
        default: value
        }
    }
}
