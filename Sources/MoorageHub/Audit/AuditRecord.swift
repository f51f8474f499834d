public import MoorageCore
import MoorageWire

/// One change that a replica pushed: who, when, to which row, and what became of it. No values.
public struct AuditRecord: Hashable, Sendable, Identifiable {
    public let id: String
    /// When the hub took it.
    public let at: HubTime
    /// The user; `nil` for a replica without one.
    public let subject: String?
    /// The id of the replica that pushed the change.
    public let replica: String
    /// The number of the replica's batch that contained the change.
    public let batch: Int64
    /// The name of the row's table.
    public let table: String
    /// The row's key, as a JSON array.
    public let key: String
    /// `insert`, `update` or `delete`.
    public let operation: String
    /// The columns of an update, as a JSON array of names; `nil` otherwise.
    public let columns: String?
    /// `applied`, `merged`, `overruled` or `refused`.
    public let outcome: String
}

extension AuditRecord {
    /// - Parameter table: The change's table, as the replica has it.
    /// - Returns: `nil` for a change that writes nothing: a refetch, or an update without new
    ///   values.
    init?(
        _ change: Change, in table: RequestedTable?, _ outcome: Outcome, at index: Int,
        of batch: Batch, named name: String, by subject: String?, replica: String, now: HubTime
    ) {
        let operation: String
        var columns: String?
        switch change.operation {
        case .refetch: return nil
        case .insert: operation = "insert"
        case .delete: operation = "delete"
        case .update(let edits):
            let edited = edits.filter(\.isChange)
            if edited.isEmpty { return nil }
            operation = "update"
            let names = table?.restricted.columns.map(\.name) ?? []
            columns = edited.compactMap { edit -> Value? in
                names.indices.contains(edit.column) ? .text(names[edit.column]) : nil
            }.jsonText()
        }
        self.init(
            id: "\(name)-\(index)", at: now, subject: subject, replica: replica,
            batch: batch.number, table: table?.attached.name ?? change.table,
            key: change.key.values.jsonText(),
            operation: operation, columns: columns, outcome: outcome.kind.auditWord)
    }
}

extension Outcome.Kind {
    fileprivate var auditWord: String {
        switch self {
        case .applied: "applied"
        case .merged: "merged"
        case .overruled: "overruled"
        case .refused: "refused"
        }
    }
}

/// Selects lines of the audit trail. A property that is `nil` selects every value.
public struct AuditFilter: Hashable, Sendable {
    /// Only changes of this user.
    public var subject: String?
    /// Only changes of the replica with this whole id.
    public var replica: String?
    /// Only changes of rows in this table.
    public var table: String?
    /// The row's key, as a JSON array.
    public var key: String?
    /// Only lines of this time or later.
    public var since: HubTime?

    /// Selects every line.
    public init() {}
}
