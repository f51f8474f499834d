public import MoorageCore

/// What the hub may do with a table's rows for the moment in which unique values change places
/// (docs/decisions/0048).
public struct SwapFacts: Sendable {
    /// The only values that some columns take, as far as no row holds them: labels, and keys of rows that a
    /// foreign key may point to where the database checks it at once.
    public let freeValues: [Int: [Value]]
    /// The columns of a row that is deleted and inserted again in one savepoint; `nil` where that would
    /// change more than the row: a trigger of the owner's, the action of a foreign key, a column that the
    /// hub does not know.
    public let columnsPutBack: [Int]?

    public init(freeValues: [Int: [Value]] = [:], columnsPutBack: [Int]? = nil) {
        self.freeValues = freeValues
        self.columnsPutBack = columnsPutBack
    }
}
