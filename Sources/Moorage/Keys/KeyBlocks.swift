import GRDB
import MoorageCore
import MoorageWire

/// Integer keys that the hub handed out to this replica alone, in its file.
struct KeyBlocks {
    let db: Database

    static let name = "_moorage_keys"
    static let table = """
        CREATE TABLE \(name)(
          id INTEGER PRIMARY KEY, tbl TEXT NOT NULL,
          next INTEGER NOT NULL,   -- the first that no row got
          last INTEGER NOT NULL)
        """

    func add(_ blocks: [KeyBlock]) throws {
        for block in blocks {
            try db.execute(
                sql: "INSERT INTO _moorage_keys(tbl, next, last) VALUES(?, ?, ?)",
                arguments: [block.table, block.first, block.last])
        }
    }

    /// What is left of each table's.
    func left() throws -> [KeysLeft] {
        let sql = "SELECT tbl, sum(last - next + 1) FROM _moorage_keys GROUP BY tbl ORDER BY tbl"
        return try Row.fetchAll(db, sql: sql).map { KeysLeft(table: $0[0], count: $0[1]) }
    }

    /// The next key of a table; `nil` when there is none left.
    func take(for table: String) throws -> Int64? {
        let sql = "SELECT id, next, last FROM _moorage_keys WHERE tbl = ? ORDER BY id LIMIT 1"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [table]) else { return nil }
        let (id, next, last): (Int64, Int64, Int64) = (row[0], row[1], row[2])
        if next < last {
            try db.execute(
                sql: "UPDATE _moorage_keys SET next = next + 1 WHERE id = ?", arguments: [id])
        } else {
            try db.execute(sql: "DELETE FROM _moorage_keys WHERE id = ?", arguments: [id])
        }
        return next
    }

    /// They belong to the name that they were given to.
    func forget() throws { try db.execute(sql: "DELETE FROM _moorage_keys") }
}

extension ReplicaStore {
    /// A key that no row has, here or elsewhere.
    func nextID(_ db: Database, for name: String) throws -> Int64 {
        guard let table = try load(db).synced.first(where: { $0.name.hasSameBytes(as: name) })
        else {
            throw ReplicaError(
                .noSuchTable,
                "The replica does not sync a table \(name), or it stands still; see its status.",
                recovery: .changeCall)
        }
        let isTaken = """
            SELECT 1 FROM \(SQLText.name(table.tracked.local.name))
            WHERE \(SQLText.name(table.keyLocalNames[0])) = ?
            """
        while let id = try KeyBlocks(db: db).take(for: table.name) {
            // The app may have used it without asking; or the file was put back, and the row came again.
            if try Row.fetchOne(db, sql: isTaken, arguments: [id]) == nil { return id }
        }
        throw ReplicaError(
            .noKeysLeft,
            """
            There are no keys of \(table.name) left on this device. Sync once: the hub hands out \
            more, where its configuration has a `keyBlock` for the table.
            """, recovery: .changeCall)
    }
}
