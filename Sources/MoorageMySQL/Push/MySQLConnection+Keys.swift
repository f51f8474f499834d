import MoorageCore
import MoorageHub

/// Integer keys for new rows.
extension MySQLConnection {
    func highestKey(of table: AttachedTable) throws -> Int64? {
        let shape = try shape(of: table)
        return try link.query("SELECT max(\(shape.keys[0].column.quoted)) FROM \(shape.name)")
            .integer(0, 0)
    }

    /// InnoDB's counter follows the highest key that was ever inserted. It does not go back when
    /// the insert is undone. So this inserts a row with the last of the keys, and undoes that.
    func reserveKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?
    {
        let shape = try shape(of: table)
        let key = shape.keys[0].column
        guard key.isAutomatic, shape.keys.count == 1 else {
            try key.checkRoom(for: count, above: floor, in: table.name)
            return nil
        }
        let next = try nextAutomaticKey(of: table)
        // Leaves the first of these to rows that others insert meanwhile.
        let first = max(next, floor + 1) + Self.keysLeftToOthers
        try key.checkRoom(for: count + Int(Self.keysLeftToOthers), above: first, in: table.name)
        let last = first + Int64(count) - 1
        try savepoint()
        isLax = true
        do {
            // The owner's checks may refuse a row with only a key, so they are off for this
            // statement.
            try link.simple(
                """
                SET SESSION sql_mode = 'ANSI_QUOTES', foreign_key_checks = 0\
                \(link.kind.isMariaDB ? ", check_constraint_checks = 0" : "");
                INSERT INTO \(shape.name) (\(key.quoted)) VALUES (\(last))
                """)
        } catch let error as CentralError {
            try restoreChecks()
            try rollbackToSavepoint()
            guard case .refused = error.kind else { throw error }
            return nil
        }
        try restoreChecks()
        try rollbackToSavepoint()
        guard try nextAutomaticKey(of: table) > last else {
            throw CentralError.keysTaken(of: table.name)
        }
        return first...last
    }

    private static let keysLeftToOthers: Int64 = 256

    private func nextAutomaticKey(of table: AttachedTable) throws -> Int64 {
        try link.query(
            """
            SELECT auto_increment FROM information_schema.tables
            WHERE table_schema = database() AND table_name = ?
            """, Self.parameters(table.name), [.integer], isKept: false
        ).integer(0, 0) ?? 1
    }
}
