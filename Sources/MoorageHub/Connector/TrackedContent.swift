public import MoorageCore

/// Tracking rows of one table in one scope, each with its row, all of it column by column. So no
/// row is an object of its own between a database's answer and a page's frame.
public struct TrackedContent: Sendable {
    /// The keys' columns, in the key's order. Reading continues behind a key as it is here, so it
    /// need not be in its normal form.
    public let keys: RowColumns
    /// Whether each tracking row is live; `false` for a tombstone.
    public let isLive: [Bool]
    /// The versions; `nil` where a row is not numbered yet.
    public let versions: [UInt64?]
    /// Whether the row became live in the scope before the checkpoint that the query reads from.
    /// The replica may have it then.
    public let wasLiveBefore: [Bool]
    /// Whether the row is live in the scope, and is there.
    public let isFound: [Bool]
    /// The rows' columns as they were asked for; NULLs where a row is not found.
    public let rows: RowColumns
    /// Whether the answer leaves out rows without a number because there are more than can be read.
    /// The replica cannot catch up with it then. Always `false` where the query has an upper bound.
    public let isPartial: Bool

    /// - Precondition: All have the same number of entries; `rows` may have no columns.
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

    /// How many tracking rows these are, with or without a row that was found.
    public var count: Int { isLive.count }
}
