public import MoorageCore

/// A row in which replica and hub differ.
public struct RowDifference: Hashable, Sendable {
    /// How a row differs.
    public enum Kind: String, Hashable, Sendable {
        /// The hub has the row, and the replica does not.
        case missingHere
        /// The replica has the row, and the hub does not.
        case missingThere
        /// Both have the row, with other values.
        case differs
    }

    /// The table's name at the hub.
    public let table: String
    /// The row's key, as the hub writes it.
    public let key: RowKey
    /// How the row differs.
    public let kind: Kind

    /// A difference that no replica has, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - table: The table's name at the hub.
    ///   - key: The row's key.
    ///   - kind: How the row differs.
    public init(table: String, key: RowKey, kind: Kind) {
        self.table = table
        self.key = key
        self.kind = kind
    }
}
