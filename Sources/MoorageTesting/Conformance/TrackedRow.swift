public import MoorageCore
public import MoorageHub

/// What the tracking table records of a row in one scope.
public struct TrackedRow: Hashable, Sendable {
    /// The key of the row in its table.
    public let key: RowKey
    /// Whether the row is in the scope; `false` is a tombstone.
    public let isLive: Bool
    /// The version; `nil` when the row is not numbered yet.
    public let version: UInt64?
    /// Whether the row became live in the scope before the checkpoint that the query reads from:
    /// the replica may have it.
    public let wasLiveBefore: Bool
}

extension CentralConnection {
    /// Tracking rows of one table in one scope, in the query's order, without the rows that they
    /// track.
    public func trackedRows(
        _ table: AttachedTable, in scope: Scope, _ query: TrackingQuery, after: TrackingPosition?,
        limit: Int
    ) throws -> [TrackedRow] {
        let content = try content(
            table, columns: [], in: scope, query, after: after, limit: limit)
        return (0..<content.count).map { index in
            TrackedRow(
                key: table.description.key(content.keys[index]), isLive: content.isLive[index],
                version: content.versions[index], wasLiveBefore: content.wasLiveBefore[index])
        }
    }
}
