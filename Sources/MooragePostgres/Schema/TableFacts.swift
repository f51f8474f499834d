/// What the catalog says of a table as a whole.
struct TableFacts: Hashable, Sendable {
    let isPartitioned: Bool
    /// Triggers or rules of the owner's, or partitions that may have their own, stand between what is
    /// written to the table and what it keeps.
    let mayChangeRows: Bool
}
