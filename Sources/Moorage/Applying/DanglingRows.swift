import GRDB
public import MoorageCore
import MoorageWire

/// A row that refers to a row which does not exist. The central database has it like that, because
/// a program wrote past the checks of its foreign keys.
public struct DanglingRow: Hashable, Sendable {
    public let table: String
    public let key: Key
    /// The columns that refer.
    public let columns: [String]
    public let referencedTable: String

    public init(table: String, key: Key, columns: [String], referencedTable: String) {
        self.table = table
        self.key = key
        self.columns = columns
        self.referencedTable = referencedTable
    }
}

/// Rows of caught-up pages whose parent is missing, where neither a local change nor a deferred or
/// withheld row explains that.
struct DanglingRows {
    let statements: RawStatements

    func names() throws -> [RowName] {
        let statement = try statements("SELECT DISTINCT tbl, key FROM _moorage_dangling")
        var names: [RowName] = []
        while try statement.step() {
            guard case .text(let table) = statement.column(0).value,
                case .text(let key) = statement.column(1).value,
                let values = try? [Value](jsonText: key)
            else { continue }
            names.append(RowName(table: table, key: Key(values)))
        }
        return names
    }

    func removeAll() throws { try statements("DELETE FROM _moorage_dangling").run() }

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
    }
}

extension ReplicaStore {
    func dangling(_ db: Database, limit: Int) throws -> [DanglingRow] {
        let sql = "SELECT * FROM _moorage_dangling ORDER BY tbl, key LIMIT ?"
        return try Row.fetchAll(db, sql: sql, arguments: [limit]).map { row in
            try Metadata(db: db).damaged("dangling") {
                DanglingRow(
                    table: row["tbl"], key: Key(try [Value](jsonText: row["key"])),
                    columns: try [String](jsonText: row["columns"]),
                    referencedTable: row["parent"])
            }
        }
    }
}
