import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Anyone who may sign in can claim that the central history went back. The claim affects only the
/// one who makes it.
@Suite(.ownThreads) struct `Claims of another history` {
    private let lines = LogLines()

    private func bench() throws -> HubBench { try HubBench(logger: lines.logger) }

    private func renewals() -> [String] { lines.all.filter { $0.contains("new epoch began") } }

    private func row(_ id: String) -> [Value] { [.text(id), .text("n"), .null, .null, .null] }

    private func epoch(_ bench: HubBench) throws -> Value {
        try #require(
            try bench.rows("SELECT value FROM moorage_meta WHERE name = 'epoch'").first?.first)
    }

    /// A replica of a user with a cursor of this epoch that has pushed nothing.
    private func stranger(_ bench: HubBench, _ number: Int) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, number)
        replica.principal = Principal(subject: "mallory")
        try replica.exchange()
        return replica
    }

    @Test func `of a replica that the hub has never met cost that replica alone`() throws {
        let bench = try bench()
        let victim = try ScriptedReplica(bench, 1)
        #expect(try victim.push(victim.insert("customer", row("a"))) == [.applied])
        let before = try epoch(bench)
        let stranger = try stranger(bench, 2)
        stranger.id = "00000000-0000-4000-8000-000000000077"
        stranger.batchNumber = 5
        let frames = try stranger.exchange(
            stranger.batch([stranger.insert("customer", row("b"))]))
        // The hub answers with a history that the stranger does not know, and takes none of its
        // changes.
        guard case .welcome(let welcome) = frames[0] else {
            Issue.record("the first frame is a welcome")
            return
        }
        #expect(welcome.epoch != stranger.cursor.epoch)
        #expect(frames.count == 2)
        #expect(try bench.rows("SELECT id FROM customer") == [[.text("a")]])
        #expect(try epoch(bench) == before)
        #expect(renewals().isEmpty)
        #expect(lines.all.contains { $0.hasPrefix("notice") && $0.contains("mallory") })
        _ = try victim.exchange()
        #expect(victim.beginnings == 0)
        // The stranger reconciles, and goes on.
        stranger.cursor = .start
        stranger.rows = [:]
        stranger.batchNumber = 0
        #expect(try stranger.push(stranger.insert("customer", row("b"))) == [.applied])
        #expect(
            try bench.rows("SELECT id FROM customer ORDER BY id") == [[.text("a")], [.text("b")]])
    }

    @Test func `of a cursor with a made-up checkpoint cost the stranger alone`() throws {
        let bench = try bench()
        let stranger = try stranger(bench, 2)
        let before = try epoch(bench)
        stranger.id = "00000000-0000-4000-8000-000000000078"
        stranger.cursor = SyncCursor(
            epoch: stranger.cursor.epoch, checkpoint: Checkpoint("900:made-up"),
            complete: [.everything],
            tables: stranger.cursor.tables)
        let frames = try stranger.exchange()
        #expect(frames.count == 2)
        #expect(try epoch(bench) == before)
    }

    @Test func `of a known replica renew the epoch, with who and why in the log, once a day`()
        throws
    {
        let bench = try bench()
        let replica = try ScriptedReplica(bench, 1)
        replica.principal = Principal(subject: "ann")
        #expect(try replica.push(replica.insert("customer", row("a"))) == [.applied])
        let first = try epoch(bench)
        replica.batchNumber = 7
        let batch = replica.batch([replica.insert("customer", row("b"))])
        #expect(try replica.exchange(batch).count == 2)
        let second = try epoch(bench)
        #expect(second != first)
        #expect(renewals().count == 1)
        let line = try #require(renewals().first)
        for word in ["warning", replica.id, "ann", "more batches"] { #expect(line.contains(word)) }
        // Again, only the replica starts over.
        replica.cursor = .start
        try replica.exchange()
        #expect(try replica.exchange(batch).count == 2)
        #expect(try epoch(bench) == second)
        #expect(renewals().count == 1)
        // A day later another claim counts.
        try bench.sql(
            """
            UPDATE moorage_meta SET value = CAST(value AS INTEGER) - 86400001
            WHERE name = 'renewed_at'
            """)
        #expect(try replica.exchange(batch).count == 2)
        #expect(try epoch(bench) != second)
        #expect(renewals().count == 2)
    }

    @Test func `of the database itself always count, and the log names nobody`() throws {
        let bench = try bench()
        let stranger = try stranger(bench, 1)
        for round in 1...3 {
            let before = try epoch(bench)
            try bench.sql("UPDATE moorage_meta SET value = 'other' WHERE name = 'identity'")
            try stranger.exchange()
            #expect(try epoch(bench) != before)
            #expect(renewals().count == round)
            #expect(!(renewals().last ?? "").contains("mallory"))
            stranger.cursor = .start
            try stranger.exchange()
        }
    }
}
