package import MoorageCore

/// Asks for one page of a table as the hub has it.
package struct CompareRequest: Hashable, Sendable {
    package let replica: String
    /// As in ``ExchangeRequest/formerly``.
    package let formerly: String?
    /// The user's digest from the last welcome.
    package let user: String?
    /// As in ``ExchangeRequest/clientVersion``.
    package var clientVersion: String?
    package let table: TableColumns
    /// The last key of the page before; `nil` for the first.
    package let after: RowKey?
    package let maximumRows: Int
    /// What the replica has read. Rows beyond it are marked, because they may rightly differ.
    package let cursor: SyncCursor
    /// Whether rows come whole, or only as fingerprints.
    package let withValues: Bool

    package init(
        replica: String, formerly: String? = nil, user: String? = nil, table: TableColumns,
        after: RowKey?, maximumRows: Int, cursor: SyncCursor, withValues: Bool
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
package struct CompareAnswer: Hashable, Sendable {
    package let rows: [ComparedRow]
    /// Where the next page begins; `nil` when this was the last.
    package let next: RowKey?

    package init(rows: [ComparedRow], next: RowKey?) {
        self.rows = rows
        self.next = next
    }
}

/// One row of the hub, to be compared with a replica's.
package struct ComparedRow: Hashable, Sendable {
    package let key: RowKey
    /// ``TableDescription/fingerprint(of:)``; `nil` for a row that was deleted beyond the replica's
    /// cursor, and for one that is withheld.
    package let fingerprint: String?
    /// The row, if the request asked for values.
    package let values: [Value]?
    /// Whether the row changed at the hub beyond the replica's cursor.
    package let isBeyondCursor: Bool
    /// Whether the row has a value that a device cannot store.
    package let isWithheld: Bool

    package init(
        key: RowKey, fingerprint: String?, values: [Value]?, isBeyondCursor: Bool,
        isWithheld: Bool = false
    ) {
        self.key = key
        self.fingerprint = fingerprint
        self.values = values
        self.isBeyondCursor = isBeyondCursor
        self.isWithheld = isWithheld
    }
}
