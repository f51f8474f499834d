import MoorageCore
import MoorageHub

extension PostgresConnection {
    func covers(_ checkpoint: Checkpoint, _ horizon: Checkpoint) throws -> Bool {
        try SnapshotCheckpoint(checkpoint).shows(everythingOf: SnapshotCheckpoint(horizon))
    }

    /// The server numbers its transactions itself, so the hub stores nothing of checkpoints.
    func forgetCheckpoints(before horizon: Checkpoint) throws {}

    /// Passes over tombstones that a running transaction has locked to bring the row back.
    func purgeTombstones(_ table: AttachedTable, within horizon: Checkpoint, limit: Int) throws
        -> Int
    {
        let shape = try shape(of: table)
        let snapshot = try SnapshotCheckpoint(horizon)
        var parameters = Parameters()
        parameters.add(snapshot.text, type: 25)
        parameters.add(String(snapshot.maximum), type: 25)
        parameters.add(String(max(0, limit)), type: 20)
        let answer = try link.query(
            """
            WITH gone AS (
              DELETE FROM \(shape.track) WHERE ctid = ANY (ARRAY(
                SELECT r.ctid FROM \(shape.track) AS r
                WHERE NOT r.live AND r.version < $2::xid8
                  AND pg_visible_in_snapshot(r.version, $1::pg_snapshot)
                LIMIT $3 FOR UPDATE SKIP LOCKED))
              RETURNING 1)
            SELECT count(*) FROM gone
            """, parameters)
        return Int(clamping: answer.integer(0, 0) ?? 0)
    }
}
