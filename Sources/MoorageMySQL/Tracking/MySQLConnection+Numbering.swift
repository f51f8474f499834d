import MoorageCore
import MoorageHub

/// The numbered clock (docs/design.md, 5.2; docs/decisions/0036).
///
/// - N1: One step at a time, under the lock of one row. It takes from the queues what is committed: a plain
///   read of READ COMMITTED shows nothing else, and locks nothing.
/// - N2: What a tracking row says is derived from the row as the same statement sees it. If that is younger
///   than the queue's row, the younger change stands in the queue, too, and will be numbered next.
extension MySQLConnection {
    func currentMark() throws -> Mark {
        let answer = try link.query(
            "SELECT number, nonce FROM moorage_clock ORDER BY number DESC LIMIT 1", Parameters(),
            [.integer, .text])
        guard answer.rowCount == 1, let number = answer.integer(0, 0),
            let nonce = answer.text(0, 1)
        else {
            throw CentralError(.failed, "moorage_clock is empty; run `moorage attach` again")
        }
        return NumberedMark(number: number, nonce: nonce).mark
    }

    func isKnown(_ mark: Mark) throws -> Bool {
        let mark = try NumberedMark(mark)
        var parameters = Parameters()
        parameters.add(mark.number)
        let answer = try link.query(
            "SELECT nonce FROM moorage_clock WHERE number = ?", parameters, [.text])
        return answer.rowCount == 1 && answer.text(0, 0)?.hasSameBytes(as: mark.nonce) == true
    }

    func covers(_ mark: Mark, _ horizon: Mark) throws -> Bool {
        try NumberedMark(mark).number >= NumberedMark(horizon).number
    }

    func forgetMarks(before horizon: Mark) throws {
        var parameters = Parameters()
        parameters.add(try NumberedMark(horizon).number)
        try link.query("DELETE FROM moorage_clock WHERE number < ?", parameters)
    }

    func purgeTombstones(_ table: AttachedTable, within horizon: Mark, limit: Int) throws -> Int {
        let shape = try shape(of: table)
        var parameters = Parameters()
        parameters.add(try NumberedMark(horizon).number)
        parameters.add(Int64(max(0, limit)))
        return try link.query(
            "DELETE FROM \(shape.track) WHERE live = 0 AND version <= ? LIMIT ?", parameters
        ).changedRows
    }

    /// Rows move only in the numbering step, which sees all that is committed.
    func deriveNotedMoves() throws {}

    // MARK: Numbering

    /// How many of a queue's rows one step takes.
    private static let mostAtOnce = 5000

    func numberChanges() throws {
        let tables = try trackedTables()
        while true {
            let pending = try tables.filter { try isPending($0) }
            if pending.isEmpty { return }
            try begin(.write)
            do {
                let number = try nextNumber()
                var isMore = false
                for table in pending { isMore = try self.number(table, as: number) || isMore }
                try commit()
                if !isMore { return }
            } catch {
                rollback()
                throw error
            }
        }
    }

    /// Whether anything stands in a table's queues.
    private func isPending(_ sql: TrackingSQL) throws -> Bool {
        let queues = [sql.shape.queue] + sql.uppers.indices.map(sql.upperQueue)
        let parts = queues.map { "EXISTS (SELECT 1 FROM \($0) LIMIT 1)" }
        return try link.query("SELECT \(parts.joined(separator: " OR "))").isTrue(0, 0)
    }

    /// The next number, with the turn of whoever numbers; in a transaction.
    func nextNumber() throws -> Int64 {
        try link.query("SELECT id FROM moorage_turn FOR UPDATE")
        let last = try link.query("SELECT max(number) FROM moorage_clock").integer(0, 0) ?? 0
        var parameters = Parameters()
        parameters.add(last + 1)
        try link.query(
            """
            INSERT INTO moorage_clock (number, nonce, at) VALUES (?, \(Self.nonceSQL), \(Self.nowSQL))
            """, parameters)
        return last + 1
    }

    /// - Returns: Whether there was more than one step takes.
    private func number(_ sql: TrackingSQL, as number: Int64) throws -> Bool {
        let own = try ids(in: sql.shape.queue)
        let uppers = try sql.uppers.indices.map { try ids(in: sql.upperQueue($0)) }
        if sql.shape.table.scopes.isEmpty {
            if !own.isEmpty { try numberEveryones(sql, own, number) }
        } else if !own.isEmpty || uppers.contains(where: { !$0.isEmpty }) {
            try numberScoped(sql, own, uppers, number)
        }
        try take(own, from: sql.shape.queue)
        for (place, ids) in uppers.enumerated() { try take(ids, from: sql.upperQueue(place)) }
        return ([own] + uppers).contains { $0.count == Self.mostAtOnce }
    }

    /// The ids of what is committed, as a condition needs them: runs of numbers without a gap.
    private func ids(in queue: String) throws -> QueueIDs {
        let answer = try link.query(
            "SELECT id FROM \(queue) ORDER BY id LIMIT \(Self.mostAtOnce)", Parameters(), [.text])
        return QueueIDs(
            (0..<answer.rowCount).compactMap { answer.text($0, 0).flatMap { UInt64($0) } })
    }

    private func take(_ ids: QueueIDs, from queue: String) throws {
        if !ids.isEmpty { try link.simple("DELETE FROM \(queue) WHERE \(ids.condition("id"))") }
    }

    private func numberEveryones(_ sql: TrackingSQL, _ ids: QueueIDs, _ number: Int64) throws {
        let shape = sql.shape
        let first = "l.\(shape.keys[0].column.quoted)"
        try link.simple(
            """
            INSERT INTO \(shape.track) (\(shape.keyList()), scope, live, version, entered, changed_at)
            SELECT \(shape.keyList("q")), '*', \(first) IS NOT NULL, \(number),
              IF(\(first) IS NOT NULL, \(number), NULL), q.changed_at
            FROM (SELECT max(id) AS id FROM \(shape.queue) WHERE \(ids.condition("id"))
                  GROUP BY \(shape.keyList())) AS g
            STRAIGHT_JOIN \(shape.queue) AS q ON q.id = g.id
            LEFT JOIN \(shape.name) AS l ON \(shape.match("l", "q"))
            ON DUPLICATE KEY UPDATE live = VALUES(live), version = VALUES(version),
              entered = coalesce(entered, VALUES(entered)), changed_at = VALUES(changed_at)
            """)
        // Other scopes are those of an attach before.
        try link.simple(
            """
            UPDATE \(shape.queue) AS q STRAIGHT_JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "q"))
            SET r.live = 0, r.version = \(number)
            WHERE \(ids.condition("q.id")) AND r.scope <> '*' AND r.live
            """)
    }

    private func numberScoped(
        _ sql: TrackingSQL, _ ids: QueueIDs, _ uppers: [QueueIDs], _ number: Int64
    ) throws {
        let shape = sql.shape
        let keys = shape.keyList()
        if !ids.isEmpty {
            try link.simple(
                """
                INSERT INTO \(sql.touched) (\(keys), changed_at)
                SELECT \(shape.keyList("q")), q.changed_at
                FROM (SELECT max(id) AS id FROM \(shape.queue) WHERE \(ids.condition("id"))
                      GROUP BY \(keys)) AS g
                STRAIGHT_JOIN \(shape.queue) AS q ON q.id = g.id
                """)
        }
        for (place, ids) in uppers.enumerated() where !ids.isEmpty {
            try link.simple(
                """
                INSERT IGNORE INTO \(sql.touched) (\(keys))
                \(sql.below(place, shape.trackedList("l0"), where: ids.condition("u.id")))
                """)
        }
        for query in sql.scopes(of: "\(sql.touched) AS c", shape.keyList("c")) {
            try link.simple("INSERT IGNORE INTO \(sql.derived) (\(keys), scope) \(query)")
        }
        let isDerived = "d.scope IS NOT NULL"
        // What was written is new in each scope that it is in; what hangs below something that moved, in
        // those that changed. Nobody edited that: its time stays.
        try link.simple(
            """
            UPDATE \(sql.touched) AS c STRAIGHT_JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "c"))
            LEFT JOIN \(sql.derived) AS d ON \(shape.sameKeys("d", "c")) AND d.scope = r.scope
            SET r.version = \(number), r.entered = IF(\(isDerived), coalesce(r.entered, \(number)), r.entered),
              r.changed_at = coalesce(c.changed_at, r.changed_at), r.live = \(isDerived)
            WHERE r.live <> (\(isDerived)) OR (c.changed_at IS NOT NULL AND r.live)
            """)
        try link.simple(
            """
            INSERT INTO \(shape.track) (\(keys), scope, live, version, entered, changed_at)
            SELECT \(shape.keyList("d")), d.scope, 1, \(number), \(number),
              coalesce(c.changed_at, (SELECT max(o.changed_at) FROM \(shape.track) AS o
                                      WHERE \(shape.sameKeys("o", "d"))), \(Self.nowSQL))
            FROM \(sql.derived) AS d JOIN \(sql.touched) AS c ON \(shape.sameKeys("c", "d"))
            LEFT JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "d")) AND r.scope = d.scope
            WHERE r.scope IS NULL
            """)
        try link.simple("DELETE FROM \(sql.derived)")
        try link.simple("DELETE FROM \(sql.touched)")
    }

    /// The tables as they are attached, with the scopes that they were attached with.
    func trackedTables() throws -> [TrackingSQL] {
        let digest = try link.query(
            """
            SELECT md5(concat_ws('/',
              (SELECT group_concat(number, description ORDER BY number) FROM moorage_table),
              (SELECT group_concat(number, paths ORDER BY number) FROM moorage_scope)))
            """
        ).text(0, 0)
        if let known = tracked, known.digest == digest {
            return try known.tables.map { TrackingSQL(try shape(of: $0)) }
        }
        let tables = try attachedTables()
        tracked = (digest, tables)
        return try tables.map { TrackingSQL(try shape(of: $0)) }
    }
}

/// Ids of a queue's rows, as runs of numbers that follow each other.
struct QueueIDs {
    private var runs: [ClosedRange<UInt64>] = []
    private(set) var count = 0

    /// - Parameter ids: In ascending order.
    init(_ ids: [UInt64]) {
        count = ids.count
        for id in ids {
            if let last = runs.last, last.upperBound + 1 == id {
                runs[runs.count - 1] = last.lowerBound...id
            } else {
                runs.append(id...id)
            }
        }
    }

    var isEmpty: Bool { runs.isEmpty }

    func condition(_ column: String) -> String {
        let single = runs.filter { $0.count == 1 }.map { String($0.lowerBound) }
        var parts = runs.filter { $0.count > 1 }.map {
            "\(column) BETWEEN \($0.lowerBound) AND \($0.upperBound)"
        }
        if !single.isEmpty { parts.append("\(column) IN (\(single.joined(separator: ", ")))") }
        return parts.isEmpty ? "1 = 0" : "(\(parts.joined(separator: " OR ")))"
    }
}
