public import GRDB
import Logging

/// The app's own migrations, on a file that is or becomes a replica.
extension Replica {
    /// Runs the app's migrations. Call it before `Replica(…)`, in place of `migrator.migrate(_:)`.
    ///
    /// It does what GRDB's call does, with three differences:
    ///
    /// - With `eraseDatabaseOnSchemaChange`, the replica's own tables and triggers do not count as
    ///   a change. GRDB alone would erase the file at each launch. A file with changes that the
    ///   hub does not have, or with refused ones, is never erased.
    /// - Migrations may write what the user may not (`refusesForbidden`).
    /// - A table that a migration rebuilds gets its triggers back if its synced columns have the
    ///   same rows as before. Otherwise the next sync compares the table with the hub, and may
    ///   list rows as recovered.
    ///
    /// It blocks its thread until the migrations are done, and needs no network. If there are
    /// migrations to run, it reads each synced table once, and a rebuilt one twice. Memory does not
    /// grow with the rows. Call it outside of other accesses to the database.
    ///
    /// - Parameters:
    ///   - database: The app's `DatabasePool` or `DatabaseQueue`. It need not be a replica yet.
    ///   - migrator: All migrations of the app.
    /// - Throws: The error of the first failed migration, as GRDB throws it: what the migrations
    ///   before it did stays. ``ReplicaError`` `changesPending` if the file would have to be
    ///   erased and has such changes, and `metadataNewer` if a newer version of this
    ///   library wrote the file. Then nothing changed. The codes of a failing file, such as
    ///   `database` or `diskFull`.
    public static func migrate(
        _ database: any DatabaseWriter, with migrator: DatabaseMigrator
    ) throws {
        var migrator = migrator
        if migrator.eraseDatabaseOnSchemaChange {
            migrator.eraseDatabaseOnSchemaChange = false
            try eraseIfChanged(database, migrator)
        }
        try database.inOneTransaction(.immediate) { db in
            if try !migrator.hasCompletedMigrations(db) { try RightTriggers.dropAll(in: db) }
        }
        let rebuilt = try RebuiltTables(before: migrator, database)
        do {
            try migrator.migrate(database)
        } catch {
            // Migrations before the failed one may have rebuilt tables. If this fails, too, the
            // next opening repairs them.
            try? rebuilt?.restoreTriggers(database)
            throw error
        }
        try rebuilt?.restoreTriggers(database)
    }

    private static func eraseIfChanged(
        _ database: any DatabaseWriter, _ migrator: DatabaseMigrator
    ) throws {
        guard try MigratedSchema.isChanged(database, migrator) else { return }
        let isPending = try database.inOneTransaction(.immediate) { db in
            let meta = Metadata(db: db)
            guard try meta.exists() else { return false }
            _ = try meta.bringUpToDate()
            // A table that the app took out of its list has its log, too. A repair may find changes
            // that no log has.
            return try ReplicaStore(tables: []).hasLoggedChanges(db)
                || [
                    "SELECT 1 FROM _moorage_inflight LIMIT 1",
                    "SELECT 1 FROM _moorage_refused LIMIT 1",
                    "SELECT 1 FROM _moorage_table WHERE repair <> 0 LIMIT 1",
                ].contains { try RawStatement(db, $0).exists([]) }
        }
        if isPending { throw ReplicaError.erasesPendingChanges }
        do { try database.erase() } catch { throw SyncDriver.readable(error) }
        Logger(label: "moorage.replica").notice(
            "The app's migrations changed, so the file was erased (eraseDatabaseOnSchemaChange).")
    }
}

extension DatabaseWriter {
    /// Runs one transaction on the database's own queue, and converts errors.
    func inOneTransaction<Result>(
        _ kind: Database.TransactionKind, _ body: (Database) throws -> Result
    ) throws -> Result {
        do {
            return try writeWithoutTransaction { db in
                try db.returning(kind) { try body(db) }
            }
        } catch {
            throw SyncDriver.readable(error)
        }
    }
}
