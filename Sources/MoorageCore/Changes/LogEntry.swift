/// One row of a device's log `_moorage_log_…`, as its triggers wrote it.
package struct LogEntry: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case insert
        /// The columns that the update changed, with their values before it.
        case update([OldValue])
        /// Columns whose values here nobody edited, with the hub's values. The page that brought
        /// these left the values that the columns had before they were synced.
        case fill([OldValue])
        /// The whole row before it was deleted.
        case delete([Value])
        /// A whole row that collided with another one on its key or a unique index. `REPLACE` may
        /// have removed it without a delete trigger.
        case candidate([Value])
    }

    package let kind: Kind
    /// When the trigger wrote it.
    package let at: DeviceTime
    /// The entry comes from a change that was sent under another name or in another epoch.
    package let isAgain: Bool
    /// The columns that the table did not have when its row was inserted, deleted or replaced. What
    /// a deleted row says of them is NULL, and nothing that it had. What they have after an insert
    /// is not of that insert.
    package let unknownColumns: Set<Int>

    package init(
        kind: Kind, at: DeviceTime, isAgain: Bool = false, unknownColumns: Set<Int> = []
    ) {
        self.kind = kind
        self.at = at
        self.isAgain = isAgain
        self.unknownColumns = unknownColumns
    }
}

/// The value of a column before an edit.
package struct OldValue: Hashable, Sendable {
    package let column: Int
    package let value: Value
    /// Nobody edited the column: see ``ColumnEdit/isFill``.
    package let isFill: Bool

    package init(column: Int, value: Value, isFill: Bool = false) {
        self.column = column
        self.value = value
        self.isFill = isFill
    }
}
