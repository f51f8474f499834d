public import MoorageCore

/// Asks for one page of a table as the hub has it.
public struct CompareRequest: Hashable, Sendable {
    public let replica: String
    /// As in ``ExchangeRequest/formerly``.
    public let formerly: String?
    /// The user's digest from the last welcome.
    public let user: String?
    public let table: TableColumns
    /// The last key of the page before; `nil` for the first.
    public let after: Key?
    public let maximumRows: Int
    /// What the replica has read. Rows beyond it are marked, because they may rightly differ.
    public let cursor: SyncCursor
    /// Whether rows come whole, or only as fingerprints.
    public let withValues: Bool

    public init(
        replica: String, formerly: String? = nil, user: String? = nil, table: TableColumns,
        after: Key?, maximumRows: Int, cursor: SyncCursor, withValues: Bool
    ) {
        self.replica = replica
        self.formerly = formerly
        self.user = user
        self.table = table
        self.after = after
        self.maximumRows = maximumRows
        self.cursor = cursor
        self.withValues = withValues
    }
}

/// One page of a table, in key order.
public struct CompareAnswer: Hashable, Sendable {
    public let rows: [ComparedRow]
    /// Where the next page begins; `nil` when this was the last.
    public let next: Key?

    public init(rows: [ComparedRow], next: Key?) {
        self.rows = rows
        self.next = next
    }
}

/// One row of the hub, to be compared with a replica's.
public struct ComparedRow: Hashable, Sendable {
    public let key: Key
    /// ``TableDescription/fingerprint(of:)``; `nil` for a row that was deleted beyond the replica's
    /// cursor, and for one that is withheld.
    public let fingerprint: String?
    /// The row, if the request asked for values.
    public let values: [Value]?
    /// Whether the row changed at the hub beyond the replica's cursor.
    public let isBeyondCursor: Bool
    /// Whether the row has a value that a device cannot store.
    public let isWithheld: Bool

    public init(
        key: Key, fingerprint: String?, values: [Value]?, isBeyondCursor: Bool,
        isWithheld: Bool = false
    ) {
        self.key = key
        self.fingerprint = fingerprint
        self.values = values
        self.isBeyondCursor = isBeyondCursor
        self.isWithheld = isWithheld
    }
}
