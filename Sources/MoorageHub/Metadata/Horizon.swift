import MoorageCore

/// The horizon of the retention, the checkpoints that it is chosen from, and the batches that are
/// forgotten.
extension Metadata {
    /// Makes other purges wait until the transaction ends.
    func lockPurge() throws {
        _ = try connection.run("UPDATE moorage_meta SET value = value WHERE name = 'purge'", [])
    }

    func purgedAt() throws -> HubTime { try value("purge").flatMap { HubTime(text: $0) } ?? 0 }

    func setPurgedAt(_ time: HubTime) throws {
        _ = try connection.run(
            "UPDATE moorage_meta SET value = ? WHERE name = 'purge'",
            [.text(String(time.milliseconds))])
    }

    /// The checkpoints recorded so far, the oldest first.
    func checkpoints() throws -> [DatedCheckpoint] {
        try connection.run(
            "SELECT position, checkpoint, at FROM moorage_checkpoint ORDER BY position", []
        )
        .compactMap { row in
            guard case .integer(let position) = row[0], case .text(let checkpoint) = row[1],
                case .integer(let at) = row[2]
            else { return nil }
            return DatedCheckpoint(
                position: position, checkpoint: Checkpoint(checkpoint),
                at: HubTime(milliseconds: at))
        }
    }

    func record(_ checkpoint: DatedCheckpoint) throws {
        _ = try connection.run(
            "INSERT INTO moorage_checkpoint (position, checkpoint, at) VALUES (?, ?, ?)",
            [
                .integer(checkpoint.position), .text(checkpoint.checkpoint.text),
                .time(checkpoint.at),
            ])
    }

    func horizon() throws -> (checkpoint: Checkpoint, at: HubTime)? {
        guard let checkpoint = try value("horizon"), let at = try value("horizon_at"),
            let time = HubTime(text: at)
        else { return nil }
        return (Checkpoint(checkpoint), time)
    }

    /// Sets the horizon, and deletes older checkpoints, which nothing uses any more.
    func set(horizon: DatedCheckpoint) throws {
        try set("horizon", horizon.checkpoint.text)
        try set("horizon_at", String(horizon.at.milliseconds))
        _ = try connection.run(
            "DELETE FROM moorage_checkpoint WHERE position < ?", [.integer(horizon.position)])
    }

    /// Forgets all checkpoints. Until when tombstones were purged remains known: rows that went
    /// before that time must not come back with an old file.
    func forgetHorizon() throws {
        _ = try connection.run("DELETE FROM moorage_checkpoint", [])
        _ = try connection.run("DELETE FROM moorage_meta WHERE name = 'horizon'", [])
    }

    /// Forgets which batches were taken before a time.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func forgetBatches(before time: HubTime, limit: Int) throws -> Int {
        try forget(
            ["replica", "number"], of: "moorage_batch", where: "taken_at", isBefore: time,
            limit: limit)
    }
}
