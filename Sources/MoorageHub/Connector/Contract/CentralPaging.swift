public import MoorageCore

/// What replicas read: changed rows page by page, rows by key, and rows to compare.
public protocol CentralPaging: AnyObject {
    /// The scopes among these in which rows of a table changed beyond the checkpoint, as the
    /// snapshot shows them. It costs one index lookup for each scope.
    func changedScopes(
        _ table: AttachedTable, among scopes: Set<Scope>, beyond checkpoint: Checkpoint
    ) throws
        -> Set<Scope>
    /// Tracking rows of one table in one scope, in the query's order, with their rows.
    ///
    /// - Parameters:
    ///   - columns: Which columns of the rows to read, by their places in the description. If it is
    ///     empty, the rows are not read, and none counts as found.
    ///   - after: Where to continue, with a key of an earlier answer as it was there; `nil` from the
    ///     beginning.
    ///   - limit: How many at most.
    func content(
        _ table: AttachedTable, columns: [Int], in scope: Scope, _ query: TrackingQuery,
        after: TrackingPosition?, limit: Int
    ) throws -> TrackedContent
    /// About how many tracking rows a query has in total.
    func countTracked(_ table: AttachedTable, in scope: Scope, _ query: TrackingQuery) throws -> Int
    /// The rows of these keys that are live in one of the scopes, in any order.
    func rows(_ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>) throws -> [[Value]]
    /// The keys among these of rows that are live in one of the scopes, and that came into no scope
    /// by the checkpoint. A reader of what changes beyond the checkpoint may never learn that such
    /// a row was removed.
    ///
    /// Most of these rows came beyond the checkpoint. A row without a number may have come back,
    /// while its tracking row is still a tombstone. It may be removed again before it gets a
    /// number.
    func newcomers(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        beyond checkpoint: Checkpoint
    ) throws -> Set<RowKey>
    /// The keys among these of rows that had come into one of the scopes by the checkpoint, as far
    /// as the tracking rows remember. They may be gone now.
    func known(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        by checkpoint: Checkpoint
    ) throws -> Set<RowKey>
    /// A table's rows in one of the scopes, in key order, for comparing, and whether each changed
    /// beyond the checkpoint. Keys that were deleted beyond the checkpoint come without a row.
    /// Without a checkpoint nothing changed beyond it.
    ///
    /// - Parameter after: The last key of an earlier answer, as it was there.
    func rows(
        _ table: AttachedTable, after: RowKey?, limit: Int, in scopes: ComparedScopes,
        beyond checkpoint: Checkpoint?
    ) throws -> [ComparedCentralRow]
}
