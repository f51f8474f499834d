import GRDB
import MoorageCore
import SQLiteSupport

/// Gives tables their triggers back that the app's migrations rebuilt with the same rows.
///
/// SQLite drops a table's triggers with the table. What is written until they are made again is in
/// no log, so a repair has to find it. A rebuilt table with the same rows needs no repair: its log
/// says all. So its triggers are made again as they were, and the next opening misses none.
///
/// A row counts by its key and its synced columns. A column that has another type now may have its
/// values in another form. Whatever else happens meanwhile, also by other connections, makes a
/// difference here, and the table is repaired.
struct RebuiltTables {
    /// A table whose triggers were there, as it was before the migrations.
    private struct Table {
        let name: Identifier
        let columns: [String]
        let digest: TableDigest
    }

    private let tables: [Table]

    /// Reads the tables; `nil` if there is nothing to migrate, or if the file is no replica.
    ///
    /// - Throws: ``ReplicaError`` `metadataNewer`, and the codes of a failing file.
    init?(before migrator: DatabaseMigrator, _ database: any DatabaseWriter) throws {
        let isDue = try database.inOneTransaction(.deferred) { db in
            try Metadata(db: db).exists() && !migrator.hasCompletedMigrations(db)
        }
        guard isDue else { return nil }
        tables = try database.inOneTransaction(.immediate) { db in
            _ = try Metadata(db: db).bringUpToDate()
            let schema = StoreSchema(db: db, configured: [])
            return try schema.records.names().compactMap { try Self.read($0, schema) }
        }
    }

    private static func read(_ name: Identifier, _ schema: StoreSchema) throws -> Table? {
        guard let record = try schema.records.record(of: name), let triggers = record.triggers,
            let local = try table(of: record, schema),
            try schema.rewrites(of: [String](jsonText: triggers), on: name, local)?.isEmpty == true
        else { return nil }
        let columns = syncedColumns(of: record).filter { name in
            local.plainNames.contains { SQLText.isSameName($0, name) }
        }
        return Table(
            name: name, columns: columns,
            digest: try TableDigest(
                schema.db, of: local.name, keys: record.keys, columns: columns))
    }

    /// The local names of the synced columns, and all columns until the hub is known. The hub may
    /// still have another name of a column.
    private static func syncedColumns(of record: TableRecord) -> [String] {
        guard let synced = record.columns else { return record.places }
        guard let layout = record.layout else { return synced }
        return layout.columns.filter { column in
            synced.contains { column.syncedName?.hasSameBytes(as: $0) ?? false }
        }.map(\.name)
    }

    /// The table as it is now; `nil` without it, or with another key.
    private static func table(of record: TableRecord, _ schema: StoreSchema) throws -> LocalTable? {
        guard let found = try schema.readableTable(named: record.local),
            found.keyNames.count == record.keys.count,
            zip(found.keyNames, record.keys).allSatisfy({ SQLText.isSameName($0, $1) })
        else { return nil }
        return found
    }

    /// Makes triggers again that the migrations removed or changed, where nothing else changed.
    ///
    /// - Throws: ``ReplicaError``. Then it made no trigger, and the next opening repairs the tables.
    func restoreTriggers(_ database: any DatabaseWriter) throws {
        try database.inOneTransaction(.immediate) { db in
            let schema = StoreSchema(db: db, configured: [])
            for table in tables { try Self.restore(table, schema) }
        }
    }

    private static func restore(_ table: Table, _ schema: StoreSchema) throws {
        let db = schema.db
        guard let record = try schema.records.record(of: table.name), let text = record.triggers
        else { return }
        let triggers = try [String](jsonText: text)
        guard let local = try Self.table(of: record, schema) else { return }
        // SQLite wrote a renamed column into the triggers, and the next opening looks for that. If
        // a rebuild renamed a column, the triggers as they were would hide it.
        guard try schema.rewrites(of: triggers, on: table.name, local) == nil,
            table.columns.allSatisfy({ local.column(named: $0) != nil }),
            !mayBeRenamed(local, since: record.layout)
        else { return }
        let digest = try TableDigest(
            db, of: local.name, keys: record.keys, columns: table.columns)
        let retyped = table.columns.indices.filter { place in
            record.layout.map { isRetyped(table.columns[place], of: local, since: $0) } ?? false
        }
        guard digest.equals(table.digest, retyped: Set(retyped)) else { return }
        try db.inSavepoint {
            try schema.dropTriggers(table.name)
            for sql in triggers { try db.execute(sql: sql) }
            return isWritable(local, db) ? .commit : .rollback
        }
    }

    /// Whether a new column may be one that was synced once, and waits for its new name at the hub.
    private static func mayBeRenamed(_ table: LocalTable, since layout: TableLayout?) -> Bool {
        guard let layout else { return false }
        return table.columns.contains { layout.column(named: $0.name) == nil }
            && layout.columns.contains {
                $0.syncedName != nil && table.column(named: $0.name) == nil
            }
    }

    /// Whether a column stores some values in another form than before.
    private static func isRetyped(
        _ name: String, of table: LocalTable, since layout: TableLayout
    ) -> Bool {
        guard let now = table.column(named: name),
            let before = layout.affinity(of: name, isStrict: table.isStrict)
        else { return false }
        return before != table.columns[now].affinity
    }

    /// Whether the table can be written with its triggers. They may name a column that is gone.
    private static func isWritable(_ table: LocalTable, _ db: Database) -> Bool {
        let name = SQLText.name(table.name)
        let values = table.writableNames.map { "\(SQLText.name($0)) = \(SQLText.name($0))" }
        do {
            for sql in [
                "INSERT INTO \(name) DEFAULT VALUES", "DELETE FROM \(name)",
                "UPDATE \(name) SET \(values.joined(separator: ", "))",
            ] {
                // SQLite compiles the triggers with the statement.
                _ = try db.makeStatement(sql: sql)
            }
            return true
        } catch {
            return false
        }
    }
}
