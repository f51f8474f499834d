/// What a centre has been through before it is measured, written as the hub would have written it.
struct SeededHistory {
    private let shape: CostShape

    init(_ shape: CostShape) { self.shape = shape }

    /// Each a transaction of its own.
    var statements: [String] { edits + removals + devices }

    private var edits: [String] {
        let rounds = shape.edits / max(1, shape.rows)
        return (0..<rounds).map { _ in
            "UPDATE item_0 SET quantity = quantity + 1"
        }
    }

    private var removals: [String] {
        guard shape.removals > 0 else { return [] }
        return [
            shape.insertSQL(0, shape.rows, shape.removals),
            """
            DELETE FROM item_0
            WHERE right(id, 12) >= lpad(to_hex(\(shape.rows)::bigint), 12, '0')
            """,
        ]
    }

    /// A user has ten of them, each has been given a scope, and has pushed ten batches.
    private var devices: [String] {
        guard shape.devices > 0 else { return [] }
        let each = "generate_series(1, \(shape.devices)) AS i"
        let id = "(md5('device ' || i)::uuid)::text"
        let nonce = "(md5('batch ' || i || '/' || n)::uuid)::text"
        let now = "(extract(epoch FROM now()) * 1000)::bigint"
        return [
            """
            INSERT INTO moorage_registration
              (replica, subject, standing, standing_at, registered_at, seen_at)
            SELECT \(id), 'user ' || i / 10, 'active', \(now), \(now), \(now) FROM \(each)
            """,
            """
            INSERT INTO moorage_grant (replica, scope, subject, since, lost_at)
            SELECT \(id), 'tenant/' || i, 'user ' || i / 10, pg_current_snapshot()::text, NULL
            FROM \(each)
            """,
            """
            INSERT INTO moorage_replica
              (id, last_batch, last_nonce, outcomes, prepared_at, registered_at, seen_at)
            SELECT \(id), 10, \(nonce), '{"number":10,"status":"applied","outcomes":[]}',
                   \(now), \(now), \(now) FROM \(each), generate_series(10, 10) AS n
            """,
            """
            INSERT INTO moorage_batch (replica, number, nonce, taken_at)
            SELECT \(id), n, \(nonce), \(now) FROM \(each), generate_series(1, 10) AS n
            """,
        ]
    }
}
