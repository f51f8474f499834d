import MoorageCore
import MoorageWire

/// One line of the conflict log: what met, by which rule it was settled, and what was refused.
public struct ConflictRecord: Hashable, Sendable {
    public let id: String
    public let replica: String
    public let batch: Int64
    public let table: String
    /// The row's key, as a JSON array.
    public let key: String
    public let kind: String
    public let rule: String?
    /// Columns with values, as JSON objects; `nil` stands for no row.
    public let base: String?
    public let mine: String?
    public let theirs: String?
    public let result: String?
    public let reasonCode: String?
    public let reason: String?
    public let editedAt: Int64
    public let loggedAt: Int64
}

extension Metadata {
    func log(_ record: ConflictRecord) throws {
        func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
        _ = try connection.run(
            """
            INSERT INTO moorage_conflict
              (id, replica, batch, table_name, row_key, kind, rule, base, mine, theirs, result,
               reason_code, reason, edited_at, logged_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(record.id), .text(record.replica), .integer(record.batch),
                .text(record.table),
                .text(record.key), .text(record.kind), optional(record.rule), optional(record.base),
                optional(record.mine), optional(record.theirs), optional(record.result),
                optional(record.reasonCode), optional(record.reason), .integer(record.editedAt),
                .integer(record.loggedAt),
            ])
    }

    /// The newest conflicts first.
    func conflicts(limit: Int) throws -> [ConflictRecord] {
        let rows = try connection.run(
            """
            SELECT id, replica, batch, table_name, row_key, kind, rule, base, mine, theirs, result,
                   reason_code, reason, edited_at, logged_at
            FROM moorage_conflict ORDER BY logged_at DESC, id DESC LIMIT ?
            """, [.integer(Int64(limit))])
        return rows.compactMap { row in
            guard row.count == 15 else { return nil }
            func text(_ index: Int) -> String? {
                if case .text(let text) = row[index] { text } else { nil }
            }
            func integer(_ index: Int) -> Int64 {
                if case .integer(let number) = row[index] { number } else { 0 }
            }
            return ConflictRecord(
                id: text(0) ?? "", replica: text(1) ?? "", batch: integer(2), table: text(3) ?? "",
                key: text(4) ?? "", kind: text(5) ?? "", rule: text(6), base: text(7),
                mine: text(8),
                theirs: text(9), result: text(10), reasonCode: text(11), reason: text(12),
                editedAt: integer(13), loggedAt: integer(14))
        }
    }
}

extension Array where Element == StoredValue {
    /// Columns by name with their values, as a JSON object.
    func jsonText(_ table: TableDescription) -> String {
        var writer = JSONWriter()
        writer.object {
            for stored in self where table.columns.indices.contains(stored.column) {
                $0.name(table.columns[stored.column].name)
                $0.encoded(Array<UInt8>([stored.value].jsonText().utf8.dropFirst().dropLast()))
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
