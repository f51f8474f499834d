import GRDB
import MoorageCore
import MoorageWire

/// Rows of caught-up pages whose parent is missing, where neither a local change nor a deferred or
/// withheld row explains that.
struct DanglingRows {
    let statements: RawStatements

    static let table = "_moorage_dangling"

    func names() throws -> [RowName] {
        let statement = try statements("SELECT DISTINCT tbl, key FROM _moorage_dangling")
        var names: [RowName] = []
        while try statement.step() {
            guard case .text(let table) = statement.column(0).value,
                case .text(let key) = statement.column(1).value,
                let values = try? [Value](jsonText: key)
            else { continue }
            names.append(RowName(table: table, key: RowKey(values)))
        }
        return names
    }

    func removeAll() throws {
        try statements("DELETE FROM _moorage_dangling").run()
        try statements.db.notifyChanges(in: Table(Self.table))
    }

    func add(_ row: DanglingRow) throws {
        try statements(
            """
            INSERT OR REPLACE INTO _moorage_dangling(tbl, key, columns, parent)
            VALUES(?1, ?2, ?3, ?4)
            """
        ).run([
            .text(row.table), .text(row.key.values.jsonText()),
            .text(row.columns.jsonText), .text(row.referencedTable),
        ])
        try statements.db.notifyChanges(in: Table(Self.table))
    }
}

extension ReplicaStore {
    func dangling(_ db: Database, limit: Int) throws -> [DanglingRow] {
        let sql = "SELECT * FROM _moorage_dangling ORDER BY tbl, key LIMIT ?"
        return try Row.fetchAll(db, sql: sql, arguments: [limit]).map { row in
            try Metadata(db: db).damaged("dangling") {
                DanglingRow(
                    table: try row.decode(forColumn: "tbl"),
                    key: RowKey(try [Value](jsonText: row.decode(forColumn: "key"))),
                    columns: try [String](jsonText: row.decode(forColumn: "columns")),
                    referencedTable: try row.decode(forColumn: "parent"))
            }
        }
    }
}
