import GRDBSQLite
import MoorageCore
import MoorageHub

/// A tracking table with the table that it tracks, as SQL names them.
struct TrackingTable {
    let track: String
    /// The same, by the index of unnumbered rows where it exists. Otherwise the planner takes the
    /// covering index of all tracking rows, and reads every one.
    let unnumbered: String
    let base: String
    /// The key's columns, not quoted.
    let keys: [String]
}

extension SQLiteConnection {
    func currentCheckpoint() throws -> Checkpoint {
        let row = try query("SELECT number, nonce FROM moorage_clock ORDER BY number DESC LIMIT 1")
            .first
        guard let row, case .integer(let number) = row[0], case .text(let nonce) = row[1] else {
            throw CentralError.clockEmpty
        }
        return NumberedCheckpoint(number: number, nonce: nonce).checkpoint
    }

    func isKnown(_ checkpoint: Checkpoint) throws -> Bool {
        let checkpoint = try NumberedCheckpoint(checkpoint)
        let rows = try query(
            "SELECT nonce FROM moorage_clock WHERE number = ?", [.integer(checkpoint.number)])
        return rows.first?.first == .text(checkpoint.nonce)
    }

    func covers(_ checkpoint: Checkpoint, _ horizon: Checkpoint) throws -> Bool {
        try NumberedCheckpoint(checkpoint).number >= NumberedCheckpoint(horizon).number
    }

    func forgetCheckpoints(before horizon: Checkpoint) throws {
        _ = try query(
            "DELETE FROM moorage_clock WHERE number < ?",
            [.integer(try NumberedCheckpoint(horizon).number)])
    }

    func purgeTombstones(_ table: AttachedTable, within horizon: Checkpoint, limit: Int) throws
        -> Int
    {
        let shape = try shape(of: table)
        let keys = "scope, \(shape.trackKeys.joined(separator: ", "))"
        let number = Value.integer(try NumberedCheckpoint(horizon).number)
        _ = try query(
            """
            DELETE FROM \(shape.track) WHERE (\(keys)) IN (
              SELECT \(keys) FROM \(shape.track) WHERE NOT live AND version <= ? LIMIT ?)
            """, [number, .integer(Int64(limit))])
        guard case .integer(let count)? = try query("SELECT changes()").first?.first else {
            return 0
        }
        return Int(clamping: count)
    }

    func numberChanges() throws {
        let tables = try trackingTables()
        let isPending = try tables.contains { table in
            try !query("SELECT 1 FROM \(table.unnumbered) WHERE version IS NULL LIMIT 1").isEmpty
        }
        guard isPending else { return }
        do {
            try begin(.write)
        } catch let error as CentralError where error.kind == .conflict {
            // Another program writes. The hub delivers unnumbered rows all the same, and delivers
            // them again later.
            return
        }
        do {
            try number(tables)
            try commit()
        } catch {
            rollback()
            throw error
        }
    }

    /// The number of a transaction that gives versions to rows. Nobody sees it before the rows.
    func nextNumber() throws -> Int64 {
        _ = try query(
            """
            INSERT INTO moorage_clock (number, nonce, at)
            SELECT max(number) + 1, lower(hex(randomblob(8))), \(Self.nowSQL) FROM moorage_clock
            """)
        return try NumberedCheckpoint(currentCheckpoint()).number
    }

    private func number(_ tables: [TrackingTable]) throws {
        let next = try nextNumber()
        for table in tables {
            let match = table.keys.enumerated()
                .map { TrackingTriggers.isSame("t.\($1.quoted)", as: "\(table.track).k\($0)") }
                .joined(separator: " AND ")
            // A row that REPLACE removed has a live tracking row, but is missing from its table.
            let isGone = "NOT EXISTS (SELECT 1 FROM \(table.base) t WHERE \(match))"
            _ = try query(
                """
                UPDATE \(table.unnumbered) SET live = 0
                WHERE version IS NULL AND live AND \(isGone)
                """)
            _ = try query(
                """
                UPDATE \(table.unnumbered)
                SET version = ?1, live_since = CASE WHEN live THEN coalesce(live_since, ?1) ELSE live_since END
                WHERE version IS NULL
                """, [.integer(next)])
        }
    }

    /// Finds the tables by their delete triggers. These also name the columns of the tracked keys.
    /// The owner's table does not say which unique key takes the place of its primary key.
    func readTrackingTables() throws -> [TrackingTable] {
        let rows = try query(
            """
            SELECT name, tbl_name, sql FROM sqlite_master
            WHERE type = 'trigger' AND name LIKE 'moorage\\_delete\\_%' ESCAPE '\\'
            """)
        return try rows.compactMap { row in
            guard let trigger = row[0].plainText, let base = row[1].plainText,
                let text = row[2].plainText
            else { return nil }
            let name = trigger.dropFirst("moorage_delete_".count)
            let (track, index) = ("moorage_track_\(name)".quoted, "moorage_unnumbered_\(name)")
            let isIndexed = try !query(
                "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?", [.text(index)]
            ).isEmpty
            return TrackingTable(
                track: track,
                unnumbered: isIndexed ? "\(track) INDEXED BY \(index.quoted)" : track,
                base: base.quoted, keys: TrackingTriggers.keys(inDelete: text))
        }
    }
}
