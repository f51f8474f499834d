import GRDB
import GRDBSQLite
import MoorageCore

/// A table in which SQLite itself chooses the keys of new rows: an `INTEGER PRIMARY KEY
/// AUTOINCREMENT`.
///
/// SQLite takes the number after the table's entry in `sqlite_sequence`, or after the highest row
/// if that is higher. So the entry is set just before the first block of this replica that is above
/// all rows.
struct LocalSequence {
    /// How many blocks below the highest row stay for ``Replica/nextID(_:for:)``: as many as a hub
    /// gives in advance.
    private static let passedBlocks = 2

    private let db: Database
    private let name: String
    private let local: String
    private let table: String
    private let column: String

    /// `nil` if the table has another kind of key.
    init?(_ db: Database, _ table: SyncedTable) throws {
        local = table.tracked.local.name
        guard table.keyLocalNames.count == 1, table.description.direction.acceptsChanges,
            try Self.counts(db, local, table.keyLocalNames[0])
        else { return nil }
        self.db = db
        name = table.name.text
        self.table = SQLText.name(local)
        column = SQLText.name(table.keyLocalNames[0])
    }

    private static func counts(_ db: Database, _ table: String, _ column: String) throws -> Bool {
        var counts: Int32 = 0
        let code = sqlite3_table_column_metadata(
            db.sqliteConnection, "main", table, column, nil, nil, nil, nil, &counts)
        return code == SQLITE_OK && counts != 0
    }

    /// Removes from the blocks the keys that SQLite has chosen since.
    func follow() throws {
        let isMine = "BETWEEN _moorage_keys.next AND _moorage_keys.last"
        let sql = """
            UPDATE _moorage_keys SET next = max(
              next,
              coalesce((SELECT max(\(column)) FROM \(table) WHERE \(column) \(isMine)) + 1, 0),
              coalesce((
                SELECT max(seq) FROM sqlite_sequence WHERE name = ?2 AND seq \(isMine)) + 1, 0))
            WHERE tbl = ?1
            """
        try db.execute(sql: sql, arguments: [name, local])
        try db.execute(
            sql: "DELETE FROM _moorage_keys WHERE tbl = ? AND next > last", arguments: [name])
    }

    /// - Returns: Whether SQLite chooses a key of this replica's own next.
    func lead() throws -> Bool {
        try follow()
        let highest = try highestRow()
        try dropPassed(highest)
        // After the end of a block SQLite would go on with keys of somebody else. So a block that
        // is nearly used up is left for `nextID`.
        let first = """
            SELECT next FROM _moorage_keys AS block WHERE tbl = ?1 AND next > ?2
            ORDER BY (last - next + 1) * 2 < (
              SELECT max(last - next + 1) FROM _moorage_keys WHERE tbl = ?1 AND next > ?2), next
            LIMIT 1
            """
        guard let next = try Int64.fetchOne(db, sql: first, arguments: [name, highest]) else {
            return false
        }
        try set(next - 1)
        return true
    }

    /// Keeps SQLite from choosing a key again that the app asked for.
    func pass(_ key: Int64) throws {
        guard try !lead(), try entry().map({ $0 < key }) ?? true else { return }
        try set(key)
    }

    /// 0 in an empty table.
    func highestRow() throws -> Int64 {
        max(0, try Int64.fetchOne(db, sql: "SELECT max(\(column)) FROM \(table)") ?? 0)
    }

    private func dropPassed(_ highest: Int64) throws {
        let sql = """
            DELETE FROM _moorage_keys WHERE id IN (
              SELECT id FROM _moorage_keys WHERE tbl = ? AND last <= ?
              ORDER BY id DESC LIMIT -1 OFFSET \(Self.passedBlocks))
            """
        try db.execute(sql: sql, arguments: [name, highest])
    }

    private func entry() throws -> Int64? {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?"
        return try Int64.fetchOne(db, sql: sql, arguments: [local])
    }

    private func set(_ number: Int64) throws {
        let known = try entry()
        guard known != number else { return }
        try db.execute(
            sql: known == nil
                ? "INSERT INTO sqlite_sequence(seq, name) VALUES(?, ?)"
                : "UPDATE sqlite_sequence SET seq = ? WHERE name = ?", arguments: [number, local])
    }
}
