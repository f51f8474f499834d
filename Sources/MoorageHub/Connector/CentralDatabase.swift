public import MoorageCore

/// A connector: how the hub reaches one central database.
///
/// The hub decides, the connector reads and writes; whatever databases do differently is behind
/// this contract, and `ConnectorConformance` in `MoorageTesting` says what it must hold to.
public protocol CentralDatabase: Sendable {
    /// Runs synchronous work on a connection's own thread, never on a thread that Swift's tasks
    /// share.
    ///
    /// The connection is lent for the duration of the work and comes back with no transaction open.
    ///
    /// - Throws: What the work throws; ``CentralError`` of kind `unavailable` when no connection
    ///   can be had in time.
    func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result

    /// The same on the calling thread, which waits: for tools, and for tests that run without tasks.
    func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result
}

/// One connection to the central database. All of it is synchronous and bound to one thread at a
/// time.
///
/// Every function throws ``CentralError``.
public protocol CentralConnection: AnyObject {
    // MARK: Transactions

    /// `snapshot`: reads only, all of one state of the database. `write`: read committed or
    /// stronger.
    func begin(_ kind: TransactionKind) throws
    func commit() throws
    /// Ends the transaction, if there is one, without effect. It does not fail: a connection that
    /// cannot roll back is closed and opened anew with its next use.
    func rollback()
    /// Inside a transaction, what follows can be undone alone. Savepoints nest.
    func savepoint() throws
    func releaseSavepoint() throws
    func rollbackToSavepoint() throws

    // MARK: Moorage's own tables

    /// Runs one statement on Moorage's own tables, in the SQL that all databases share, with `?`
    /// for arguments.
    ///
    /// - Returns: The rows of a query; nothing for other statements.
    func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]]

    /// The database's clock in milliseconds since 1970; it moves within a transaction.
    func now() throws -> Int64
    /// What tells this database from a copy or an earlier state of it; a new epoch begins when it
    /// changes.
    func identity() throws -> String
    /// Clock, identity, schema and Moorage's facts at once, outside a transaction: each exchange
    /// begins with them, and where the database is elsewhere, one question costs as much as another.
    func bearings() throws -> CentralBearings

    // MARK: Attaching

    /// Every table of the owner's, as far as this connector can sync it.
    func readTables() throws -> [CentralTable]
    /// A cheap text that changes whenever ``readTables()`` may answer otherwise.
    func schemaStamp() throws -> String
    /// Why attached tables are not tracked any more, by their numbers: a trigger of ours is missing from one,
    /// is switched off, or stands on another table that had its name before. As far as the role may see; of a
    /// table that is gone, nothing.
    func trackingProblems() throws -> [Int: String]
    /// The forms of a table's columns, by name; none of a table that is gone. Only of columns whose values the
    /// database may rewrite while the table and its triggers stay.
    func columnForms(of table: String) throws -> [String: ColumnForm]
    /// Whether ``metadataSteps()`` have been carried out.
    func hasMetadata() throws -> Bool
    /// The statements that make Moorage's own tables (docs/design.md, 5), each repeatable.
    func metadataSteps() -> [String]
    /// The statements that track a table: its tracking table, functions and triggers. Repeatable. What the
    /// table held before gets its tracking rows by ``fillTracking(_:batch:progress:)``.
    ///
    /// - Parameter previous: The table as it was attached before, if it was.
    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String]
    /// Gives a tracking row to each row that has none, in key order (docs/decisions/0035), in transactions of
    /// its own of `batch` rows at most: others write meanwhile, and wait for no more than one of them.
    /// The triggers stand. Repeatable.
    ///
    /// - Parameter progress: Called between the transactions, with how many rows were looked at so far.
    func fillTracking(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void) throws
    /// The statements that put tracking rows right that say otherwise than their rows: tombstones for what is gone,
    /// life for what came back. Repeatable.
    func mendSteps(for table: AttachedTable) throws -> [String]
    /// The statements that remove what ``attachSteps(for:previous:)`` made for a table.
    func detachSteps(for table: AttachedTable) throws -> [String]
    /// The statements that remove what ``metadataSteps()`` made.
    func detachMetadataSteps() -> [String]
    /// The statements that remove what bears Moorage's names and is in no table of its any more; none where
    /// the connector does not look for it.
    func leftSteps() throws -> [String]
    /// Runs one of the steps above; waits for locks no longer than a moment, and throws `conflict`
    /// then.
    func runStep(_ sql: String) throws
    /// Gives every tracking row of a table a new version: everyone reads it again.
    func restamp(_ table: AttachedTable) throws
    /// What only this database knows of what stands in the way of syncing these tables, or will, each with the
    /// SQL that mends it, in words that the owner's own client takes (docs/doctor.md). Inside a snapshot: it
    /// reads, and no more. What the role may not look at is a finding, not an error
    /// (``examining(_:mend:_:)``).
    func examine(_ examination: Examination) throws -> [Finding]

    // MARK: Push

    /// Reads and locks the rows of these keys, in key order, with what the tracking table says of
    /// them.
    ///
    /// - Returns: One entry for each key.
    func lockRows(_ table: AttachedTable, keys: [Key]) throws -> [Key: CentralRow]
    /// What the scopes know of these keys: `true` for a row that is in one of them, `false` for one that
    /// was. Keys that none of them ever had are left out.
    func tracked(_ table: AttachedTable, keys: [Key], in scopes: Set<Scope>) throws -> [Key: Bool]
    /// The rows of `table` that refer to one of the parents through one of its foreign keys.
    ///
    /// - Parameter parents: Values of the referenced columns, in the foreign key's order; none is
    ///   NULL.
    func referringRows(
        _ table: AttachedTable, through foreignKey: ForeignKey, to parents: [[Value]]
    ) throws -> [[Value]]
    /// Inserts rows of these columns; the others take their defaults.
    func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws
    /// Sets these columns, with other values for each key.
    func update(_ table: AttachedTable, columns: [Int], rows: [KeyedValues]) throws
    func delete(_ table: AttachedTable, keys: [Key]) throws
    /// Inside a savepoint: constraints that would wait for the commit are left for
    /// ``checkConstraints(_:)``.
    func deferConstraints() throws
    /// Checks now what was deferred, as far as these rows are concerned.
    ///
    /// - Throws: `refused` when one of them is broken.
    func checkConstraints(_ written: [WrittenRows]) throws
    /// The columns that keep every value exactly as it is written, in a table whose writes do nothing
    /// else: no trigger and no rule of the owner's may change a row. What a push wrote to them need not
    /// be read again.
    ///
    /// - Returns: `nil` where the database cannot tell, or where there are such triggers.
    func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>?
    /// Runs one of the writes above, of rows with these times. A connector that can writes the times with
    /// the rows; ``setChangedAt(_:times:)`` follows in any case.
    func keeping(_ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void) throws
    /// Sets when rows were changed, after a push has written them, where they do not have these times
    /// by ``keeping(_:of:_:)``.
    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws

    // MARK: Rules

    /// Evaluates a rule of the owner's. The values are arguments of the column's type, and so is the
    /// result; they are never part of the statement's text.
    func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value
    /// The highest value of the first key column; `nil` in an empty table. The column is an integer.
    func highestKey(of table: AttachedTable) throws -> Int64?
    /// Takes keys from the sequence that gives them to rows inserted without one, so that nobody else
    /// gets them, even if the transaction is rolled back; `nil` where the table has no such sequence.
    ///
    /// - Parameters:
    ///   - count: How many; fewer may come where others take some meanwhile, but one at least.
    ///   - floor: All are above it, and so is what the sequence gives out from now on.
    func takeKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?

    // MARK: Retention

    /// Deletes tombstones that the horizon shows, passing over those that others hold.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func purgeTombstones(_ table: AttachedTable, within horizon: Mark, limit: Int) throws -> Int
    /// Forgets what told marks older than the horizon from marks of another history; the horizon
    /// itself stays known.
    func forgetMarks(before horizon: Mark) throws

    // MARK: Pull

    /// Numbers what is committed and has no number yet, in a transaction of its own. Databases
    /// whose clock is a snapshot have nothing to do.
    func numberChanges() throws
    /// Derives anew, in a transaction of its own, the scopes of rows whose last writer could not see what
    /// others had committed meanwhile. Databases with one writer at a time have nothing to do.
    func deriveNotedMoves() throws
    /// A cheap text that is another one whenever anything was committed since, by whichever program; in a
    /// snapshot, of the state that it shows. No text comes again after another one. It may also change
    /// where nothing was.
    func changeSign() throws -> String
    /// Of these scopes, those in which rows of a table changed beyond the mark, as the snapshot shows them: one
    /// look at an index for each.
    func changedScopes(_ table: AttachedTable, among scopes: Set<Scope>, beyond mark: Mark) throws
        -> Set<Scope>
    /// Begins a snapshot and says what it shows; where that fails, none is open.
    ///
    /// - Throws: As ``currentMark()``.
    func openSnapshot() throws -> SnapshotBearings
    /// The point that the open snapshot shows.
    ///
    /// - Throws: ``CentralError`` of kind `conflict` while the snapshot shows such a row.
    func currentMark() throws -> Mark
    /// Whether a mark belongs to this history.
    ///
    /// - Throws: ``CentralError`` of kind `invalidMark` for a text that is no mark.
    func isKnown(_ mark: Mark) throws -> Bool
    /// Whether everything that `horizon` shows is within `mark` too: a replica that has read up to
    /// `mark` needs nothing that was forgotten behind the horizon. It may say no where it cannot
    /// tell.
    ///
    /// - Throws: ``CentralError`` of kind `invalidMark` for a text that is no mark.
    func covers(_ mark: Mark, _ horizon: Mark) throws -> Bool
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
    /// Of these keys, those of rows that are in one of the scopes, and came into all that they are in
    /// beyond the mark.
    func newcomers(
        _ table: AttachedTable, among keys: [Key], in scopes: Set<Scope>, beyond mark: Mark
    ) throws -> Set<Key>
    /// A table's rows in one of the scopes, in key order, for comparing; and whether each changed
    /// beyond the mark. Keys deleted beyond the mark come without a row. With no mark nothing changed
    /// beyond it.
    func rows(
        _ table: AttachedTable, after: Key?, limit: Int, in scopes: ComparedScopes,
        beyond mark: Mark?
    ) throws -> [ComparedCentralRow]
}

public enum TransactionKind: Hashable, Sendable {
    case snapshot, write
}

extension CentralConnection {
    public func leftSteps() throws -> [String] { [] }
}
