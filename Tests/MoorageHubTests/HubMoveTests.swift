import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

/// The owner copied the rows of a hub into another database, and the hub goes on there.
@Suite(.ownThreads) struct `A hub that goes on in another database` {
    private static let id = "6fa9de85-6161-4583-9060-401245a55af9"

    /// A database with rows that nothing is attached to.
    private func bench() throws -> HubBench {
        let bench = try HubBench()
        try bench.database.perform { try Attachment(on: $0, makeID: Hub.randomID).detach() }
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        return bench
    }

    private func attach(_ bench: HubBench, _ move: HubMove?) throws {
        try bench.database.perform { connection in
            _ = try Attachment(on: connection, makeID: Hub.randomID)
                .attach(tables: nil, continuing: move)
        }
    }

    private func facts(_ bench: HubBench) throws -> [[Value]] {
        try bench.rows("SELECT name, value FROM moorage_meta ORDER BY name")
    }

    private func fact(_ name: String, _ bench: HubBench) throws -> Value? {
        try bench.rows("SELECT value FROM moorage_meta WHERE name = '\(name)'").first?.first
    }

    private func welcome(_ frames: [Frame]) throws -> Welcome {
        guard case .welcome(let welcome)? = frames.first else {
            throw HubError(.internalError, "the first frame is a welcome")
        }
        return welcome
    }

    /// A replica of the old database, with a cursor that another kind of database made.
    private func replica(_ bench: HubBench) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, 1)
        replica.hubID = Self.id
        replica.batchNumber = 4
        replica.cursor = SyncCursor(
            epoch: Epoch("old"), checkpoint: Checkpoint("733:740:733,736"),
            complete: [.everything])
        return replica
    }

    @Test func `takes its replicas over: they reconcile, and nothing of theirs is taken before`()
        throws
    {
        let bench = try bench()
        try attach(bench, HubMove(hub: Self.id))
        #expect(try fact("hub", bench) == .text(Self.id))
        let replica = try replica(bench)
        let batch = replica.batch([
            replica.insert("customer", [.text("b"), .text("B"), .null, .null, .null])
        ])
        let frames = try replica.exchange(batch)
        let first = try welcome(frames)
        #expect(frames.count == 2 && first.hub == Self.id && first.epoch != Epoch("old"))
        let copied = try fact("copied_at", bench)
        #expect(first.copiedAt.map { Value.text(String($0.milliseconds)) } == copied)
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(1)]])
        // It reconciles: a new id, batches from 1.
        replica.id = "00000000-0000-4000-8000-000000000099"
        replica.cursor = .start
        replica.batchNumber = 0
        let row: [Value] = [.text("b"), .text("B"), .null, .null, .null]
        #expect(try replica.push(replica.insert("customer", row, again: true)) == [.applied])
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(2)]])
        // Who knows the epoch need not know of the copy.
        #expect(try welcome(replica.exchange()).copiedAt == nil)
    }

    @Test func `believes no time of the copy that has not come yet`() throws {
        let bench = try bench()
        try attach(bench, HubMove(hub: Self.id, copiedAt: HubTime(milliseconds: .max)))
        let now = bench.now.milliseconds
        guard case .text(let text)? = try fact("copied_at", bench), let time = Int64(text) else {
            Issue.record("the time is there")
            return
        }
        #expect(time <= now)
        try attach(bench, HubMove(hub: Self.id, copiedAt: 400_000))
        // Two servers' clocks differ.
        #expect(try fact("copied_at", bench) == .text("100000"))
    }

    @Test func `begins a new epoch with each attach that says so`() throws {
        let bench = try bench()
        try attach(bench, HubMove(hub: Self.id))
        let first = try fact("epoch", bench)
        try attach(bench, nil)
        #expect(try fact("epoch", bench) == first)
        try attach(bench, HubMove(hub: Self.id))
        #expect(try fact("epoch", bench) != first)
        #expect(try fact("hub", bench) == .text(Self.id))
    }

    /// A database that was restored, with Moorage's own tables in it.
    @Test(arguments: [false, true])
    func `cannot continue itself`(asMoved: Bool) throws {
        let bench = try bench()
        try attach(bench, asMoved ? HubMove(hub: Self.id) : nil)
        guard case .text(let own)? = try fact("hub", bench) else {
            Issue.record("the hub has an id")
            return
        }
        if asMoved {
            let replica = try ScriptedReplica(bench, 2)
            _ = try replica.push(
                replica.insert("customer", [.text("b"), .text("B"), .null, .null, .null]))
        }
        let before = try facts(bench)
        let error = #expect(throws: HubError.self) { try attach(bench, HubMove(hub: own)) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("--new-epoch") == true)
        #expect(try facts(bench) == before)
    }

    @Test func `cannot take over a database that is attached as another hub`() throws {
        let bench = try bench()
        try attach(bench, nil)
        let before = try facts(bench)
        let error = #expect(throws: HubError.self) {
            try attach(bench, HubMove(hub: Self.id))
        }
        #expect(error?.code == .differentHub)
        #expect(try facts(bench) == before)
    }

    @Test(arguments: [
        "", "hub", "6FA9DE85-6161-4583-9060-401245A55AF9", "6fa9de85616145839060401245a55af9",
        "6fa9de85-6161-4583-9060-401245a55af9 ", "6fa9de85-6161-4583-9060-401245a55afg",
    ])
    func `needs the id of a hub`(id: String) throws {
        let bench = try bench()
        let error = #expect(throws: HubError.self) { try attach(bench, HubMove(hub: id)) }
        #expect(error?.code == .configuration)
        let tables = try bench.rows(
            "SELECT count(*) FROM sqlite_master WHERE name LIKE 'moorage%'")
        #expect(tables == [[.integer(0)]], "nothing was attached")
    }
}
