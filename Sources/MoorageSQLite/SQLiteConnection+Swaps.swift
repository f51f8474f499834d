import MoorageCore
import MoorageHub

/// Unique values that rows exchange.
extension SQLiteConnection {
    func swapFacts(_ table: AttachedTable) throws -> SwapFacts {
        let columns = try LocalColumn.read(table.name, on: self)
        guard columns.count == table.description.columns.count else { return SwapFacts() }
        let others = try query(
            """
            SELECT 1 FROM sqlite_master
            WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
              AND name NOT LIKE 'moorage\\_%' ESCAPE '\\'
            UNION ALL
            SELECT 1 FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
            WHERE m.type = 'table' AND f."table" = ?1 COLLATE NOCASE
              AND f.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
            LIMIT 1
            """, [.text(table.name)])
        guard others.isEmpty else { return SwapFacts() }
        let isGenerated = table.description.columns.map { column in
            columns.first { $0.name.hasSameBytes(as: column.name) }?.isGenerated ?? true
        }
        return SwapFacts(
            columnsPutBack: table.description.columns.indices.filter { !isGenerated[$0] })
    }

    /// ``deferConstraints()`` defers all foreign keys.
    func leavingReferences(_ write: () throws -> Void) throws { try write() }
}
