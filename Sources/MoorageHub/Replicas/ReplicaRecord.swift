import MoorageCore
import MoorageWire

/// What the hub remembers of one replica.
struct ReplicaRecord: Hashable, Sendable {
    let lastBatch: Int64
    let lastNonce: String
    let outcomes: Outcomes?
    /// When its last batch was prepared, by the hub's clock.
    let preparedAt: HubTime?
}

extension Metadata {
    func replica(_ id: String) throws -> ReplicaRecord? {
        let rows = try connection.run(
            """
            SELECT last_batch, last_nonce, outcomes, prepared_at
            FROM moorage_replica WHERE id = ?
            """, [.text(id)])
        guard let row = rows.first, row.count == 4, case .integer(let last) = row[0] else {
            return nil
        }
        var record = ("", Outcomes?.none, HubTime?.none)
        if case .text(let nonce) = row[1] { record.0 = nonce }
        if case .text(let text) = row[2] { record.1 = try Outcomes(decoding: Array(text.utf8)) }
        if case .integer(let time) = row[3] { record.2 = HubTime(milliseconds: time) }
        return ReplicaRecord(
            lastBatch: last, lastNonce: record.0, outcomes: record.1, preparedAt: record.2)
    }

    /// Locks the replica's row until the transaction ends, so that two copies of one request take
    /// turns.
    func lockReplica(_ id: String, now: HubTime) throws {
        _ = try connection.run(
            "UPDATE moorage_replica SET seen_at = ? WHERE id = ?",
            [.time(now), .text(id)])
    }

    func register(_ id: String, now: HubTime) throws {
        _ = try connection.run(
            """
            INSERT INTO moorage_replica (id, last_batch, registered_at, seen_at) VALUES (?, 0, ?, ?)
            """, [.text(id), .time(now), .time(now)])
    }

    func nonce(of number: Int64, replica: String) throws -> String? {
        let rows = try connection.run(
            "SELECT nonce FROM moorage_batch WHERE replica = ? AND number = ?",
            [.text(replica), .integer(number)])
        guard case .text(let nonce)? = rows.first?.first else { return nil }
        return nonce
    }

    func saveBatch(
        _ batch: Batch, of replica: String, outcomes: Outcomes, preparedAt: HubTime, now: HubTime
    ) throws {
        _ = try connection.run(
            """
            UPDATE moorage_replica
            SET last_batch = ?, last_nonce = ?, outcomes = ?, prepared_at = ?
            WHERE id = ?
            """,
            [
                .integer(batch.number), .text(batch.nonce),
                .text(String(decoding: outcomes.encoded(), as: UTF8.self)),
                .time(preparedAt),
                .text(replica),
            ])
        _ = try connection.run(
            "INSERT INTO moorage_batch (replica, number, nonce, taken_at) VALUES (?, ?, ?, ?)",
            [
                .text(replica), .integer(batch.number), .text(batch.nonce),
                .time(now),
            ])
    }
}
