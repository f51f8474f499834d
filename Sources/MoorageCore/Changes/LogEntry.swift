/// One row of a device's log `_moorage_log_…`, as its triggers wrote it.
public struct LogEntry: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case insert
        /// The columns that the update changed, with what they held before.
        case update([OldValue])
        /// The whole row before it went.
        case delete([Value])
        /// A row that stood in the way of another by key or unique index, and may have been
        /// replaced without a delete trigger: the whole row as it was.
        case candidate([Value])
    }

    public let kind: Kind
    /// When the trigger wrote it.
    public let at: DeviceTime
    /// Carried from a change that was sent under another name or in another epoch.
    public let isAgain: Bool

    public init(kind: Kind, at: DeviceTime, isAgain: Bool = false) {
        self.kind = kind
        self.at = at
        self.isAgain = isAgain
    }
}

/// What a column held before an edit.
public struct OldValue: Hashable, Sendable {
    public let column: Int
    public let value: Value

    public init(column: Int, value: Value) {
        self.column = column
        self.value = value
    }
}
