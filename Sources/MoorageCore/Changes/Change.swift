/// One row's change as a replica pushes it: the requested operation with the before-images.
package struct Change: Hashable, Sendable {
    /// The requested operation. Columns are positions in the table as replica and hub agreed on it.
    package enum Operation: Hashable, Sendable {
        /// The row as it is on the device; one value for each column.
        case insert([Value])
        /// The columns that differ from their before-images. The list may be empty: the row's log
        /// entry may have blocked a removal, and the answer brings the row as it is.
        case update([ColumnEdit])
        /// The row as it was before the first edit. A column that the device never had is NULL.
        case delete(before: [Value])
        /// The row was inserted and deleted again before a push. The change asks for nothing, but
        /// the hub answers with the row.
        case refetch
    }

    package let table: String
    package let key: RowKey
    package let operation: Operation
    /// When the row was last edited.
    package let editedAt: DeviceTime
    /// The hub may have seen this change already, under another replica's name or in another epoch.
    package let isAgain: Bool
    /// The hub takes all changes of one batch that have the same number, or none of them.
    package let group: Int?

    package init(
        table: String, key: RowKey, operation: Operation, editedAt: DeviceTime,
        isAgain: Bool = false,
        group: Int? = nil
    ) {
        self.table = table
        self.key = key
        self.operation = operation
        self.editedAt = editedAt
        self.isAgain = isAgain
        self.group = group
    }

    /// Whether the change cannot alter the row and only asks for it.
    package var isQuestion: Bool {
        switch operation {
        case .refetch: true
        case .update(let edits): !edits.contains(where: \.isChange)
        case .insert, .delete: false
        }
    }

    package var rowName: RowName { RowName(table: table, key: key) }

    /// Its fills: columns with what they had before they were synced.
    package var fills: [ColumnEdit] {
        if case .update(let edits) = operation { edits.filter(\.isFill) } else { [] }
    }

    /// Whether it has fills.
    package var hasFills: Bool {
        if case .update(let edits) = operation { edits.contains(where: \.isFill) } else { false }
    }

    /// The change with all of its edits, and with those of its fills that `isKept` takes.
    package func keepingFills(where isKept: (ColumnEdit) -> Bool) -> Change {
        guard case .update(let edits) = operation, hasFills else { return self }
        return Change(
            table: table, key: key,
            operation: .update(edits.filter { !$0.isFill || isKept($0) }), editedAt: editedAt,
            isAgain: isAgain, group: group)
    }

    /// How many bytes the change counts for in the limits of a batch.
    package var byteCount: Int {
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

/// One edited column: its before-image and its value now.
package struct ColumnEdit: Hashable, Sendable {
    package let column: Int
    package let old: Value
    package let new: Value
    /// Nobody edited the column: `new` is what it had before it was synced. The hub takes it only
    /// where the central value still equals `old`.
    package let isFill: Bool

    package init(column: Int, old: Value, new: Value, isFill: Bool = false) {
        self.column = column
        self.old = old
        self.new = new
        self.isFill = isFill
    }

    /// `false` for a column that the device left as it was. Where whole rows are merged, such a
    /// column tells the hub what the replica started from.
    package var isChange: Bool { old != new }
}
