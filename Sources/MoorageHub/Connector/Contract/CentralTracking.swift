public import MoorageCore

/// The tracking tables, functions and triggers of attached tables.
public protocol CentralTracking: AnyObject {
    /// Why attached tables are not tracked any more, by their numbers. One of Moorage's triggers is
    /// missing, is disabled, or belongs to another table that had its name before. It covers what
    /// the role may see, and says nothing about a table that is gone.
    func trackingProblems() throws -> [Int: String]
    /// The statements that track a table: its tracking table, functions and triggers. Repeatable.
    /// Existing rows get their tracking rows by ``fillTracking(_:batch:progress:)``.
    ///
    /// - Parameter previous: The table as it was attached before, if it was.
    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String]
    /// Gives a tracking row to each row that has none, in key order (docs/decisions/0035). It uses
    /// transactions of its own with at most `batch` rows, so that other writers wait for one of
    /// them at most. The triggers exist by then. Repeatable.
    ///
    /// - Parameter progress: Called between the transactions, with how many rows were read so far.
    func fillTracking(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void) throws
    /// The statements that correct tracking rows which contradict their rows. Rows that are gone
    /// get tombstones, and rows that came back become live. Repeatable.
    func repairSteps(for table: AttachedTable) throws -> [String]
    /// The statements that remove what ``attachSteps(for:previous:)`` made for a table.
    func detachSteps(for table: AttachedTable) throws -> [String]
    /// The statements that remove objects with Moorage's names that belong to no attached table.
    /// Empty where the connector does not look for them.
    func leftSteps() throws -> [String]
    /// Runs one of the steps above, or one for Moorage's own tables. It waits for locks no longer
    /// than a moment, and then throws `conflict`.
    func runStep(_ sql: String) throws
    /// Whether rows of an attached table may have changed without a trace, because a trigger that
    /// it needs is missing or disabled. The hub asks before ``attachSteps(for:previous:)``, which
    /// make the triggers again, and restamps the table after them. A connector whose steps see to
    /// that themselves answers `false`.
    ///
    /// - Parameter previous: The table as it was attached before.
    func hasMissedChanges(_ table: AttachedTable, previous: AttachedTable) throws -> Bool
    /// Gives every tracking row of a table a new version, within a transaction of the caller's:
    /// everyone reads it again.
    func restamp(_ table: AttachedTable) throws
    /// The same in transactions of its own with about `batch` rows, so that other writers wait for
    /// one of them at most. A row that others write meanwhile has a new version anyway. Repeatable.
    ///
    /// - Parameter progress: Called between the transactions, with how many rows were read so far.
    func restamp(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void) throws
    /// Deletes tombstones that the horizon shows, except those that others lock.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func purgeTombstones(_ table: AttachedTable, within horizon: Checkpoint, limit: Int) throws
        -> Int
}

extension CentralTracking {
    public func leftSteps() throws -> [String] { [] }
}
