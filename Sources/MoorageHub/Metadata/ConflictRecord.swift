public import MoorageCore
import MoorageWire

/// One line of the conflict log: the values that met, the rule that decided, and what was refused.
public struct ConflictRecord: Hashable, Sendable {
    /// Identifies the line: hexadecimal digits and hyphens. ``Hub/conflict(id:)`` accepts a
    /// beginning of it.
    public let id: String
    /// The id of the replica that pushed the change.
    public let replica: String
    /// The number of the replica's batch that contained the change.
    public let batch: Int64
    /// The name of the row's table.
    public let table: String
    /// The row's key, as a JSON array.
    public let key: String
    /// The raw value of a ``Conflict/Kind``, such as `updateDelete`: first what the replica did,
    /// then what had happened centrally. `refused` is a refusal.
    public let kind: String
    /// The name of the merge rule that decided, such as `newest`; `nil` where no rule did.
    public let rule: String?
    /// What the replica's edit started from, as a JSON object of columns with values.
    ///
    /// It is `nil` for an insert, and for a row that the cascade of a delete reached. Values that
    /// are too large for the database to log leave all four properties `nil`: ``base``, ``mine``,
    /// ``theirs`` and ``result``.
    public let base: String?
    /// What the replica asked for, in the form of ``base``; `nil` for a delete.
    public let mine: String?
    /// The central values before the push, in the form of ``base``. It is `nil` for no row, and for
    /// a change that was refused before its row was read.
    public let theirs: String?
    /// The values that remained, in the form of ``base``; `nil` where no row did, and as for
    /// ``theirs``.
    public let result: String?
    /// The code of the refusal, as on the wire; `nil` where the change was not refused.
    public let reasonCode: String?
    /// The refusal in words, without values; `nil` where the change was not refused.
    public let reason: String?
    /// When the replica made the change, corrected to the hub's clock.
    public let editedAt: HubTime
    /// When the hub logged it, by the central database's clock.
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
    /// The central values from before the push were written again. A refused change wrote nothing,
    /// so the row may stay as it is.
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
