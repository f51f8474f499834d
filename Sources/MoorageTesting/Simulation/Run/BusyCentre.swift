import MoorageCore
import MoorageHub

/// The central database while another program may hold its write lock: then nothing gets a number
/// before a page is read. All else is the database's own.
struct BusyCentre: CentralDatabase {
    let database: any CentralDatabase
    let machine: SimulatedMachine

    func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result {
        try await database.withConnection { [machine] in
            try work(BusyConnection(base: $0, machine: machine))
        }
    }

    func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try database.perform { try work(BusyConnection(base: $0, machine: machine)) }
    }
}

private final class BusyConnection: CentralConnection {
    private let base: any CentralConnection
    private let machine: SimulatedMachine

    init(base: any CentralConnection, machine: SimulatedMachine) {
        self.base = base
        self.machine = machine
    }

    func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value {
        try base.evaluate(expression, of: column, in: table, values)
    }
    func highestKey(of table: AttachedTable) throws -> Int64? {
        try base.highestKey(of: table)
    }
    func takeKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?
    {
        try base.takeKeys(of: table, count: count, above: floor)
    }

    func trackingProblems() throws -> [Int: String] { try base.trackingProblems() }
    func columnForms(of table: String) throws -> [String: ColumnForm] {
        try base.columnForms(of: table)
    }
    func examine(_ examination: Examination) throws -> [Finding] {
        try base.examine(examination)
    }

    func numberChanges() throws {
        if machine.isBusy { return }
        try base.numberChanges()
    }

    func changeSign() throws -> String { try base.changeSign() }
    func changedScopes(_ table: AttachedTable, among scopes: Set<Scope>, beyond mark: Mark) throws
        -> Set<Scope>
    {
        try base.changedScopes(table, among: scopes, beyond: mark)
    }
    func begin(_ kind: TransactionKind) throws { try base.begin(kind) }
    func commit() throws { try base.commit() }
    func rollback() { base.rollback() }
    func savepoint() throws { try base.savepoint() }
    func releaseSavepoint() throws { try base.releaseSavepoint() }
    func rollbackToSavepoint() throws { try base.rollbackToSavepoint() }
    func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] {
        try base.run(sql, arguments)
    }
    func now() throws -> Int64 { try base.now() }
    func identity() throws -> String { try base.identity() }
    func bearings() throws -> CentralBearings { try base.bearings() }
    func readTables() throws -> [CentralTable] { try base.readTables() }
    func schemaStamp() throws -> String { try base.schemaStamp() }
    func hasMetadata() throws -> Bool { try base.hasMetadata() }
    func metadataSteps() -> [String] { base.metadataSteps() }
    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String] {
        try base.attachSteps(for: table, previous: previous)
    }
    func fillTracking(
        _ table: AttachedTable, batch: Int, progress: (Int) throws -> Void
    ) throws {
        try base.fillTracking(table, batch: batch, progress: progress)
    }
    func mendSteps(for table: AttachedTable) throws -> [String] {
        try base.mendSteps(for: table)
    }
    func detachSteps(for table: AttachedTable) throws -> [String] {
        try base.detachSteps(for: table)
    }
    func detachMetadataSteps() -> [String] { base.detachMetadataSteps() }
    func runStep(_ sql: String) throws { try base.runStep(sql) }
    func restamp(_ table: AttachedTable) throws { try base.restamp(table) }
    func lockRows(_ table: AttachedTable, keys: [Key]) throws -> [Key: CentralRow] {
        try base.lockRows(table, keys: keys)
    }
    func tracked(_ table: AttachedTable, keys: [Key], in scopes: Set<Scope>) throws
        -> [Key: Bool]
    {
        try base.tracked(table, keys: keys, in: scopes)
    }
    func deriveNotedMoves() throws { try base.deriveNotedMoves() }
    func referringRows(
        _ table: AttachedTable, through foreignKey: ForeignKey, to parents: [[Value]]
    ) throws -> [[Value]] {
        try base.referringRows(table, through: foreignKey, to: parents)
    }
    func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
        try base.insert(table, columns: columns, rows: rows)
    }
    func update(_ table: AttachedTable, columns: [Int], rows: [KeyedValues]) throws {
        try base.update(table, columns: columns, rows: rows)
    }
    func delete(_ table: AttachedTable, keys: [Key]) throws { try base.delete(table, keys: keys) }
    func deferConstraints() throws { try base.deferConstraints() }
    func checkConstraints(_ written: [WrittenRows]) throws { try base.checkConstraints(written) }
    func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>? {
        try base.columnsStoredAsWritten(table)
    }
    func keeping(
        _ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void
    ) throws {
        try base.keeping(times, of: table, write)
    }
    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws {
        try base.setChangedAt(table, times: times)
    }
    func purgeTombstones(_ table: AttachedTable, within horizon: Mark, limit: Int) throws -> Int {
        try base.purgeTombstones(table, within: horizon, limit: limit)
    }
    func forgetMarks(before horizon: Mark) throws { try base.forgetMarks(before: horizon) }
    func openSnapshot() throws -> SnapshotBearings { try base.openSnapshot() }
    func currentMark() throws -> Mark { try base.currentMark() }
    func isKnown(_ mark: Mark) throws -> Bool { try base.isKnown(mark) }
    func covers(_ mark: Mark, _ horizon: Mark) throws -> Bool { try base.covers(mark, horizon) }
    func content(
        _ table: AttachedTable, columns: [Int], in scope: Scope, _ query: TrackingQuery,
        after: TrackingPosition?, limit: Int
    ) throws -> TrackedContent {
        try base.content(
            table, columns: columns, in: scope, query, after: after, limit: limit)
    }
    func countTracked(_ table: AttachedTable, in scope: Scope, _ query: TrackingQuery) throws
        -> Int
    {
        try base.countTracked(table, in: scope, query)
    }
    func rows(_ table: AttachedTable, keys: [Key], in scopes: Set<Scope>) throws -> [[Value]] {
        try base.rows(table, keys: keys, in: scopes)
    }
    func rows(
        _ table: AttachedTable, after: Key?, limit: Int, in scopes: ComparedScopes,
        beyond mark: Mark?
    ) throws -> [ComparedCentralRow] {
        try base.rows(table, after: after, limit: limit, in: scopes, beyond: mark)
    }

    func newcomers(
        _ table: AttachedTable, among keys: [Key], in scopes: Set<Scope>, beyond mark: Mark
    ) throws -> Set<Key> {
        try base.newcomers(table, among: keys, in: scopes, beyond: mark)
    }
}
