import MoorageCore
import MoorageHub

/// The column that an attach adds to a table without any key, on MariaDB.
extension MySQLConnection {
    private var keyColumn: String { SQLText.name(KeylessTable.addedKey) }

    /// UUIDs in a type that compares them by bytes.
    private var keyType: String {
        link.kind.hasUUID ? "UUID" : "CHAR(36) CHARACTER SET ascii COLLATE ascii_nopad_bin"
    }

    func addKeySteps(to table: AttachedTable) throws -> [String] {
        let isNullable = try isAddedKeyNullable(in: table)
        if isNullable == false { return [] }
        let alter = "ALTER TABLE \(SQLText.name(table.name))"
        let add = """
            \(alter) ADD COLUMN \(keyColumn) \(keyType) NULL, ADD UNIQUE INDEX \(keyColumn) (\(keyColumn))
            """
        // The default of a column that exists is not written into the existing rows.
        return (isNullable == nil ? [add] : [])
            + ["\(alter) ALTER COLUMN \(keyColumn) SET DEFAULT (uuid())"]
    }

    func fillKeys(of table: AttachedTable, batch: Int, progress: () throws -> Void) throws {
        guard try isAddedKeyNullable(in: table) == true else { return }
        let name = SQLText.name(table.name)
        let part = max(1, batch)
        let isMissing = "\(keyColumn) IS NULL"
        let count = "SELECT count(*) FROM \(name) WHERE \(isMissing)"
        let fill = "UPDATE \(name) SET \(keyColumn) = uuid() WHERE \(isMissing) LIMIT \(part)"
        try fillRows(of: table) {
            Int(clamping: try link.query(count, isKept: false).integer(0, 0) ?? 0)
        } pass: { left in
            for _ in stride(from: 0, to: left, by: part) {
                try write(fill)
                try progress()
            }
        }
    }

    private func write(_ statement: String) throws {
        try begin(.write)
        do {
            try link.simple(statement)
            try commit()
        } catch {
            rollback()
            throw error
        }
    }

    func closeKeySteps(of table: AttachedTable) throws -> [String] {
        if try isAddedKeyNullable(in: table) == false { return [] }
        return [
            """
            ALTER TABLE \(SQLText.name(table.name))
            MODIFY COLUMN \(keyColumn) \(keyType) NOT NULL DEFAULT (uuid())
            """
        ]
    }

    func removeKeySteps(from table: AttachedTable) throws -> [String] {
        if try isAddedKeyNullable(in: table) == nil { return [] }
        return ["ALTER TABLE \(SQLText.name(table.name)) DROP COLUMN \(keyColumn)"]
    }

    /// `nil` where the table has no such column.
    private func isAddedKeyNullable(in table: AttachedTable) throws -> Bool? {
        let answer = try link.query(
            """
            SELECT is_nullable FROM information_schema.columns
            WHERE table_schema = database() AND table_name = ? AND column_name = ?
            """, Self.parameters(table.name, KeylessTable.addedKey), isKept: false)
        return answer.rowCount == 0 ? nil : answer.text(0, 0) == "YES"
    }
}
