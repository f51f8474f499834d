public import MoorageCore
import MoorageWire

/// One line of the conflict log: the values that met, the rule that decided, and what was refused.
public struct ConflictRecord: Hashable, Sendable {
    public let id: String
    public let replica: String
    public let batch: Int64
    public let table: String
    /// The row's key, as a JSON array.
    public let key: String
    public let kind: String
    public let rule: String?
    /// Columns with values, as JSON objects; `nil` for no row.
    public let base: String?
    public let mine: String?
    public let theirs: String?
    public let result: String?
    public let reasonCode: String?
    public let reason: String?
    public let editedAt: HubTime
    public let loggedAt: HubTime
    /// What somebody decided about it later; `nil` while it waits.
    public var decision: ConflictDecision?
    /// When it was decided; `nil` while it waits.
    public var decidedAt: HubTime?
}

/// What somebody decided about a logged conflict or refusal.
public enum ConflictDecision: String, Hashable, Sendable, CaseIterable {
    /// The replica's values were written again.
    case mine
    /// The central values from before the push were written again.
    case theirs
    /// The row is right as it is.
    case dismissed
}

extension Metadata {
    /// Logs a conflict. Where the database accepts no statement as large as the values, it logs the
    /// conflict without them: the device keeps them in its own list.
    func log(_ record: ConflictRecord) throws {
        do {
            try write(record, withValues: true)
        } catch let error as CentralError {
            guard case .refused(let refusal) = error.kind, refusal.code == .tooLarge else {
                throw error
            }
            try write(record, withValues: false)
        }
    }

    private func write(_ record: ConflictRecord, withValues: Bool) throws {
        func value(_ text: String?) -> Value { withValues ? optional(text) : .null }
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
                .text(record.key), .text(record.kind), optional(record.rule), value(record.base),
                value(record.mine), value(record.theirs), value(record.result),
                optional(record.reasonCode), optional(record.reason),
                .time(record.editedAt),
                .time(record.loggedAt),
            ])
    }
}

extension Array where Element == StoredValue {
    /// Columns by name with their values, as a JSON object.
    func jsonText(_ table: TableDescription) -> String {
        NamedValues(filter { table.columns.indices.contains($0.column) }, in: table).jsonText()
    }
}
