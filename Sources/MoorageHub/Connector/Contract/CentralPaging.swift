public import MoorageCore

/// What replicas read: changed rows page by page, rows by key, and rows to compare.
public protocol CentralPaging: AnyObject {
    /// Of these scopes, those in which rows of a table changed beyond the checkpoint, as the snapshot shows them: one
    /// look at an index for each.
    func changedScopes(
        _ table: AttachedTable, among scopes: Set<Scope>, beyond checkpoint: Checkpoint
    ) throws
        -> Set<Scope>
    /// Tracking rows of one table in one scope, in the query's order, with the rows that they speak of.
    ///
    /// - Parameters:
    ///   - columns: Which columns of the rows to read, by their places in the description; with none
    ///     the rows are not looked for, and none is found.
    ///   - after: Where to go on; `nil` from the beginning.
    ///   - limit: How many at most.
    func content(
        _ table: AttachedTable, columns: [Int], in scope: Scope, _ query: TrackingQuery,
        after: TrackingPosition?, limit: Int
    ) throws -> TrackedContent
    /// About how many tracking rows a query has in all.
    func countTracked(_ table: AttachedTable, in scope: Scope, _ query: TrackingQuery) throws -> Int
    /// The rows of these keys that live in one of the scopes, in no order.
    func rows(_ table: AttachedTable, keys: [Key], in scopes: Set<Scope>) throws -> [[Value]]
    /// Of these keys, those of rows that are in one of the scopes, and for which the checkpoint accounts in none:
    /// a reader of what changes beyond the checkpoint may not hear that they went. They came beyond it, or, where the
    /// tracking row of a row without a number is a tombstone still, came again and may go before they get one.
    func newcomers(
        _ table: AttachedTable, among keys: [Key], in scopes: Set<Scope>,
        beyond checkpoint: Checkpoint
    ) throws -> Set<Key>
    /// A table's rows in one of the scopes, in key order, for comparing; and whether each changed
    /// beyond the checkpoint. Keys deleted beyond the checkpoint come without a row. With no checkpoint nothing changed
    /// beyond it.
    func rows(
        _ table: AttachedTable, after: Key?, limit: Int, in scopes: ComparedScopes,
        beyond checkpoint: Checkpoint?
    ) throws -> [ComparedCentralRow]
}
