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

    /// Tables that a hub gave keys of.
    func names() throws -> [String] {
        try String.fetchAll(db, sql: "SELECT DISTINCT tbl FROM _moorage_keys ORDER BY tbl")
    }

    /// How many keys of a table are left.
    ///
    /// - Parameter floor: Those up to it do not count.
    func left(of table: String, above floor: Int64 = .min) throws -> Int {
        let sql = """
            SELECT coalesce(sum(last - max(next - 1, ?2)), 0) FROM _moorage_keys
            WHERE tbl = ?1 AND last > ?2
            """
        return try Int.fetchOne(db, sql: sql, arguments: [table, floor]) ?? 0
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
        let sequence = try LocalSequence(db, table)
        try sequence?.follow()
        while let id = try KeyBlocks(db: db).take(for: table.name) {
            // The app may have used it without asking; or the file was put back, and the row came again.
            if try Row.fetchOne(db, sql: isTaken, arguments: [id]) == nil {
                try sequence?.pass(id)
                return id
            }
        }
        throw ReplicaError(
            .noKeysLeft,
            """
            There are no keys of \(table.name) left on this device. Sync once: the hub hands out \
            more, where its configuration has a `keyBlock` for the table.
            """, recovery: .changeCall)
    }
}

extension StoreTransaction {
    /// How many keys of each table the hub need not give again.
    func keysLeft() throws -> [KeysLeft] {
        let blocks = KeyBlocks(db: db)
        return try blocks.names().map { name in
            let sequence = try tables.table(named: name).flatMap { try LocalSequence(db, $0) }
            try sequence?.follow()
            // SQLite takes none below a row that it has.
            let floor = try sequence?.highestRow() ?? .min
            return KeysLeft(table: name, count: try blocks.left(of: name, above: floor))
        }
    }

    /// Has SQLite go on choosing keys of this replica's own, whatever rows came.
    ///
    /// - Returns: Whether it can, in all tables that it chooses keys in.
    func leadSequences() throws -> Bool {
        try KeyBlocks(db: db).names().reduce(true) { all, name in
            guard let table = tables.table(named: name), let sequence = try LocalSequence(db, table)
            else { return all }
            // A hub that hands out none any more need not be asked.
            return try sequence.lead() || table.description.keyBlock == nil ? all : false
        }
    }
}
