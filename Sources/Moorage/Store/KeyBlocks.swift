import GRDB
import MoorageCore
import MoorageWire

/// Integer keys that the hub handed out to this replica only, as its file has them.
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

    /// Tables for which a hub gave keys.
    func names() throws -> [String] {
        try String.fetchAll(db, sql: "SELECT DISTINCT tbl FROM _moorage_keys ORDER BY tbl")
    }

    /// How many keys of a table are left.
    ///
    /// - Parameter floor: Keys up to it do not count.
    func left(of table: String, above floor: Int64 = .min) throws -> Int {
        let sql = """
            SELECT coalesce(sum(last - max(next - 1, ?2)), 0) FROM _moorage_keys
            WHERE tbl = ?1 AND last > ?2
            """
        return try Int.fetchOne(db, sql: sql, arguments: [table, floor]) ?? 0
    }

    /// The next key of a table; `nil` when no key is left.
    func nextKey(for table: String) throws -> Int64? {
        let sql = "SELECT id, next, last FROM _moorage_keys WHERE tbl = ? ORDER BY id LIMIT 1"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [table]) else { return nil }
        let id = try row.decode(Int64.self, atIndex: 0)
        let next = try row.decode(Int64.self, atIndex: 1)
        let last = try row.decode(Int64.self, atIndex: 2)
        if next < last {
            try db.execute(
                sql: "UPDATE _moorage_keys SET next = next + 1 WHERE id = ?", arguments: [id])
        } else {
            try db.execute(sql: "DELETE FROM _moorage_keys WHERE id = ?", arguments: [id])
        }
        return next
    }

    /// Forgets all keys: they belong to the replica id that got them.
    func forget() throws { try db.execute(sql: "DELETE FROM _moorage_keys") }
}
