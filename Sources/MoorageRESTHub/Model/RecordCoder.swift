import Foundation
import GRDB

/// A record's way from a row to JSON and back, without its type.
struct RecordCoder: Sendable {
    let table: String
    private let encode: @Sendable (Row, JSONEncoder) throws -> Data
    private let known: @Sendable (Row) throws -> [String: DatabaseValue]
    private let decode: @Sendable (Data, JSONDecoder) throws -> [String: DatabaseValue]

    init<Record: RESTRecord>(_ record: Record.Type) {
        table = Record.databaseTableName
        encode = { row, encoder in try encoder.encode(Record(row: row)) }
        known = { row in try Record(row: row).databaseDictionary }
        decode = { data, decoder in
            let record = try decoder.decode(Record.self, from: data)
            if Self.hasLongNumber(data) { try Self.checkNumbers(of: record) }
            return try record.databaseDictionary
        }
    }

    /// Whether as many digits follow each other as the greatest number of SQLite has.
    private static func hasLongNumber(_ json: Data) -> Bool {
        var count = 0
        for byte in json {
            count = (0x30...0x39).contains(byte) ? count + 1 : 0
            if count == 19 { return true }
        }
        return false
    }

    /// GRDB ends the process for an unsigned number that SQLite cannot store.
    private static func checkNumbers(of record: some Any) throws {
        for (name, value) in Mirror(reflecting: record).children {
            let number: UInt64? =
                switch value {
                case let value as UInt64: value
                case let value as UInt: UInt64(value)
                default: nil
                }
            if let number, number > UInt64(Int64.max) {
                throw RowFault("The member \(name ?? "") has a number that is too large.")
            }
        }
    }

    func json(of row: Row, _ encoder: JSONEncoder) throws -> Data { try encode(row, encoder) }

    func columns(of json: Data, _ decoder: JSONDecoder) throws -> [String: DatabaseValue] {
        try decode(json, decoder)
    }

    /// The values of a row that the record knows.
    func columns(of row: Row) throws -> [String: DatabaseValue] { try known(row) }
}
