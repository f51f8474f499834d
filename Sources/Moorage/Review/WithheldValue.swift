public import MoorageCore

/// A value that this device, or any device, cannot store. The device keeps the row that it had.
public struct WithheldValue: Hashable, Sendable {
    /// The table's name at the hub.
    public let table: String
    /// The row's key, as the hub writes it.
    public let key: RowKey
    /// The column with the value, by its name at the hub.
    public let column: String
    /// Why it cannot be stored, in words.
    public let reason: String

    /// A value that no hub has, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - table: The table's name at the hub.
    ///   - key: The row's key.
    ///   - column: The column with the value.
    ///   - reason: Why it cannot be stored.
    public init(table: String, key: RowKey, column: String, reason: String) {
        self.table = table
        self.key = key
        self.column = column
        self.reason = reason
    }
}
