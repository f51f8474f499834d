public import MoorageCore

/// What the hub may do with a table's rows while unique values change places (docs/decisions/0048).
public struct SwapFacts: Sendable {
    /// For columns that accept only certain values, those that the hub may try: all labels, or
    /// keys of parent rows to which no row of the table refers yet. A foreign key may point only to such keys, where the database checks it
    /// at once.
    public let freeValues: [Int: [Value]]
    /// The columns of a row that is deleted and inserted again in one savepoint. `nil` where that
    /// would change more than the row. The reason is a trigger of the owner's, a foreign key's
    /// action, or a column that the hub does not know.
    public let columnsPutBack: [Int]?

    /// - Parameters:
    ///   - freeValues: By column number. Leave out columns that accept any value of their type.
    ///   - columnsPutBack: Column numbers, without generated columns.
    public init(freeValues: [Int: [Value]] = [:], columnsPutBack: [Int]? = nil) {
        self.freeValues = freeValues
        self.columnsPutBack = columnsPutBack
    }
}
