import MoorageCore

/// The horizon of the retention, the marks that it is chosen from, and what is forgotten of
/// batches.
extension Metadata {
    /// Holds others off until the transaction ends.
    func lockPurge() throws {
        _ = try connection.run("UPDATE moorage_meta SET value = value WHERE name = 'purge'", [])
    }

    func purgedAt() throws -> Int64 { try value("purge").flatMap { Int64($0) } ?? 0 }

    func setPurgedAt(_ time: Int64) throws {
        _ = try connection.run(
            "UPDATE moorage_meta SET value = ? WHERE name = 'purge'", [.text(String(time))])
    }

    /// The marks noted so far, the oldest first.
    func marks() throws -> [DatedMark] {
        try connection.run("SELECT position, mark, at FROM moorage_mark ORDER BY position", [])
            .compactMap { row in
                guard case .integer(let position) = row[0], case .text(let mark) = row[1],
                    case .integer(let at) = row[2]
                else { return nil }
                return DatedMark(position: position, mark: Mark(mark), at: at)
            }
    }

    func note(_ mark: DatedMark) throws {
        _ = try connection.run(
            "INSERT INTO moorage_mark (position, mark, at) VALUES (?, ?, ?)",
            [.integer(mark.position), .text(mark.mark.text), .integer(mark.at)])
    }

    func horizon() throws -> (mark: Mark, at: Int64)? {
        guard let mark = try value("horizon"), let at = try value("horizon_at"),
            let time = Int64(at)
        else { return nil }
        return (Mark(mark), time)
    }

    /// Marks older than the horizon are of no use any more.
    func set(horizon: DatedMark) throws {
        try set("horizon", horizon.mark.text)
        try set("horizon_at", String(horizon.at))
        _ = try connection.run(
            "DELETE FROM moorage_mark WHERE position < ?", [.integer(horizon.position)])
    }

    func forgetHorizon() throws {
        _ = try connection.run("DELETE FROM moorage_mark", [])
        _ = try connection.run(
            "DELETE FROM moorage_meta WHERE name IN ('horizon', 'horizon_at')", [])
    }

    /// Forgets which batches were taken before a time.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func forgetBatches(before time: Int64, limit: Int) throws -> Int {
        try forget(
            ["replica", "number"], of: "moorage_batch", where: "taken_at", isBefore: time,
            limit: limit)
    }
}
