import GRDB
import MoorageCore
import SQLiteSupport

/// Brings a replica's file of an earlier metadata version up to date, within the transaction that
/// opens it.
///
/// Tables are copied, because `ALTER TABLE … RENAME` fails if a view of the app is broken. The
/// triggers on the app's tables name nothing that changes here, so they stay as they are.
struct FileUpgrade {
    let db: Database

    /// - Parameter version: The version that the file has; nothing happens where it is the newest.
    /// - Throws: `metadataDamaged`.
    func run(from version: Int64) throws {
        // Version 3 has fills in its logs, which earlier code takes for edits. A file of version 2
        // has none, and gets the tables for them with the others.
        guard version < 2 else { return }
        for name in try String.fetchAll(db, sql: "SELECT name FROM _moorage_table") {
            try move("_moorage_unseen_\(name)", to: "_moorage_unconfirmed_\(name)")
            try move("_moorage_touched_\(name)", to: "_moorage_changed_\(name)")
        }
        try move("_moorage_waiting", to: "_moorage_deferred")
        try changeTables()
        try changeRefused()
        try StoredMessages(db: db).rename()
    }

    /// Copies a table of ours under another name.
    private func move(_ old: String, to new: String) throws {
        let (oldName, newName) = (SQLText.name(old), SQLText.name(new))
        guard
            let sql = try String.fetchOne(
                db, sql: "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?",
                arguments: [old])
        else { return }
        // SQLite keeps the text as this library wrote it, with and without quotes.
        let starts = [oldName, old].map { "CREATE TABLE \($0)(" }
        guard let start = starts.first(where: { sql.utf8.starts(with: $0.utf8) }) else {
            throw ReplicaError.metadataChanged(old)
        }
        let columns = Substring(sql.utf8.dropFirst(start.utf8.count - 1))
        try db.execute(
            sql: """
                DROP TABLE IF EXISTS \(newName);
                CREATE TABLE \(newName)\(columns);
                INSERT INTO \(newName) SELECT * FROM \(oldName);
                DROP TABLE \(oldName);
                """)
    }

    /// Makes a table of ours again in its newest form, with the rows of the old one.
    ///
    /// - Parameter values: What each column gets of an old row, in the order of `columns`.
    private func remake(
        _ table: String, as definition: String, columns: String, values: String
    ) throws {
        try db.execute(
            sql: """
                CREATE TEMP TABLE _moorage_old AS SELECT * FROM \(table);
                DROP TABLE main.\(table);
                \(definition)
                INSERT INTO \(table)(\(columns)) SELECT \(values) FROM temp._moorage_old;
                DROP TABLE temp._moorage_old;
                """)
    }

    private func changeTables() throws {
        guard try db.columns(in: "_moorage_table").contains(where: { $0.name == "recompare" })
        else { return }
        try remake(
            "_moorage_table", as: TableRecords.table,
            columns: """
                name, local, keys, places, columns, triggers, tracked, copied, repair, unconfirmed,
                unread, suspended_code, suspended, hub_suspended, checked_seq, checked_at
                """,
            values: """
                name, local, keys, places, columns, triggers, tracked, copied, recompare,
                CASE unseen WHEN 'replace' THEN 'drop' WHEN 'recover' THEN 'list' ELSE unseen END,
                unread,
                CASE stopped_code WHEN 'tableStopped' THEN 'tableSuspended' ELSE stopped_code END,
                stopped, hub_stopped, checked_seq, checked_at
                """)
    }

    private func changeRefused() throws {
        guard try db.columns(in: "_moorage_refused").contains(where: { $0.name == "held" }) else {
            return
        }
        // An id is never used again, because apps may remember it.
        let last = try Int64.fetchOne(
            db, sql: "SELECT seq FROM sqlite_sequence WHERE name = '_moorage_refused'")
        try remake(
            "_moorage_refused", as: Metadata.refusedTable,
            columns: """
                id, tbl, key, operation, columns, before, after, code, message, at, blocked, row, grp
                """,
            values: """
                id, tbl, key, operation, columns, before, after,
                CASE code WHEN 'tableStopped' THEN 'tableSuspended' ELSE code END,
                message, at, held, row, grp
                """)
        guard let last else { return }
        try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = '_moorage_refused'")
        try db.execute(
            sql: "INSERT INTO sqlite_sequence(name, seq) VALUES('_moorage_refused', ?)",
            arguments: [last])
    }
}
