import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `The hub's history` {
    @Test func `a new epoch takes no push and sends no page to an old cursor`() throws {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.attach(newEpoch: true)
        let frames = try replica.exchange(
            replica.batch([
                replica.insert("customer", [.text("b"), .text("B"), .null, .null, .null])
            ]))
        #expect(frames.count == 2)
        guard case .welcome(let welcome) = frames[0] else {
            Issue.record("the first frame is a welcome")
            return
        }
        #expect(welcome.epoch != replica.cursor.epoch)
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(1)]])
        replica.cursor = .start
        replica.rows = [:]
        try replica.exchange()
        #expect(try replica.isEqual())
    }

    @Test func `a hub restored from a backup that counts on is noticed`() throws {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let before = try #require(replica.cursor.epoch)
        // The number that the replica read up to is used again, with another nonce.
        try bench.sql(
            "UPDATE moorage_clock SET nonce = 'restored' WHERE number = (SELECT max(number) FROM moorage_clock)"
        )
        let frames = try replica.exchange()
        guard case .welcome(let welcome) = frames[0] else {
            Issue.record("the first frame is a welcome")
            return
        }
        #expect(welcome.epoch != before)
        #expect(frames.count == 2)
    }

    @Test func `a batch far ahead of what the hub knows begins a new epoch`() throws {
        let bench = try HubBench()
        let replica = try ScriptedReplica(bench, 1)
        _ = try replica.push(
            replica.insert("customer", [.text("a"), .text("A"), .null, .null, .null]))
        let epoch = try #require(replica.cursor.epoch)
        replica.batchNumber = 9
        let frames = try replica.exchange(
            replica.batch([
                replica.insert("customer", [.text("b"), .text("B"), .null, .null, .null])
            ]))
        guard case .welcome(let welcome) = frames[0] else {
            Issue.record("the first frame is a welcome")
            return
        }
        #expect(welcome.epoch != epoch)
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(1)]])
    }

    @Test func `a replica of another hub is turned away`() throws {
        let bench = try HubBench()
        let replica = try ScriptedReplica(bench, 1)
        replica.hubID = "another"
        let error = #expect(throws: HubError.self) { try replica.exchange() }
        #expect(error?.code == .differentHub)
    }

    @Test func `nothing attached, and it says so`() throws {
        let bench = try HubBench()
        let replica = try ScriptedReplica(bench, 1)
        try bench.database.perform { try Attachment(on: $0, makeID: { "x" }).detach() }
        let error = #expect(throws: HubError.self) { try replica.exchange() }
        #expect(error?.code == .notAttached)
    }

    @Test func `a garbled cursor is an error, not a trap`() throws {
        let bench = try HubBench()
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        replica.cursor = SyncCursor(
            epoch: replica.cursor.epoch, checkpoint: Checkpoint("no mark"), complete: [.everything],
            tables: replica.cursor.tables)
        let error = #expect(throws: HubError.self) { try replica.exchange() }
        #expect(error?.code == .cursorInvalid)
    }

    @Test func `a table that lost a column is suspended alone, and goes on after an attach`() throws
    {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.sql("ALTER TABLE purchase DROP COLUMN note")
        try bench.sql("INSERT INTO purchase VALUES (1, 'a')")
        try bench.sql("UPDATE customer SET city = 'Oslo'")
        let frames = try replica.exchange()
        guard case .welcome(let welcome) = frames[0] else {
            Issue.record("the first frame is a welcome")
            return
        }
        #expect(welcome.suspended.map(\.name) == ["purchase"])
        #expect(welcome.suspended.first?.reason.contains("moorage attach") == true)
        #expect(replica.rows["customer"]?.values.first?[2] == .text("Oslo"))
        #expect(replica.rows["purchase"] == nil)
        let batch = replica.batch([replica.insert("purchase", [.integer(2), .text("a"), .null])])
        #expect(replica.answer(try replica.exchange(batch))?.status == .notAccepted)
        try bench.attach()
        let healed = try ScriptedReplica(bench, 1)
        healed.cursor = replica.cursor
        healed.rows = replica.rows
        try healed.exchange()
        #expect(try healed.isEqual())
    }

    /// The answer was lost, and the owner renamed a column before the batch came again.
    @Test func `a batch of columns that are gone is answered again, and else not taken`() throws {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let batch = replica.batch([replica.insert("purchase", [.integer(1), .text("a"), .null])])
        try replica.exchange(batch)
        try bench.sql("ALTER TABLE purchase RENAME COLUMN note TO remark")
        try bench.attach()
        let next = replica.batch([replica.insert("purchase", [.integer(2), .text("a"), .null])])
        for (batch, status) in [(batch, Outcomes.Status.alreadyApplied), (next, .notAccepted)] {
            var frames: [Frame] = []
            try bench.hub.exchange(
                ExchangeRequest(
                    replica: replica.id, hub: replica.hubID, sentAt: replica.now,
                    tables: replica.tables, cursor: replica.cursor, schemaVersion: "older",
                    batch: batch, limits: PageLimits())
            ) { (frame: Frame) in frames.append(frame) }
            // The schema comes first, and the replica sends the batch once more.
            #expect(replica.answer(frames) == nil)
            #expect(replica.answer(try replica.exchange(batch))?.status == status)
        }
        #expect(try bench.rows("SELECT id FROM purchase") == [[.integer(1)]])
    }

    /// A refusal would take the edit from its user.
    @Test func `a value of another type is not taken from a replica that knows another schema`()
        throws
    {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        let replica = try ScriptedReplica(bench, 1)
        guard case .welcome(let welcome) = try replica.exchange()[0] else {
            Issue.record("the first frame is a welcome")
            return
        }
        let wrong = replica.batch([
            replica.insert("purchase", [.text("x"), .text("a"), .null]),
            replica.insert("purchase", [.integer(1), .text("a"), .null]),
        ])
        let right = replica.batch([replica.insert("purchase", [.integer(2), .text("a"), .null])])
        let expected: [(Batch, String, Outcomes.Status)] = [
            (wrong, "older", .notAccepted), (wrong, welcome.schemaVersion, .applied),
            (wrong, "older", .alreadyApplied), (right, "older", .applied),
        ]
        for (batch, version, status) in expected {
            var frames: [Frame] = []
            try bench.hub.exchange(
                ExchangeRequest(
                    replica: replica.id, hub: replica.hubID, sentAt: replica.now,
                    tables: replica.tables, cursor: replica.cursor, schemaVersion: version,
                    batch: batch, limits: PageLimits())
            ) { (frame: Frame) in frames.append(frame) }
            #expect(replica.answer(frames)?.status == status)
            if status == .notAccepted { #expect(try bench.rows("SELECT id FROM purchase") == []) }
        }
        #expect(try bench.rows("SELECT id FROM purchase") == [[.integer(1)], [.integer(2)]])
    }

    @Test func `a new central column is not synced until it is attached`() throws {
        let bench = try HubBench()
        let replica = try ScriptedReplica(bench, 1)
        try bench.sql("ALTER TABLE customer ADD COLUMN extra TEXT DEFAULT 'x'")
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        let frames = try replica.exchange()
        guard case .welcome(let welcome) = frames[0] else {
            Issue.record("the first frame is a welcome")
            return
        }
        #expect(welcome.schema?.table(named: "customer")?.column(named: "extra") == nil)
        #expect(welcome.suspended.isEmpty)
        #expect(replica.rows["customer"]?.values.first?.count == 5)
    }
}
