import Foundation
import GRDB
import Moorage
import MoorageCore

/// A row by the columns of its table; `nil` for a column that the record does not know.
typealias RowValues = [Value?]

/// A table with the record that is its JSON.
struct RESTTable: Sendable {
    let described: DescribedTable
    let coder: RecordCoder
    let encoder: @Sendable () -> JSONEncoder
    let decoder: @Sendable () -> JSONDecoder
    /// The member with a row's id.
    let id: String
    let ids: RESTSettings.IDs
    let conflicts: RESTConflictRule

    var description: TableDescription { described.description }
    var name: String { description.name }

    // MARK: Rows as JSON

    /// A row as an object.
    func json(of values: RowValues) throws(RowFault) -> JSON {
        do {
            let data = try coder.json(of: row(values), encoder())
            let json = try JSON(parsing: [UInt8](data))
            guard json.members != nil else { throw RowFault("The record is no JSON object.") }
            return json
        } catch { throw RowFault(error, reading: name) }
    }

    /// A row of an object.
    func values(of json: JSON) throws(RowFault) -> RowValues {
        let columns: [String: DatabaseValue]
        do { columns = try coder.columns(of: Data(json.bytes), decoder()) } catch {
            throw RowFault(error, reading: name)
        }
        return values(of: columns)
    }

    /// The values of columns by their names. SQLite takes `A` to `Z` for `a` to `z` in names.
    func values(of columns: [String: DatabaseValue]) -> RowValues {
        var byName: [String: DatabaseValue] = [:]
        for (name, value) in columns { byName[name.lowercased()] = value }
        return description.columns.indices.map { column in
            byName[description.columns[column].name.lowercased()].map {
                let value = Value.fromDatabaseValue($0) ?? .null
                return described.portable(value, column: column)
            }
        }
    }

    /// The row as GRDB reads it from the file.
    func row(_ values: RowValues) -> Row {
        var columns: [String: (any DatabaseValueConvertible)?] = [:]
        for (column, value) in values.enumerated() {
            guard let value else { continue }
            columns[description.columns[column].name] = described.local(value, column: column)
        }
        return Row(columns)
    }

    // MARK: Keys

    /// The key of a row; `nil` if a part of it is missing or NULL.
    func key(of values: RowValues) -> RowKey? {
        let key = description.primaryKey.compactMap { values[$0] }
        guard key.count == description.primaryKey.count, !key.contains(where: \.isNull) else {
            return nil
        }
        return description.key(key)
    }

    /// The key that an id means.
    func key(id: JSON) -> RowKey? {
        guard let column = description.primaryKey.first, let text = id.addressText else {
            return nil
        }
        let value: Value
        switch description.columns[column].type {
        case .integer:
            guard let number = Int64(text) else { return nil }
            value = .integer(number)
        case .blob:
            // A column of a type that SQLite does not know, such as STRING, may have texts.
            value = UUIDText.bytes(text).map { .blob($0) } ?? .text(text)
        default: value = .text(text)
        }
        return description.key([value])
    }

    /// An id of an address as a body has it.
    func json(id text: String) -> JSON {
        let type = description.primaryKey.first.map { description.columns[$0].type }
        guard type != .text, let number = Int64(text) else { return .string(text) }
        return .number(String(number))
    }

    /// The id in an address; `nil` for a key that no address can have.
    static func id(of key: RowKey) -> String? {
        guard key.values.count == 1, let value = key.values.first else { return nil }
        switch value {
        case .integer(let number): return String(number)
        case .text(let text):
            // A program between the two may resolve these.
            return ["", ".", ".."].contains(text) ? nil : text
        // As Foundation writes a UUID.
        case .blob(let bytes):
            return bytes.count == 16 ? UUIDText.text(bytes).uppercased() : nil
        case .null, .real: return nil
        }
    }
}
