import MoorageCore

/// Rows that a replica with a priority wrote last. When another program changes such a row, it has
/// another time, and the record says nothing about it any more.
extension Metadata {
    func priority(of key: RowKey, in table: AttachedTable, changedAt: HubTime) throws -> Int {
        let rows = try connection.run(
            "SELECT priority FROM moorage_priority WHERE id = ? AND changed_at = ?",
            [.text(Self.name(key, table)), .time(changedAt)])
        guard case .integer(let priority)? = rows.first?.first else { return 0 }
        return Int(clamping: priority)
    }

    /// The row with the priority of whoever wrote it last.
    func ranked(_ row: CentralRow, _ key: RowKey, in table: AttachedTable) throws -> CentralRow {
        guard row.values != nil, let changedAt = row.changedAt else { return row }
        return CentralRow(
            values: row.values, changedAt: changedAt, isTombstone: row.isTombstone,
            priority: try priority(of: key, in: table, changedAt: changedAt))
    }

    func set(priority: Int, of key: RowKey, in table: AttachedTable, changedAt: HubTime) throws {
        let name = Self.name(key, table)
        _ = try connection.run("DELETE FROM moorage_priority WHERE id = ?", [.text(name)])
        guard priority != 0 else { return }
        _ = try connection.run(
            "INSERT INTO moorage_priority (id, priority, changed_at) VALUES (?, ?, ?)",
            [.text(name), .integer(Int64(priority)), .time(changedAt)])
    }

    /// Forgets who wrote rows that were last changed before a time.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func forgetPriorities(before time: HubTime, limit: Int) throws -> Int {
        try forget(
            ["id"], of: "moorage_priority", where: "changed_at", isBefore: time, limit: limit)
    }

    private static func name(_ key: RowKey, _ table: AttachedTable) -> String {
        var fingerprint = Fingerprint()
        for value in key.values { fingerprint.add(value) }
        return "\(table.number)-\(fingerprint.hex)"
    }
}
