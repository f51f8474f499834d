public import Foundation
public import MoorageCore

/// A change of this device that lost against another, wholly or in part.
public struct OverruledChange: Hashable, Sendable, Identifiable {
    /// Its number in this file, which no other overruled change gets.
    public let id: Int64
    /// The table's name at the hub.
    public let table: String
    /// The row's key, as the hub writes it.
    public let key: RowKey
    /// What the change wanted to do to its row.
    public let kind: ChangeKind
    /// Values of the columns in conflict before the edit; `nil` when there was no row.
    public let base: [String: Value]?
    /// What the change asked for; `nil` for a deletion.
    public let mine: [String: Value]?
    /// Values of the central row; `nil` when there was no row.
    public let theirs: [String: Value]?
    /// Values of the row after the merge; `nil` when there is no row.
    public let result: [String: Value]?
    /// The hub's rule that decided it.
    public let rule: String?
    /// When the answer came, by the device's clock.
    public let at: Date

    /// A change that no file has, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - id: Its number in the list.
    ///   - table: The table's name at the hub.
    ///   - key: The row's key.
    ///   - kind: What the change wanted to do to its row.
    ///   - base: Values before the edit, by column.
    ///   - mine: What the change asked for, by column.
    ///   - theirs: Values of the central row, by column.
    ///   - result: Values after the merge, by column.
    ///   - rule: The hub's rule that decided it.
    ///   - at: When the answer came.
    public init(
        id: Int64, table: String, key: RowKey, kind: ChangeKind, base: [String: Value]? = nil,
        mine: [String: Value]? = nil, theirs: [String: Value]? = nil,
        result: [String: Value]? = nil, rule: String? = nil, at: Date
    ) {
        self.id = id
        self.table = table
        self.key = key
        self.kind = kind
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.result = result
        self.rule = rule
        self.at = at
    }
}
