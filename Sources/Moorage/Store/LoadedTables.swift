import MoorageCore
import MoorageWire

/// The tables as they are now.
struct LoadedTables: Sendable {
    let schema: SchemaDescription?
    /// What the user may write; `nil` before a hub has said it.
    let rights: RightsAnswer?
    /// The version of the rights that the hub need not say again.
    let rightsVersion: String?
    /// What the file remembers of each table, in the order of the app's list.
    let records: [TableRecord]
    let tracked: [TrackedTable]
    /// In the hub's foreign-key order, without those that this device has suspended.
    let synced: [SyncedTable]
    /// Tables that this device has suspended, as far as their logs can be read.
    let suspended: [SuspendedTableLog]
    /// Foreign keys of local tables that are not synced.
    let localReferences: [LocalForeignKey]
    /// Another process has removed a part of what keeps the states of rows.
    let lacksRowStates: Bool
    private let recordOfName: [Identifier: TableRecord]
    private let syncedOfName: [Identifier: SyncedTable]

    init(
        schema: SchemaDescription?, rights: RightsAnswer?, rightsVersion: String?,
        records: [TableRecord],
        tracked: [TrackedTable], synced: [SyncedTable], suspended: [SuspendedTableLog],
        localReferences: [LocalForeignKey], lacksRowStates: Bool
    ) {
        self.schema = schema
        self.rights = rights
        self.rightsVersion = rightsVersion
        self.records = records
        self.tracked = tracked
        self.synced = synced
        self.suspended = suspended
        self.localReferences = localReferences
        self.lacksRowStates = lacksRowStates
        recordOfName = Dictionary(records.map { ($0.name, $0) }) { first, _ in first }
        syncedOfName = Dictionary(synced.map { ($0.name, $0) }) { first, _ in first }
    }

    func table(named name: Identifier) -> SyncedTable? { syncedOfName[name] }

    func table(named name: String) -> SyncedTable? { table(named: Identifier(name)) }

    /// Whether the file keeps the states of any table's rows.
    var hasRowStates: Bool { tracked.contains(where: \.hasRowStates) }

    /// Reads and writes the table's log, even while the table is suspended; `nil` when there is no
    /// log.
    func log(of name: String, _ statements: RawStatements) -> LogReading? {
        if let table = table(named: name) {
            return LogReading(table: table, statements: statements)
        }
        return suspended.first { $0.table.name == name }?.reading(statements)
    }

    /// Tables that can be sent and compared: neither side has suspended them.
    var active: [SyncedTable] { synced.filter { !isSuspendedAtHub($0.name) } }

    private func record(of name: Identifier) -> TableRecord? { recordOfName[name] }

    func wasCopied(_ name: Identifier) -> Bool { record(of: name)?.wasCopied == true }
}

extension LoadedTables {
    private func state(of name: Identifier) -> CopyState { record(of: name)?.state ?? CopyState() }

    /// Tables that this device has suspended, with the reason.
    var suspensions: [SuspendedReplicaTable] {
        records.compactMap { record in
            record.suspension.map {
                SuspendedReplicaTable(name: record.name.text, code: $0.code, reason: $0.reason)
            }
        }
    }

    /// Whether a page has rows or removals of a table that this device has suspended.
    func hasSuspendedPart(of page: Page) -> Bool {
        records.contains { record in
            record.suspension != nil
                && (page.tables.contains { record.name == $0.table }
                    || page.removals.contains { record.name == $0.table })
        }
    }

    /// Tables that the hub has suspended: their changes stay in the log until the tables resume.
    var suspensionsAtHub: [SuspendedReplicaTable] {
        records.compactMap { record in
            record.hubSuspension.map {
                SuspendedReplicaTable(name: record.name.text, code: $0.code, reason: $0.reason)
            }
        }
    }

    func isSuspendedAtHub(_ name: Identifier) -> Bool {
        record(of: name)?.hubSuspension != nil
    }

    /// Tables whose triggers were lost: their rows are to be compared before a page goes in. A
    /// suspended table waits until it is synced again.
    var toRepair: [Identifier] {
        records.filter { $0.state.repair != .none && table(named: $0.name) != nil }.map(\.name)
    }

    /// Those that can be compared now. A table that the hub has suspended may stay so for months.
    var repairable: [Identifier] { toRepair.filter { !isSuspendedAtHub($0) } }

    func repair(of name: Identifier) -> TableRepair { state(of: name).repair }

    /// Tables with rows that a first copy has not brought yet.
    var unconfirmed: [Identifier] { records.filter { $0.state.unconfirmed != nil }.map(\.name) }

    /// What becomes of such rows; `nil` where the table has none.
    func unconfirmedRows(of name: Identifier) -> UnconfirmedRows? {
        state(of: name).unconfirmed
    }

    /// Tables with columns that are synced since the table was last read.
    var partlyUnread: [Identifier] { records.filter { !$0.unreadColumns.isEmpty }.map(\.name) }

    /// The positions of those columns: their values here say nothing about the hub's.
    func unreadColumns(of table: SyncedTable) -> Set<Int> {
        let names = record(of: table.name)?.unreadColumns ?? []
        return Set(names.compactMap { table.description.column(named: $0) })
    }
}
