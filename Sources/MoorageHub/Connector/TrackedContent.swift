public import MoorageCore

/// Tracking rows of one table in one scope, each with the row that it speaks of, all of it column by
/// column: between a database's answer and a page's frame no row is an object of its own.
public struct TrackedContent: Sendable {
    /// The keys' columns, in the key's order.
    public let keys: RowColumns
    public let isLive: [Bool]
    /// The versions; `nil` where a row is not numbered yet.
    public let versions: [UInt64?]
    /// The row became live in the scope before the checkpoint that the query reads from: the replica may
    /// hold it.
    public let wasLiveBefore: [Bool]
    /// Whether the row is live in the scope, and is there.
    public let isFound: [Bool]
    /// The rows' columns as they were asked for; NULLs where a row is not found.
    public let rows: RowColumns
    /// More has no number yet than can be read, and was left out: the replica cannot catch up with it. Never
    /// so where the query has a target.
    public let isPartial: Bool

    /// - Precondition: As many entries in each; `rows` may have no columns.
    public init(
        keys: RowColumns, isLive: [Bool], versions: [UInt64?], wasLiveBefore: [Bool],
        isFound: [Bool], rows: RowColumns, isPartial: Bool = false
    ) {
        precondition(
            [isLive.count, versions.count, wasLiveBefore.count, isFound.count]
                .allSatisfy { $0 == keys.count })
        self.keys = keys
        self.isLive = isLive
        self.versions = versions
        self.wasLiveBefore = wasLiveBefore
        self.isFound = isFound
        self.rows = rows
        self.isPartial = isPartial
    }

    public var count: Int { isLive.count }
}
