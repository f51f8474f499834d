import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

/// The batches that the hub has answered, kept for the retention time. If the central database is
/// restored to an older state, the replica sends them again.
///
/// A batch is forgotten when one clock says that its time is over, and the other does not say that
/// it is young. Either clock may have jumped. A clock that went back by more than the retention
/// time says neither.
struct AcknowledgedBatches {
    let db: Database
    let retention: Duration

    func add(_ batch: StoredBatch, at time: ExchangeTime) throws {
        try RawStatement.fixed(
            db,
            """
            INSERT INTO _moorage_acknowledged(number, at, hub_at, payload) VALUES(?1, ?2, ?3, ?4)
            """
        ).run([
            .integer(batch.batch.number), .time(time.here),
            .time(time.hub),
            .blob(batch.payload),
        ])
    }

    func forget(at time: ExchangeTime) throws {
        // A file of an earlier version has only the device's time.
        try RawStatement.fixed(
            db,
            """
            DELETE FROM _moorage_acknowledged
            WHERE max(?1 - at, ?2 - coalesce(hub_at, at)) > ?3
              AND ?1 - at NOT BETWEEN -?3 AND ?3
              AND ?2 - coalesce(hub_at, at) NOT BETWEEN -?3 AND ?3
            """
        ).run([
            .time(time.here), .time(time.hub),
            .integer(retention.milliseconds),
        ])
    }

    /// Forgets what a hub answered until a time of its clock.
    func forget(until time: HubTime) throws {
        try RawStatement.fixed(
            db, "DELETE FROM _moorage_acknowledged WHERE coalesce(hub_at, at) <= ?1"
        ).run([.time(time)])
    }

    func forgetAll() throws { try db.execute(sql: "DELETE FROM _moorage_acknowledged") }

    func newestFirst() throws -> [Int64] {
        try Int64.fetchAll(db, sql: "SELECT id FROM _moorage_acknowledged ORDER BY id DESC")
    }

    /// - Throws: ``ReplicaError/Code/metadataDamaged``.
    func batch(_ id: Int64) throws -> Batch? {
        let sql = "SELECT payload FROM _moorage_acknowledged WHERE id = ?1"
        guard let payload = try [UInt8].fetch(db, sql, [.integer(id)]) else { return nil }
        return try Metadata(db: db).damaged("acknowledged") { try Batch(stored: payload) }
    }
}
