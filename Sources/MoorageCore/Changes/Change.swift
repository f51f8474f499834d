/// One row's change as a replica pushes it: what is asked for, and what the row held before.
public struct Change: Hashable, Sendable {
    /// What is asked for. Columns are positions in the table as replica and hub agreed on it.
    public enum Operation: Hashable, Sendable {
        /// The row as it is on the device; one value for each column.
        case insert([Value])
        /// The columns that differ from what they held before the first edit. It may be none: a
        /// removal may have been held back for the row, and the answer settles it.
        case update([ColumnEdit])
        /// The row as it was before the first edit; a column that the device never held is NULL.
        case delete(before: [Value])
        /// Inserted and deleted again, both not yet pushed: nothing is asked for, but the row is
        /// answered.
        case refetch
    }

    public let table: String
    public let key: Key
    public let operation: Operation
    /// When the row was last edited.
    public let editedAt: DeviceTime
    /// The hub may have seen this change already, under another replica's name or in another epoch.
    public let isAgain: Bool
    /// Changes of one batch with the same number are taken all, or none of them is.
    public let group: Int?

    public init(
        table: String, key: Key, operation: Operation, editedAt: DeviceTime, isAgain: Bool = false,
        group: Int? = nil
    ) {
        self.table = table
        self.key = key
        self.operation = operation
        self.editedAt = editedAt
        self.isAgain = isAgain
        self.group = group
    }

    /// Whether nothing would change by it: the row is asked about.
    public var isQuestion: Bool {
        switch operation {
        case .refetch: true
        case .update(let edits): !edits.contains(where: \.isChange)
        case .insert, .delete: false
        }
    }

    public var rowName: RowName { RowName(table: table, key: key) }

    /// What the change weighs in the limits of a batch.
    public var byteCount: Int {
        let values: Int
        switch operation {
        case .insert(let row), .delete(let row): values = row.reduce(0) { $0 + $1.byteCount }
        case .update(let edits):
            values = edits.reduce(0) { $0 + $1.old.byteCount + $1.new.byteCount + 16 }
        case .refetch: values = 0
        }
        return table.utf8.count + key.byteCount + values + 32
    }
}

/// One edited column: what it held before the first edit, and what it holds now.
public struct ColumnEdit: Hashable, Sendable {
    public let column: Int
    public let old: Value
    public let new: Value

    public init(column: Int, old: Value, new: Value) {
        self.column = column
        self.old = old
        self.new = new
    }

    /// `false` for one that tells, where whole rows are merged, what the replica saw and left.
    public var isChange: Bool { old != new }
}
