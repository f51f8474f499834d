public import MoorageCore

/// The tracking tables, functions and triggers of attached tables.
public protocol CentralTracking: AnyObject {
    /// Why attached tables are not tracked any more, by their numbers: a trigger of ours is missing,
    /// is switched off, or belongs to another table that had its name before. It covers what the
    /// role may see, and says nothing of a table that is gone.
    func trackingProblems() throws -> [Int: String]
    /// The statements that track a table: its tracking table, functions and triggers. Repeatable. What the
    /// table held before gets its tracking rows by ``fillTracking(_:batch:progress:)``.
    ///
    /// - Parameter previous: The table as it was attached before, if it was.
    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String]
    /// Gives a tracking row to each row that has none, in key order (docs/decisions/0035), in transactions of
    /// its own of `batch` rows at most: others write meanwhile, and wait for no more than one of them.
    /// The triggers exist by then. Repeatable.
    ///
    /// - Parameter progress: Called between the transactions, with how many rows were looked at so far.
    func fillTracking(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void) throws
    /// The statements that correct tracking rows which contradict their rows: tombstones for what is
    /// gone, life for what came back. Repeatable.
    func repairSteps(for table: AttachedTable) throws -> [String]
    /// The statements that remove what ``attachSteps(for:previous:)`` made for a table.
    func detachSteps(for table: AttachedTable) throws -> [String]
    /// The statements that remove what bears Moorage's names and belongs to no attached table. Empty
    /// where the connector does not look for it.
    func leftSteps() throws -> [String]
    /// Runs one of the steps above, or of Moorage's own tables; waits for locks no longer than a
    /// moment, and throws `conflict` then.
    func runStep(_ sql: String) throws
    /// Gives every tracking row of a table a new version: everyone reads it again.
    func restamp(_ table: AttachedTable) throws
    /// Deletes tombstones that the horizon shows, passing over those that others lock.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func purgeTombstones(_ table: AttachedTable, within horizon: Checkpoint, limit: Int) throws
        -> Int
}

extension CentralTracking {
    public func leftSteps() throws -> [String] { [] }
}
