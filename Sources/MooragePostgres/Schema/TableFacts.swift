/// What the catalog says of a table as a whole.
struct TableFacts: Hashable, Sendable {
    let isPartitioned: Bool
    /// Triggers or rules of the owner's may change what is written to the table, or partitions may
    /// have their own.
    let mayChangeRows: Bool
}
