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
            try decoder.decode(Record.self, from: data).databaseDictionary
        }
    }

    func json(of row: Row, _ encoder: JSONEncoder) throws -> Data { try encode(row, encoder) }

    func columns(of json: Data, _ decoder: JSONDecoder) throws -> [String: DatabaseValue] {
        try decode(json, decoder)
    }

    /// The values of a row that the record knows.
    func columns(of row: Row) throws -> [String: DatabaseValue] { try known(row) }
}
