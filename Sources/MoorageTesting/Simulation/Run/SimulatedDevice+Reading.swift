import GRDB
import MoorageCore
import MoorageWire

extension SimulatedDevice {
    /// The keys of rows with log entries.
    func changedKeys(of table: String) throws -> [[Value]] {
        try write { db in
            let keys = columns[table]?.filter { $0.keyPosition > 0 }.count ?? 1
            let list = (0..<keys).map { "k\($0)" }.joined(separator: ", ")
            return try db.rawRows("SELECT DISTINCT \(list) FROM \"_moorage_log_\(table)\"")
        }
    }

    /// The keys of a table's rows.
    func keys(of table: String) throws -> [[Value]] {
        let list = (columns[table] ?? []).keys.map { "\"\($0.name)\"" }.joined(separator: ", ")
        return try write { try $0.rawRows("SELECT \(list) FROM \"\(table)\"") }
    }

    /// The keys of withheld rows.
    func withheldKeys(of table: String) throws -> [[Value]] {
        try keys(of: table, on: "_moorage_withheld")
    }

    /// The keys of rows that wait for a unique value to become free.
    func deferredKeys(of table: String) throws -> [[Value]] {
        try keys(of: table, on: "_moorage_deferred")
    }

    private func keys(of table: String, on list: String) throws -> [[Value]] {
        try write { db in
            let sql = "SELECT key FROM \(list) WHERE tbl = \(Value.text(table).literal)"
            return try db.rawRows(sql).compactMap {
                guard case .text(let json) = $0[0] else { return nil }
                return try [Value](jsonText: json)
            }
        }
    }

    func hasRow(_ name: RowName) throws -> Bool { try !row(name).isEmpty }

    /// The values of a row as the file has them; empty without such a row.
    func row(_ name: RowName) throws -> [Value] {
        let keys = (columns[name.table] ?? []).keys
        let condition = zip(keys, name.key.values).map { "\"\($0.name)\" IS \($1.literal)" }
        return try write {
            try $0.rawRows(
                "SELECT * FROM \"\(name.table)\" WHERE \(condition.joined(separator: " AND "))"
            ).first ?? []
        }
    }

    func isInFlight(_ batch: Batch) throws -> Bool {
        let nonce = Value.text(batch.nonce).literal
        return try write {
            try !$0.rawRows("SELECT 1 FROM _moorage_inflight WHERE nonce = \(nonce)").isEmpty
        }
    }

    /// The keys of rows without log entries.
    func rowsWithoutLocalChanges() throws -> Set<RowName> {
        var names: Set<RowName> = []
        for table in tables {
            let changed = Set(try changedKeys(of: table))
            for row in try keys(of: table) where !changed.contains(row) {
                names.insert(RowName(table: table, key: RowKey(row)))
            }
        }
        return names
    }

    /// Whether the log has an entry that inserts a row, or whose before-image of a column is this
    /// value.
    ///
    /// - Parameter batch: Entries that were recorded after it was cut do not count.
    func hasLogEntry(
        of name: RowName, before batch: Batch,
        thatInsertsOrFrees freed: (column: String, value: Value)?
    ) throws -> Bool {
        let prepared = batch.preparedAt.milliseconds
        return try write { db in
            let condition = name.key.values.enumerated().map { "k\($0) IS \($1.literal)" }
            let last = cut?.nonce == batch.nonce ? cut?.last[name.table] : nil
            var sql = """
                SELECT 1 FROM "_moorage_log_\(name.table)"
                WHERE (at < \(prepared) OR at = \(prepared) AND seq <= \(last ?? .max))
                AND \(condition.joined(separator: " AND "))
                """
            guard let freed else { return try !db.rawRows(sql + " AND op = 'I'").isEmpty }
            let places = try db.rawRows(
                "SELECT places FROM _moorage_table WHERE name = \(Value.text(name.table).literal)")
            guard case .text(let json)? = places.first?.first,
                let place = try [Value](jsonText: json).firstIndex(of: .text(freed.column))
            else { return false }
            sql += " AND o\(place) IS \(freed.value.literal)"
            return try !db.rawRows(sql).isEmpty
        }
    }

    /// The last entry of each table's log.
    func lastEntries() throws -> [String: Int64] {
        try write { db in
            var last: [String: Int64] = [:]
            for case .text(let log) in try db.rawRows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\\_moorage\\_log\\_%' ESCAPE '\\'"
            ).joined() {
                let rows = try db.rawRows("SELECT coalesce(max(seq), 0) FROM \"\(log)\"")
                guard case .integer(let seq)? = rows.first?.first else { continue }
                last[String(log.dropFirst("_moorage_log_".count))] = seq
            }
            return last
        }
    }

    /// The columns on both sides, the key's first.
    func sharedColumns(of table: String, with centre: SimulatedCentre) -> [SimulatedColumn] {
        let theirs = centre.visibleColumns(of: table)
        let shared = (columns[table] ?? []).filter { column in
            theirs.contains { $0.name == column.name }
        }
        return shared.keys + shared.filter { $0.keyPosition == 0 }
    }

    /// The app drops the triggers of a table, as a careless migration does.
    func dropTriggers(of table: String) throws {
        try write { db in
            for case .text(let name) in try db.rawRows(
                """
                SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '\(table)' \
                AND name LIKE '\\_moorage\\_%' ESCAPE '\\'
                """
            ).joined() {
                try db.execute(sql: "DROP TRIGGER \"\(name)\"")
            }
        }
    }
}
