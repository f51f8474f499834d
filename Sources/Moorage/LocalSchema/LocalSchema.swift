import GRDB
import MoorageCore
import SQLiteSupport

/// Reads the app's own schema. One instance can read many tables: SQLite lists every table to find
/// one, and the instance keeps the list.
struct LocalSchema {
    let db: Database
    private let list: TableList

    init(db: Database) {
        self.db = db
        list = TableList()
    }

    /// The tables and views by their folded names, once the list was read.
    private final class TableList {
        struct Entry {
            let name: String
            let kind: String
            let isStrict: Bool
        }
        var entries: [Identifier: Entry]?
    }

    private func listed() throws -> [Identifier: TableList.Entry] {
        if let known = list.entries { return known }
        var entries: [Identifier: TableList.Entry] = [:]
        let statement = try RawStatement.fixed(
            db, "SELECT name, type, strict FROM pragma_table_list WHERE schema = 'main'")
        while try statement.step() {
            // Nobody can ask for a name that is not UTF-8.
            guard case .value(.text(let name)) = statement.column(0),
                case .value(.text(let kind)) = statement.column(1)
            else { continue }
            entries[Identifier(folding: name)] = TableList.Entry(
                name: name, kind: kind, isStrict: statement.column(2).value == .integer(1))
        }
        list.entries = entries
        return entries
    }

    /// The table of this name in any case of its letters; `nil` when there is no such table.
    func table(named name: String) throws -> LocalTable? {
        guard let found = try listed()[Identifier(folding: name)] else { return nil }
        guard found.kind == "table" else {
            throw ReplicaError.notATable(found.name, kind: found.kind)
        }
        return try read(found.name, isStrict: found.isStrict)
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

    /// The rows of a PRAGMA for one table. The statement is cached, because each table uses the
    /// same one.
    private func rows(_ sql: String, of table: String) throws -> [Row] {
        try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [table])
    }

    private func read(_ name: String, isStrict: Bool) throws -> LocalTable {
        try checkColumnNames(of: name)
        var columns: [LocalColumn] = []
        var key: [(order: Int, position: Int)] = []
        let sql = "SELECT * FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid"
        for row in try rows(sql, of: name) {
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
        // One query: an index's own name may not be UTF-8, and would change on its way back to
        // SQLite.
        let sql = """
            SELECT i.seq, i.name AS "index", i.partial, c.name, c.coll
            FROM pragma_index_list(?) AS i, pragma_index_xinfo(i.name) AS c
            WHERE i."unique" AND i.origin <> 'pk' AND c.key ORDER BY i.name, c.seqno
            """
        var indexes: [(number: Int, index: LocalIndex)] = []
        for row in try rows(sql, of: table) {
            let number: Int = row["seq"]
            if indexes.last?.number != number {
                let index = LocalIndex(name: row["index"], columns: [], isPlain: !row["partial"])
                indexes.append((number, index))
            }
            if let column: String = row["name"] {
                let indexed = IndexedColumn(name: column, collation: row["coll"])
                indexes[indexes.count - 1].index.columns.append(indexed)
            } else {
                indexes[indexes.count - 1].index.isPlain = false
            }
        }
        return indexes.map(\.index)
    }

    func foreignKeys(of table: String) throws -> [LocalForeignKey] {
        let sql = "SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq"
        var rows: [Int: [Row]] = [:]
        for row in try self.rows(sql, of: table) {
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

    // MARK: Names

    /// SQLite accepts any bytes as a name. Our SQL cannot contain a name that is not UTF-8.
    private func checkColumnNames(of table: String) throws {
        let names = try RawStatement.fixed(
            db, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1")
        try names.bind([.text(table)])
        defer { names.reset() }
        while try names.step() {
            guard case .value = names.column(0) else {
                throw ReplicaError.unreadableColumn(of: table)
            }
        }
    }

    /// The tables that are referred to by a foreign key that the client cannot carry out. Carrying
    /// it out needs the names of the table and columns that declare it, and one of these is not
    /// UTF-8. Read once for all tables, because it reads every foreign key.
    func unreadablyReferred() throws -> [String] {
        let names = try RawStatement(
            db,
            """
            SELECT t.name, f."from", f."table"
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
            WHERE t.schema = 'main' AND t.type = 'table'
            """)
        var result: [String] = []
        while try names.step() {
            if case .value = names.column(0), case .value = names.column(1) { continue }
            if case .value(.text(let table)) = names.column(2) { result.append(table) }
        }
        return result
    }

    private func keyNames(of table: String) throws -> [String] {
        let sql = "SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk"
        return try String.fetchAll(db, sql: sql, arguments: [table])
    }
}
