import GRDB

/// Reads the app's own schema.
struct LocalSchema {
    let db: Database

    /// The table of this name in any case of its letters; `nil` when there is none.
    func table(named name: String) throws -> LocalTable? {
        let sql = """
            SELECT name, type, strict FROM pragma_table_list
            WHERE schema = 'main' AND name = ? COLLATE NOCASE
            """
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [name]) else { return nil }
        let found: String = row["name"]
        let kind: String = row["type"]
        guard kind == "table" else {
            throw ReplicaError(
                .notATable,
                "\(found) is a \(kind) table or view; only ordinary tables can be synced.",
                recovery: .changeSchema)
        }
        return try read(found, isStrict: row["strict"])
    }

    /// Every ordinary table of the app.
    func tableNames() throws -> [String] {
        let sql = """
            SELECT name FROM pragma_table_list
            WHERE schema = 'main' AND type = 'table'
              AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_moorage\\_%' ESCAPE '\\'
            ORDER BY name
            """
        return try String.fetchAll(db, sql: sql)
    }

    private func read(_ name: String, isStrict: Bool) throws -> LocalTable {
        var columns: [LocalColumn] = []
        var key: [(order: Int, position: Int)] = []
        let sql = "SELECT * FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid"
        for row in try Row.fetchAll(db, sql: sql, arguments: [name]) {
            let type: String = row["type"] ?? ""
            let hidden: Int = row["hidden"]
            let order: Int = row["pk"]
            if order > 0 { key.append((order, columns.count)) }
            columns.append(
                LocalColumn(
                    name: row["name"], declaredType: type,
                    affinity: Affinity(declaredType: type, isStrict: isStrict),
                    isNotNull: row["notnull"], defaultSQL: row["dflt_value"],
                    isGenerated: hidden == 2 || hidden == 3))
        }
        return LocalTable(
            name: name, columns: columns,
            primaryKey: key.sorted { $0.order < $1.order }.map(\.position), isStrict: isStrict,
            uniqueIndexes: try uniqueIndexes(of: name), foreignKeys: try foreignKeys(of: name))
    }

    private func uniqueIndexes(of table: String) throws -> [LocalIndex] {
        let sql = """
            SELECT name, partial FROM pragma_index_list(?)
            WHERE "unique" AND origin <> 'pk' ORDER BY name
            """
        return try Row.fetchAll(db, sql: sql, arguments: [table]).map { index in
            let name: String = index["name"]
            var isPlain: Bool = !index["partial"]
            var columns: [IndexedColumn] = []
            let sql = "SELECT cid, name, coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno"
            for row in try Row.fetchAll(db, sql: sql, arguments: [name]) {
                if let column: String = row["name"] {
                    columns.append(IndexedColumn(name: column, collation: row["coll"]))
                } else {
                    isPlain = false
                }
            }
            return LocalIndex(name: name, columns: columns, isPlain: isPlain)
        }
    }

    func foreignKeys(of table: String) throws -> [LocalForeignKey] {
        let sql = "SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq"
        var rows: [Int: [Row]] = [:]
        for row in try Row.fetchAll(db, sql: sql, arguments: [table]) {
            rows[row["id"], default: []].append(row)
        }
        return try rows.sorted { $0.key < $1.key }.compactMap { _, parts in
            guard let first = parts.first else { return nil }
            let parent: String = first["table"]
            var referenced = parts.compactMap { $0["to"] as String? }
            if referenced.count < parts.count { referenced = try keyNames(of: parent) }
            return LocalForeignKey(
                table: table, columns: parts.map { $0["from"] }, referencedTable: parent,
                referencedColumns: referenced, onDelete: first["on_delete"])
        }
    }

    private func keyNames(of table: String) throws -> [String] {
        let sql = "SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk"
        return try String.fetchAll(db, sql: sql, arguments: [table])
    }
}
