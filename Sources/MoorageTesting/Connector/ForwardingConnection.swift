public import MoorageCore
public import MoorageHub

/// A connection that hands every call on to another one. A test double subclasses it and overrides
/// the functions it is about.
///
/// A call that the base makes to itself does not come by here: `openSnapshot()` of the base begins
/// its transaction without ``begin(_:)`` of the double.
open class ForwardingConnection: CentralConnection {
    /// The connection that does the work.
    public let base: any CentralConnection

    /// - Parameter base: The connection that does the work.
    public init(_ base: any CentralConnection) { self.base = base }

    // MARK: Transactions

    open func begin(_ kind: TransactionKind) throws { try base.begin(kind) }
    open func commit() throws { try base.commit() }
    open func rollback() { base.rollback() }
    open func savepoint() throws { try base.savepoint() }
    open func releaseSavepoint() throws { try base.releaseSavepoint() }
    open func rollbackToSavepoint() throws { try base.rollbackToSavepoint() }

    // MARK: Metadata

    open func hasOwnTable(_ name: String) throws -> Bool { try base.hasOwnTable(name) }
    open func metadataSteps() -> [String] { base.metadataSteps() }
    open func detachMetadataSteps() -> [String] { base.detachMetadataSteps() }
    open func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] {
        try base.run(sql, arguments)
    }
    open func now() throws -> HubTime { try base.now() }
    open func identity() throws -> String { try base.identity() }
    open func databaseState() throws -> DatabaseState { try base.databaseState() }

    // MARK: Schema

    open func readTables() throws -> [CentralTable] { try base.readTables() }
    open func schemaStamp() throws -> String { try base.schemaStamp() }
    open func columnForms(of table: String) throws -> [String: ColumnForm] {
        try base.columnForms(of: table)
    }
    open func details(of tables: [String]) throws -> [CentralTableDetails] {
        try base.details(of: tables)
    }

    // MARK: Added keys

    open func addKeySteps(to table: AttachedTable) throws -> [String] {
        try base.addKeySteps(to: table)
    }
    open func fillKeys(of table: AttachedTable, batch: Int, progress: () throws -> Void) throws {
        try base.fillKeys(of: table, batch: batch, progress: progress)
    }
    open func closeKeySteps(of table: AttachedTable) throws -> [String] {
        try base.closeKeySteps(of: table)
    }
    open func removeKeySteps(from table: AttachedTable) throws -> [String] {
        try base.removeKeySteps(from: table)
    }

    // MARK: Tracking

    open func trackingProblems() throws -> [Int: String] { try base.trackingProblems() }
    open func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String] {
        try base.attachSteps(for: table, previous: previous)
    }
    open func fillTracking(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void)
        throws
    {
        try base.fillTracking(table, batch: batch, progress: progress)
    }
    open func repairSteps(for table: AttachedTable) throws -> [String] {
        try base.repairSteps(for: table)
    }
    open func detachSteps(for table: AttachedTable) throws -> [String] {
        try base.detachSteps(for: table)
    }
    open func leftSteps() throws -> [String] { try base.leftSteps() }
    open func runStep(_ sql: String) throws { try base.runStep(sql) }
    open func hasMissedChanges(_ table: AttachedTable, previous: AttachedTable) throws -> Bool {
        try base.hasMissedChanges(table, previous: previous)
    }
    open func restamp(_ table: AttachedTable) throws { try base.restamp(table) }
    open func restamp(_ table: AttachedTable, batch: Int, progress: (Int) throws -> Void) throws {
        try base.restamp(table, batch: batch, progress: progress)
    }
    open func purgeTombstones(_ table: AttachedTable, within horizon: Checkpoint, limit: Int) throws
        -> Int
    {
        try base.purgeTombstones(table, within: horizon, limit: limit)
    }

    // MARK: Numbering

    open func numberChanges() throws { try base.numberChanges() }
    open func resolveMoves() throws { try base.resolveMoves() }
    open func changeToken() throws -> String { try base.changeToken() }
    open func openSnapshot() throws -> SnapshotState { try base.openSnapshot() }
    open func currentCheckpoint() throws -> Checkpoint { try base.currentCheckpoint() }
    open func isKnown(_ checkpoint: Checkpoint) throws -> Bool { try base.isKnown(checkpoint) }
    open func covers(_ checkpoint: Checkpoint, _ horizon: Checkpoint) throws -> Bool {
        try base.covers(checkpoint, horizon)
    }
    open func forgetCheckpoints(before horizon: Checkpoint) throws {
        try base.forgetCheckpoints(before: horizon)
    }

    // MARK: Paging

    open func changedScopes(
        _ table: AttachedTable, among scopes: Set<Scope>, beyond checkpoint: Checkpoint
    ) throws -> Set<Scope> {
        try base.changedScopes(table, among: scopes, beyond: checkpoint)
    }
    open func content(
        _ table: AttachedTable, columns: [Int], in scope: Scope, _ query: TrackingQuery,
        after: TrackingPosition?, limit: Int
    ) throws -> TrackedContent {
        try base.content(table, columns: columns, in: scope, query, after: after, limit: limit)
    }
    open func countTracked(_ table: AttachedTable, in scope: Scope, _ query: TrackingQuery) throws
        -> Int
    {
        try base.countTracked(table, in: scope, query)
    }
    open func rows(_ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>) throws
        -> [[Value]]
    {
        try base.rows(table, keys: keys, in: scopes)
    }
    open func newcomers(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        beyond checkpoint: Checkpoint
    ) throws -> Set<RowKey> {
        try base.newcomers(table, among: keys, in: scopes, beyond: checkpoint)
    }
    open func known(
        _ table: AttachedTable, among keys: [RowKey], in scopes: Set<Scope>,
        by checkpoint: Checkpoint
    ) throws -> Set<RowKey> {
        try base.known(table, among: keys, in: scopes, by: checkpoint)
    }
    open func rows(
        _ table: AttachedTable, after: RowKey?, limit: Int, in scopes: ComparedScopes,
        beyond checkpoint: Checkpoint?
    ) throws -> [ComparedCentralRow] {
        try base.rows(table, after: after, limit: limit, in: scopes, beyond: checkpoint)
    }

    // MARK: Querying

    open func rows(_ table: AttachedTable, _ query: RowQuery) throws -> [[Value]] {
        try base.rows(table, query)
    }
    open func count(_ table: AttachedTable, _ query: RowQuery, most: Int) throws -> Int {
        try base.count(table, query, most: most)
    }

    // MARK: Pushing

    open func lockRows(_ table: AttachedTable, keys: [RowKey]) throws -> [RowKey: CentralRow] {
        try base.lockRows(table, keys: keys)
    }
    open func tracked(
        _ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>
    ) throws -> [RowKey: Bool] {
        try base.tracked(table, keys: keys, in: scopes)
    }
    open func referringRows(
        _ table: AttachedTable, through foreignKey: ForeignKey, to parents: [[Value]]
    ) throws -> [[Value]] {
        try base.referringRows(table, through: foreignKey, to: parents)
    }
    open func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
        try base.insert(table, columns: columns, rows: rows)
    }
    open func update(_ table: AttachedTable, columns: [Int], rows: [KeyedValues]) throws {
        try base.update(table, columns: columns, rows: rows)
    }
    open func delete(_ table: AttachedTable, keys: [RowKey]) throws {
        try base.delete(table, keys: keys)
    }
    open func deferConstraints() throws { try base.deferConstraints() }
    open func checkConstraints(_ written: [WrittenRows]) throws {
        try base.checkConstraints(written)
    }
    open func swapFacts(_ table: AttachedTable) throws -> SwapFacts { try base.swapFacts(table) }
    open func leavingReferences(_ write: () throws -> Void) throws {
        try base.leavingReferences(write)
    }
    open func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>? {
        try base.columnsStoredAsWritten(table)
    }
    open func keeping(_ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void)
        throws
    {
        try base.keeping(times, of: table, write)
    }
    open func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws {
        try base.setChangedAt(table, times: times)
    }

    // MARK: Rules and keys

    open func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value {
        try base.evaluate(expression, of: column, in: table, values)
    }
    open func highestKey(of table: AttachedTable) throws -> Int64? {
        try base.highestKey(of: table)
    }
    open func reserveKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?
    {
        try base.reserveKeys(of: table, count: count, above: floor)
    }

    // MARK: Doctor

    open func examine(_ examination: Examination) throws -> [Finding] {
        try base.examine(examination)
    }
}
