import MoorageCore
import MoorageHub

/// Unique values that rows exchange.
extension MySQLConnection {
    func swapFacts(_ table: AttachedTable) throws -> SwapFacts {
        let shape = try shape(of: table)
        var free: [Int: [Value]] = [:]
        for column in Set(table.description.uniqueKeys.joined())
        where shape.columns[column].dataType == "enum" {
            free[column] = Self.labels(shape.columns[column].columnType).map(Value.text)
        }
        return SwapFacts(freeValues: free, columnsPutBack: try columnsPutBack(shape))
    }

    /// The columns to write when a row is removed and written again; `nil` where that is not
    /// possible. The removal runs no foreign-key actions, so nothing may refer to what changes of
    /// the row.
    private func columnsPutBack(_ shape: TableShape) throws -> [Int]? {
        let table = shape.table
        let changing = Set(table.description.uniqueKeys.joined()).filter {
            !table.description.isKey($0)
        }
        guard shape.onlyRefers(Array(changing)),
            try nativeColumns(of: table.name).count == shape.columns.count
        else { return nil }
        let triggers = try link.query(
            """
            SELECT count(CASE WHEN LEFT(trigger_name, 8) <> 'moorage_' THEN 1 END),
              count(CASE WHEN LEFT(trigger_name, 8) = 'moorage_' THEN 1 END)
            FROM information_schema.triggers
            WHERE event_object_schema = database() AND event_object_table = ?
            """, Self.parameters(table.name), isKept: false)
        // A user who cannot see Moorage's triggers cannot see the owner's either.
        guard triggers.integer(0, 0) == 0, triggers.integer(0, 1) != 0 else { return nil }
        return shape.columns.indices.filter { !shape.columns[$0].isGenerated }
    }

    /// This server checks foreign keys at once. A row that refers to nothing meanwhile gets its
    /// final values in a write that the server checks.
    func leavingReferences(_ write: () throws -> Void) throws {
        isLeavingReferences = true
        defer { isLeavingReferences = false }
        try write()
    }
}
