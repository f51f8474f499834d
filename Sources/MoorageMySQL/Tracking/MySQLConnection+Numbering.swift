import MoorageCore
import MoorageHub

/// The numbered clock (docs/reference/hub.md, Versions and checkpoints; docs/decisions/0036).
///
/// - N1: One step runs at a time, under the lock of one row. It takes committed entries from the
///   queues. A plain read in READ COMMITTED shows no others, and locks nothing.
/// - N2: A step takes what one state of the database shows, in all queues. A number therefore has
///   all of a transaction or nothing of it, and a scan may end there.
/// - N3: A step derives a tracking row from the row as the same statement sees it. If that row is
///   newer than the queue's entry, the queue also has the newer change, and the next step numbers
///   it.
extension MySQLConnection {
    func currentCheckpoint() throws -> Checkpoint {
        let answer = try link.query(
            "SELECT number, nonce FROM moorage_clock ORDER BY number DESC LIMIT 1", Parameters(),
            [.integer, .text])
        guard answer.rowCount == 1, let number = answer.integer(0, 0),
            let nonce = answer.text(0, 1)
        else { throw CentralError.clockEmpty }
        return NumberedCheckpoint(number: number, nonce: nonce).checkpoint
    }

    func isKnown(_ checkpoint: Checkpoint) throws -> Bool {
        let checkpoint = try NumberedCheckpoint(checkpoint)
        var parameters = Parameters()
        parameters.add(checkpoint.number)
        let answer = try link.query(
            "SELECT nonce FROM moorage_clock WHERE number = ?", parameters, [.text])
        return answer.rowCount == 1 && answer.text(0, 0)?.hasSameBytes(as: checkpoint.nonce) == true
    }

    func covers(_ checkpoint: Checkpoint, _ horizon: Checkpoint) throws -> Bool {
        try NumberedCheckpoint(checkpoint).number >= NumberedCheckpoint(horizon).number
    }

    func forgetCheckpoints(before horizon: Checkpoint) throws {
        var parameters = Parameters()
        parameters.add(try NumberedCheckpoint(horizon).number)
        try link.query("DELETE FROM moorage_clock WHERE number < ?", parameters)
    }

    func purgeTombstones(_ table: AttachedTable, within horizon: Checkpoint, limit: Int) throws
        -> Int
    {
        let shape = try shape(of: table)
        var parameters = Parameters()
        parameters.add(try NumberedCheckpoint(horizon).number)
        parameters.add(Int64(max(0, limit)))
        return try link.query(
            "DELETE FROM \(shape.track) WHERE live = 0 AND version <= ? LIMIT ?", parameters
        ).changedRows
    }

    /// Rows move only in the numbering step, which sees everything that is committed.
    func resolveMoves() throws {}

    // MARK: Numbering

    /// How many of a queue's rows one statement numbers. Their ids take at most half of the
    /// statement.
    private var mostAtOnce: Int { min(5_000, link.maximumPacket / 2 / QueueIDs.bytesEach) }

    /// How many steps in a row may find lost rows. Beyond this, some program removes rows all the
    /// time.
    private static let mostSteps = 5

    func numberChanges() throws { try withPresentTables { try numberEverything() } }

    /// - Parameter work: Reads the owner's tables. If a table was dropped or changed meanwhile, a
    ///   second call leaves it out.
    func withPresentTables<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            guard link.lastError?.isSchemaChange == true else { throw error }
            forgetShapes()
            return try work()
        }
    }

    private func numberEverything() throws {
        let tables = try trackedTables()
        guard var lost = try pending(tables) else { return }
        for _ in 0..<Self.mostSteps {
            try numberOnce(tables, lost)
            // Rows that came again after a TRUNCATE may have hidden those that did not.
            lost = try lostRows(tables)
            if lost.isEmpty { return }
        }
    }

    /// - Parameter lost: The tables that lost rows without a trigger.
    private func numberOnce(_ tables: [TrackingSQL], _ lost: [TrackingSQL]) throws {
        try begin(.write)
        do {
            let number = try nextNumber()
            for table in lost { for step in table.repairSteps { try link.simple(step) } }
            try numberCommitted(in: tables, as: number)
            try commit()
        } catch {
            rollback()
            throw error
        }
    }

    func queues(of sql: TrackingSQL) -> [String] {
        [sql.shape.queue] + sql.ancestors.indices.map(sql.ancestorQueue)
    }

    /// Checks whether there is anything to number.
    ///
    /// - Returns: The tables that lost rows without a trigger; `nil` where there is nothing to do.
    private func pending(_ tables: [TrackingSQL]) throws -> [TrackingSQL]? {
        let parts = tables.flatMap(queues).map { "EXISTS (SELECT 1 FROM \($0) LIMIT 1)" }
        guard !parts.isEmpty else { return nil }
        let losses = tables.map { "EXISTS (\($0.lossQuery))" }
        let answer = try link.query(
            "SELECT \(parts.joined(separator: " OR ")), \(losses.joined(separator: ", "))")
        let lost = tables.indices.filter { answer.isTrue(0, $0 + 1) }.map { tables[$0] }
        return answer.isTrue(0, 0) || !lost.isEmpty ? lost : nil
    }

    /// The tables that lost rows without a trigger.
    private func lostRows(_ tables: [TrackingSQL]) throws -> [TrackingSQL] {
        let losses = tables.map { "EXISTS (\($0.lossQuery))" }
        let answer = try link.query("SELECT \(losses.joined(separator: ", "))")
        return tables.indices.filter { answer.isTrue(0, $0) }.map { tables[$0] }
    }

    /// A step lists more entries than this in a table, and fewer in memory.
    static let mostInMemory = 50_000

    /// Numbers the entries in the queues of the tables. One statement lists them, because each
    /// statement sees its own state of the database.
    private func numberCommitted(in tables: [TrackingSQL], as number: Int64) throws {
        let places = tables.flatMap { sql in
            queues(of: sql).enumerated().map { Place(sql: sql, place: $0, queue: $1) }
        }
        let listing = places.enumerated().map { "SELECT \($0) AS place, id FROM \($1.queue)" }
            .joined(separator: " UNION ALL ")
        let answer = try link.query(
            "\(listing) LIMIT \(Self.mostInMemory + 1)", Parameters(), [.integer, .unsigned])
        if answer.rowCount > Self.mostInMemory {
            return try numberStored(listing, places, number)
        }
        var found = Array(repeating: [UInt64](), count: places.count)
        for row in 0..<answer.rowCount {
            guard let place = answer.integer(row, 0), let id = answer.unsigned(row, 1) else {
                continue
            }
            found[Int(place)].append(id)
        }
        for (place, ids) in zip(places, found) {
            for part in QueueIDs(ids.sorted()).parts(of: mostAtOnce) {
                try self.number(part, place, number)
            }
        }
    }

    /// The same with a list that is only on the server.
    private func numberStored(_ listing: String, _ places: [Place], _ number: Int64) throws {
        try link.simple("INSERT INTO moorage_taken (place, id) \(listing)")
        for (index, place) in places.enumerated() {
            var last: UInt64 = 0
            while true {
                let answer = try link.query(
                    """
                    SELECT id FROM moorage_taken WHERE place = \(index) AND id > \(last)
                    ORDER BY id LIMIT \(mostAtOnce)
                    """, Parameters(), [.unsigned], isKept: false)
                let ids = (0..<answer.rowCount).compactMap { answer.unsigned($0, 0) }
                guard let end = ids.last else { break }
                try self.number(QueueIDs(ids), place, number)
                last = end
            }
        }
        try link.simple("DELETE FROM moorage_taken")
    }

    /// Takes the lock of a numbering step and the next number, in a transaction.
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

    /// A queue of the table's own rows, or of a scope ancestor.
    private struct Place {
        let sql: TrackingSQL
        /// 0 for the table's own queue, then those of its scope ancestors.
        let place: Int
        let queue: String
    }

    private func number(_ ids: QueueIDs, _ place: Place, _ number: Int64) throws {
        if place.sql.shape.table.scopes.isEmpty {
            try numberEveryones(place.sql, ids, number)
        } else {
            try numberScoped(place.sql, ids, from: place.place, number)
        }
        try dequeue(ids, from: place.queue)
    }

    /// Deletes rows of a queue one by one, each by its key. A range or a full read would wait for
    /// neighbouring rows that uncommitted writers have locked.
    private func dequeue(_ ids: QueueIDs, from queue: String) throws {
        let sql = """
            DELETE q FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint unsigned PATH '$')) AS j
            STRAIGHT_JOIN \(queue) AS q FORCE INDEX (PRIMARY) ON q.id = j.id
            """
        for part in ids.parts(of: 1_000) {
            var parameters = Parameters()
            parameters.add(part.list)
            try link.query(sql, parameters)
        }
    }

    private func numberEveryones(_ sql: TrackingSQL, _ ids: QueueIDs, _ number: Int64) throws {
        let shape = sql.shape
        let first = "l.\(shape.keys[0].column.quoted)"
        // The owner's table may have a column `live_since`.
        try link.simple(
            """
            INSERT INTO \(shape.track) (\(shape.keyList()), scope, live, version, live_since, changed_at)
            SELECT \(shape.keyList("q")), '*', \(first) IS NOT NULL, \(number),
              IF(\(first) IS NOT NULL, \(number), NULL), q.changed_at
            FROM (SELECT max(id) AS id FROM \(shape.queue) WHERE \(ids.condition("id"))
                  GROUP BY \(shape.keyList())) AS g
            STRAIGHT_JOIN \(shape.queue) AS q ON q.id = g.id
            LEFT JOIN \(shape.name) AS l ON \(shape.match("l", "q"))
            ON DUPLICATE KEY UPDATE live = VALUES(live), version = VALUES(version),
              live_since = coalesce(\(shape.track).live_since, VALUES(live_since)), changed_at = VALUES(changed_at)
            """)
        // Other scopes are from an earlier attach. (An UPDATE that joins the queue would lock its
        // rows.)
        try link.simple(
            """
            INSERT INTO \(shape.track) (\(shape.keyList()), scope, live, version, live_since, changed_at)
            SELECT \(shape.keyList("r")), r.scope, 0, \(number), r.live_since, r.changed_at
            FROM (SELECT DISTINCT \(shape.keyList()) FROM \(shape.queue) WHERE \(ids.condition("id"))) AS q
            STRAIGHT_JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "q"))
            WHERE r.scope <> '*' AND r.live
            ON DUPLICATE KEY UPDATE live = VALUES(live), version = VALUES(version)
            """)
    }

    /// - Parameter place: 0 for the table's own queue, then those of its scope ancestors.
    private func numberScoped(
        _ sql: TrackingSQL, _ ids: QueueIDs, from place: Int, _ number: Int64
    ) throws {
        let shape = sql.shape
        let keys = shape.keyList()
        if place == 0 {
            try link.simple(
                """
                INSERT INTO \(sql.changed) (\(keys), changed_at)
                SELECT \(shape.keyList("q")), q.changed_at
                FROM (SELECT max(id) AS id FROM \(shape.queue) WHERE \(ids.condition("id"))
                      GROUP BY \(keys)) AS g
                STRAIGHT_JOIN \(shape.queue) AS q ON q.id = g.id
                """)
        } else {
            try link.simple(
                """
                INSERT IGNORE INTO \(sql.changed) (\(keys))
                \(sql.below(place - 1, shape.trackedList("l0"), where: ids.condition("u.id")))
                """)
        }
        for query in sql.scopes(of: "\(sql.changed) AS c", shape.keyList("c")) {
            try link.simple("INSERT IGNORE INTO \(sql.derived) (\(keys), scope) \(query)")
        }
        let isDerived = "d.scope IS NOT NULL"
        // An affected row gets the new number in each scope that it is or was in. Scans passed over
        // it while it was in a queue. Nobody edited a row that only moved with a scope ancestor, so
        // its time stays. The previous step may have used changes that only this one numbers (N3),
        // so its rows get the new number, too.
        try link.simple(
            """
            UPDATE \(sql.changed) AS c STRAIGHT_JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "c"))
            LEFT JOIN \(sql.derived) AS d ON \(shape.sameKeys("d", "c")) AND d.scope = r.scope
            SET r.version = \(number), r.live_since = IF(\(isDerived), coalesce(r.live_since, \(number)), r.live_since),
              r.changed_at = coalesce(c.changed_at, r.changed_at), r.live = \(isDerived)
            WHERE r.live OR \(isDerived) OR r.version = \(number - 1)
            """)
        try link.simple(
            """
            INSERT INTO \(shape.track) (\(keys), scope, live, version, live_since, changed_at)
            SELECT \(shape.keyList("d")), d.scope, 1, \(number), \(number),
              coalesce(c.changed_at, (SELECT max(o.changed_at) FROM \(shape.track) AS o
                                      WHERE \(shape.sameKeys("o", "d"))), \(Self.nowSQL))
            FROM \(sql.derived) AS d JOIN \(sql.changed) AS c ON \(shape.sameKeys("c", "d"))
            LEFT JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "d")) AND r.scope = d.scope
            WHERE r.scope IS NULL
            """)
        try link.simple("DELETE FROM \(sql.derived)")
        try link.simple("DELETE FROM \(sql.changed)")
    }

    /// The tables as they are attached, with the scopes of that attachment.
    func trackedTables() throws -> [TrackingSQL] {
        let digest = try link.query(
            """
            SELECT sha2(concat_ws('/',
              (SELECT group_concat(number, description ORDER BY number) FROM moorage_table),
              (SELECT group_concat(number, paths ORDER BY number) FROM moorage_scope)), 256)
            """
        ).text(0, 0)
        if let known = tracked, known.digest == digest {
            return try running(known.tables)
        }
        let tables = try attachedTables()
        tracked = (digest, tables)
        return try running(tables)
    }

    /// Leaves out the suspended tables, which are no longer as they were attached. Their queues
    /// wait.
    private func running(_ tables: [AttachedTable]) throws -> [TrackingSQL] {
        try tables.compactMap { table in
            do {
                return TrackingSQL(try shape(of: table))
            } catch let error as CentralError where error.kind == .failed {
                return nil
            }
        }
    }
}

/// Ids of a queue's rows, in ascending order.
struct QueueIDs {
    private let ids: [UInt64]

    /// The most bytes that a ``condition(_:)`` needs for each id.
    static let bytesEach = 32

    init(_ ids: [UInt64]) { self.ids = ids }

    /// The same ids, in parts of at most `size`.
    func parts(of size: Int) -> [QueueIDs] {
        stride(from: 0, to: ids.count, by: size).map {
            QueueIDs(Array(ids[$0..<min($0 + size, ids.count)]))
        }
    }

    /// A condition for reads, which wait for no lock. Consecutive ids become one range.
    func condition(_ column: String) -> String {
        var runs: [ClosedRange<UInt64>] = []
        for id in ids {
            if let last = runs.last, last.upperBound + 1 == id {
                runs[runs.count - 1] = last.lowerBound...id
            } else {
                runs.append(id...id)
            }
        }
        let single = runs.filter { $0.count == 1 }.map { String($0.lowerBound) }
        var parts = runs.filter { $0.count > 1 }.map {
            "\(column) BETWEEN \($0.lowerBound) AND \($0.upperBound)"
        }
        if !single.isEmpty { parts.append("\(column) IN (\(single.joined(separator: ", ")))") }
        return parts.isEmpty ? "1 = 0" : "(\(parts.joined(separator: " OR ")))"
    }

    /// As a JSON array.
    var list: String { "[\(ids.map { String($0) }.joined(separator: ","))]" }
}
