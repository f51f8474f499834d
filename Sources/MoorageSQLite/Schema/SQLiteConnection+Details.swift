import MoorageCore
import MoorageHub

extension SQLiteConnection {
    /// Nothing in SQLite has a comment, and no type is an enumeration.
    func details(of tables: [String]) throws -> [CentralTableDetails] {
        try tables.compactMap { table in
            let statement = try query(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(table)])
            guard let sql = statement.first?.first?.plainText else { return nil }
            return CentralTableDetails(
                name: table, checks: CheckTexts.read(sql), indexes: try plainIndexes(of: table),
                columns: try LocalColumn.read(table, on: self).map { column in
                    CentralColumnDetails(name: column.name, type: column.declaredType)
                })
        }
    }

    /// The columns of indexes that a statement made, without unique and partial ones.
    private func plainIndexes(of table: String) throws -> [[String]] {
        let rows = try query(
            """
            SELECT i.seq, c.name
            FROM pragma_index_list(?) AS i, pragma_index_xinfo(i.name) AS c
            WHERE i."unique" = 0 AND i.origin = 'c' AND i.partial = 0 AND c.key = 1
            ORDER BY i.name, c.seqno
            """, [.text(table)])
        var indexes: [(index: Value, columns: [String?])] = []
        for row in rows {
            if indexes.last?.index != row[0] { indexes.append((row[0], [])) }
            indexes[indexes.count - 1].columns.append(row[1].plainText)
        }
        // An expression has no name.
        return indexes.compactMap { index in
            let names = index.columns.compactMap { $0 }
            return names.count == index.columns.count ? names : nil
        }
    }
}
