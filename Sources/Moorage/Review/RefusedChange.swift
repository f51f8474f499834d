public import Foundation
public import MoorageCore

/// A change that the hub, or this device, did not accept.
public struct RefusedChange: Hashable, Sendable, Identifiable {
    /// Its number in this file, which no other refused change gets.
    public let id: Int64
    /// The table's name at the hub.
    public let table: String
    /// The row's key, as the hub writes it.
    public let key: RowKey
    /// What the change wanted to do to its row.
    public let kind: ChangeKind
    /// Values of the row, or of its edited columns, before the change; by column.
    public let before: [String: Value]
    /// What the change asked for; by column.
    public let after: [String: Value]
    /// The whole row as it was here, if an update did not find it at the hub.
    public let row: [String: Value]?
    /// Why it was refused, as a code that stays the same in every version.
    public let code: Refusal.Code
    /// Why it was refused, and what to do, in words.
    public let message: String
    /// When the answer came, by the device's clock.
    public let at: Date
    /// Whether the change is still in the log, and is sent once its row is fixed.
    public let isBlocked: Bool
    /// The same for all changes of a group that was refused as one; `nil` for a change by itself.
    public let group: String?

    /// A change that no file has, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - id: Its number in the list.
    ///   - table: The table's name at the hub.
    ///   - key: The row's key.
    ///   - kind: What the change wanted to do to its row.
    ///   - before: Values before the change, by column.
    ///   - after: What the change asked for, by column.
    ///   - row: The whole row, if an update did not find it at the hub.
    ///   - code: Why it was refused.
    ///   - message: The same in words.
    ///   - at: When the answer came.
    ///   - isBlocked: Whether it is still in the log.
    ///   - group: The same for all changes of a group.
    public init(
        id: Int64, table: String, key: RowKey, kind: ChangeKind, before: [String: Value] = [:],
        after: [String: Value] = [:], row: [String: Value]? = nil, code: Refusal.Code,
        message: String, at: Date, isBlocked: Bool = false, group: String? = nil
    ) {
        self.id = id
        self.table = table
        self.key = key
        self.kind = kind
        self.before = before
        self.after = after
        self.row = row
        self.code = code
        self.message = message
        self.at = at
        self.isBlocked = isBlocked
        self.group = group
    }
}
