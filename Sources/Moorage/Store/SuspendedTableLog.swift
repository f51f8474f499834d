import GRDB
import MoorageCore
import SQLiteSupport

/// A table that this device has suspended, as far as its log can still be read. Nothing of it is
/// sent or received. Its changes are listed and counted.
struct SuspendedTableLog: Sendable {
    /// The hub's description if it fits the local table. Otherwise every value is as it is stored.
    let table: SyncedTable
    /// Whether the local table exists with its key, so that rows can be looked up.
    let hasRows: Bool

    /// - Parameters:
    ///   - record: What the file remembers of the table.
    ///   - local: The table as it is now; `nil` if there is no such table.
    ///   - hub: The hub's description; `nil` if the hub syncs no such table.
    init?(
        _ record: TableRecord, local: LocalTable?, uuidForm: UUIDForm, hub: TableDescription?
    ) {
        let found = local.flatMap { local in
            record.keys.allSatisfy { local.column(named: $0) != nil } ? local : nil
        }
        let tracked = TrackedTable(
            name: record.name,
            local: found ?? Self.remembered(record.name.text, record.keys, record.places),
            keyNames: record.keys, logNames: record.places,
            presentNames: record.layout?.presentNames ?? [:], uuidForm: uuidForm)
        let synced =
            hub.flatMap { SyncedTable(tracked: tracked, hub: Self.withOthers($0, tracked)) }
            ?? SyncedTable(tracked: tracked, hub: Self.asStored(tracked))
        guard let synced else { return nil }
        table = synced
        hasRows = found != nil
    }

    /// Whether a table has a log that can be read. The log of an earlier version counts again once
    /// its table resumes.
    static func hasLog(_ name: Identifier, _ db: Database) throws -> Bool {
        try db.hasColumn("grp", in: TrackedTable.logTable(of: name))
    }

    func reading(_ statements: RawStatements) -> LogReading {
        LogReading(table: table, statements: statements, hasRows: hasRows)
    }

    /// The table as the log remembers it.
    private static func remembered(
        _ name: String, _ keys: [String], _ places: [String]
    ) -> LocalTable {
        let columns = (keys + places).map {
            LocalColumn(
                name: $0, declaredType: "", affinity: .blob, isNotNull: false, defaultSQL: nil,
                isGenerated: false)
        }
        return LocalTable(
            name: name, columns: columns, primaryKey: Array(keys.indices), isStrict: false,
            uniqueIndexes: [], foreignKeys: [])
    }

    private static func asStored(_ table: TrackedTable) -> TableDescription {
        let columns = (table.keyNames + table.logNames).compactMap { column($0, table) }
        return TableDescription(
            name: table.name.text, columns: columns, primaryKey: Array(table.keyNames.indices))
    }

    /// The hub's description, with the logged columns that the hub does not know (any more).
    private static func withOthers(
        _ hub: TableDescription, _ table: TrackedTable
    ) -> TableDescription {
        let others = table.logNames.filter { name in
            !hub.columns.contains { SQLText.isSameName($0.name, name) }
        }
        return TableDescription(
            name: hub.name, columns: hub.columns + others.compactMap { column($0, table) },
            primaryKey: hub.primaryKey, foreignKeys: hub.foreignKeys)
    }

    /// A column of unknown type: values stay as they are, but UUIDs in bytes are sent as text.
    private static func column(_ name: String, _ table: TrackedTable) -> ColumnDescription? {
        guard let position = table.local.column(named: name) else { return nil }
        let local = table.local.columns[position]
        let isBlob = local.declaredType.uppercased().contains("BLOB")
        return ColumnDescription(name: local.name, type: isBlob ? .uuid : .blob, isNullable: true)
    }
}

extension ReplicaStore {
    /// How many rows of each log have a change, by the table's name. A log without entries may have
    /// no number.
    func pendingCounts(
        _ tables: LoadedTables, _ statements: RawStatements
    ) throws -> [Identifier: Int] {
        var pending: [Identifier: Int] = [:]
        for table in try statements.filled(tables.tracked, in: \.logTable) {
            pending[table.name] = try pendingCount(table, statements)
        }
        for suspended in tables.suspended {
            pending[suspended.table.name] = try pendingCount(
                suspended.table.tracked, hasRows: suspended.hasRows, statements)
        }
        return pending
    }

    /// How many rows of a log have a change.
    func pendingCount(
        _ table: TrackedTable, hasRows: Bool = true, _ statements: RawStatements
    ) throws -> Int {
        let keys = table.keyColumns.joined(separator: ", ")
        let sql = """
            SELECT count(*) FROM (
              SELECT DISTINCT \(keys) FROM \(SQLText.name(table.logTable)) AS l
              WHERE \(Self.isChange(of: table, hasRows: hasRows)))
            """
        return Int(try statements(sql).firstInteger() ?? 0)
    }

    /// When the oldest change of a log was made.
    func oldestPending(
        _ table: TrackedTable, hasRows: Bool = true, _ statements: RawStatements
    ) throws -> DeviceTime? {
        let sql = """
            SELECT min(at) FROM \(SQLText.name(table.logTable)) AS l
            WHERE \(Self.isChange(of: table, hasRows: hasRows))
            """
        return try statements(sql).firstInteger().map(DeviceTime.init(milliseconds:))
    }

    /// Selects the entries of a log, called `l`, that are changes.
    private static func isChange(of table: TrackedTable, hasRows: Bool) -> String {
        let isRow = zip(table.keyNames, table.keyColumns).map { name, key -> String in
            let name = "t.\(SQLText.name(name))"
            return "\(name) = l.\(key) AND \(name) COLLATE BINARY = l.\(key)"
        }.joined(separator: " AND ")
        // A candidate whose row is gone was replaced, which is a deletion like any other.
        let isGone =
            hasRows
            ? """
            NOT EXISTS (
                SELECT 1 FROM \(SQLText.name(table.local.name)) AS t WHERE \(isRow))
            """ : "0"
        return "op <> \(LogOperation.candidate.sql) OR \(isGone)"
    }

    /// - Throws: `changesPending` if a suspended table has changes, because these are easily
    ///   forgotten.
    func checkNothingSuspended(_ db: Database) throws {
        let kept = try counts(db).suspended.filter { $0.pendingCount > 0 }
        if kept.isEmpty { return }
        throw ReplicaError.changesPending(kept.map { (name: $0.name, count: $0.pendingCount) })
    }

    /// Whether any log has an entry, including those of suspended tables.
    func hasLoggedChanges(_ db: Database) throws -> Bool {
        try TableRecords(db: db).names().contains { name in
            let log = TrackedTable.logTable(of: name)
            return try db.tableExists(log)
                && Int.fetchOne(db, sql: "SELECT 1 FROM \(SQLText.name(log)) LIMIT 1") != nil
        }
    }
}
