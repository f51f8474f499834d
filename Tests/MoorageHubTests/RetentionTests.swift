import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

/// The tests make what the hub has recorded older, because its clock is the database's.
@Suite(.ownThreads) struct `Retention` {
    /// Ten days in two steps.
    private static let policy = RetentionPolicy(time: .seconds(10 * 86_400), steps: 2)

    private func makeBench() throws -> HubBench {
        let bench = try HubBench(retention: Self.policy)
        try bench.sql(
            "INSERT INTO customer (id, name) VALUES ('a', 'A'), ('b', 'B'), ('c', 'C'), ('d', 'D')")
        return bench
    }

    /// Lets days pass, in each of which the replica syncs.
    private func passBusily(days: Int, _ bench: HubBench, _ replica: ScriptedReplica) throws {
        for _ in 0..<days {
            try bench.pass(days: 1)
            try replica.exchange()
        }
    }

    private func gone(_ bench: HubBench) throws -> [Value] {
        let name = try bench.rows(
            "SELECT name FROM sqlite_master WHERE name LIKE 'moorage_track_%_customer'")
        guard case .text(let track)? = name.first?.first else { return [] }
        return try bench.rows("SELECT k0 FROM \(track) WHERE NOT live ORDER BY k0").map { $0[0] }
    }

    @Test func `tombstones, nonces and batches go after the time, and nothing else does`() throws {
        let bench = try makeBench()
        let busy = try ScriptedReplica(bench, 1)
        _ = try busy.push(
            busy.insert("customer", [.text("e"), .text("E"), .null, .null, .null]))
        try bench.sql("DELETE FROM customer WHERE id = 'a'")
        try busy.exchange()
        try passBusily(days: 9, bench, busy)
        #expect(try gone(bench) == [.text("a")], "within the time everything stays")
        try bench.sql("DELETE FROM customer WHERE id = 'b'")
        try passBusily(days: 7, bench, busy)
        #expect(try gone(bench) == [.text("b")], "the young tombstone stays")
        #expect(try bench.rows("SELECT count(*) FROM moorage_batch") == [[.integer(0)]])
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(3)]])
        try passBusily(days: 15, bench, busy)
        #expect(try gone(bench).isEmpty)
        // The number of steps limits how many checkpoints the hub keeps.
        #expect(try bench.rows("SELECT count(*) <= 4 FROM moorage_checkpoint") == [[.integer(1)]])
        #expect(
            try bench.rows(
                """
                SELECT min(number) = CAST((SELECT value FROM moorage_meta WHERE name = 'horizon')
                  AS INTEGER) FROM moorage_clock
                """) == [[.integer(1)]], "nonces are known from the horizon on")
        #expect(Set(busy.removed.map(\.key.values)) == [[.text("a")], [.text("b")]])
    }

    @Test
    func `a replica that was away for longer is told so, and takes nothing until it started over`()
        throws
    {
        let bench = try makeBench()
        let away = try ScriptedReplica(bench, 1)
        try away.exchange()
        let busy = try ScriptedReplica(bench, 2)
        try bench.sql("DELETE FROM customer WHERE id = 'a'")
        try busy.exchange()
        try passBusily(days: 30, bench, busy)
        let epoch = away.cursor.epoch
        let row: [Value] = [.text("e"), .text("E"), .null, .null, .null]
        let frames = try away.exchange(away.batch([away.insert("customer", row)]))
        #expect(frames.count == 2)
        guard case .welcome(let welcome) = frames[0] else {
            Issue.record("the first frame is a welcome")
            return
        }
        #expect(welcome.isExpired && welcome.epoch == epoch)
        #expect(frames.last == .end(End(hasMore: true)))
        #expect(try bench.rows("SELECT count(*) FROM customer WHERE id = 'e'") == [[.integer(0)]])
        // It starts over under its own name.
        away.cursor = .start
        away.rows = [:]
        away.batchNumber = 0
        #expect(try away.push(away.insert("customer", row)) == [.applied])
        away.rows["customer"]?[away.table("customer").key(of: row)] = row
        #expect(try away.isEqual())
        #expect(away.cursor.epoch == epoch)
    }

    @Test func `a scan that paused for longer learns it`() throws {
        let bench = try makeBench()
        let slow = try ScriptedReplica(bench, 1)
        try slow.exchange(limits: PageLimits(maximumRows: 1, maximumPages: 1))
        #expect(slow.cursor.checkpoint == nil && slow.cursor.scan != nil)
        let busy = try ScriptedReplica(bench, 2)
        try bench.sql("DELETE FROM customer WHERE id = 'a'")
        try busy.exchange()
        try passBusily(days: 30, bench, busy)
        guard case .welcome(let welcome)? = try slow.exchange().first else {
            Issue.record("the first frame is a welcome")
            return
        }
        #expect(welcome.isExpired)
    }

    @Test func `a clock that jumps ahead makes nobody forget`() throws {
        let bench = try makeBench()
        let away = try ScriptedReplica(bench, 1)
        try away.exchange()
        try bench.sql("DELETE FROM customer WHERE id = 'a'")
        let busy = try ScriptedReplica(bench, 2)
        // Two years pass, in which only the clock went on.
        try bench.pass(days: 730)
        for _ in 0..<5 { try busy.exchange() }
        try away.exchange()
        #expect(try away.isEqual())
        #expect(away.removed.count == 1)
    }

    @Test func `a purge under way goes on with the next exchange`() throws {
        let bench = try makeBench()
        try bench.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
            INSERT INTO customer (id, name) SELECT 'n' || i, 'N' FROM n
            """)
        try bench.sql("DELETE FROM customer WHERE id LIKE 'n%'")
        let busy = try ScriptedReplica(bench, 1)
        try busy.exchange()
        var left: [Int] = []
        for _ in 0..<25 {
            try bench.pass(days: 5)
            try busy.exchange()
            left.append(try gone(bench).count)
        }
        #expect(left.contains(4500) && left.contains(2500) && left.contains(500))
        #expect(left.last == 0)
    }

    @Test func `the last batch is known for ever, an older one is a fork`() throws {
        let bench = try makeBench()
        let replica = try ScriptedReplica(bench, 1)
        let busy = try ScriptedReplica(bench, 2)
        let first = replica.batch([
            replica.insert("customer", [.text("e"), .text("E"), .null, .null, .null])
        ])
        try replica.exchange(first)
        let second = replica.batch([
            replica.insert("customer", [.text("f"), .text("F"), .null, .null, .null])
        ])
        try replica.exchange(second)
        try passBusily(days: 30, bench, busy)
        replica.cursor = .start
        #expect(replica.answer(try replica.exchange(second))?.status == .alreadyApplied)
        #expect(replica.answer(try replica.exchange(first))?.status == .forked)
    }

    /// - Parameter isRenewed: Whether a new epoch began since, as after a restore.
    @Test(arguments: [false, true])
    func `a row that went before the horizon does not come back with an old file`(
        isRenewed: Bool
    ) throws {
        let bench = try makeBench()
        let busy = try ScriptedReplica(bench, 2)
        try bench.sql("DELETE FROM customer WHERE id = 'a'")
        try passBusily(days: 30, bench, busy)
        #expect(try gone(bench).isEmpty)
        if isRenewed { try bench.attach(newEpoch: true) }
        let restored = try ScriptedReplica(bench, 3)
        let old = restored.now - 25 * 86_400_000
        let row: [Value] = [.text("a"), .text("A"), .null, .null, .null]
        let kinds = try restored.push(restored.insert("customer", row, at: old, again: true))
        guard case .refused? = kinds.first else {
            Issue.record("the insert is refused: \(kinds)")
            return
        }
        // A newer insert is the user's, and goes in.
        #expect(try restored.push(restored.insert("customer", row, again: true)) == [.applied])
    }

    @Test func `a comparison with an older time is refused by name`() async throws {
        let bench = try makeBench()
        let away = try ScriptedReplica(bench, 1)
        try away.exchange()
        let busy = try ScriptedReplica(bench, 2)
        try bench.sql("DELETE FROM customer WHERE id = 'a'")
        try passBusily(days: 30, bench, busy)
        let request = CompareRequest(
            replica: away.id, table: away.tables[0], after: nil, maximumRows: 10,
            cursor: away.cursor, withValues: false)
        let error = await #expect(throws: HubError.self) {
            try await bench.hub.compare(request)
        }
        #expect(error?.code == .cursorExpired)
    }
}
