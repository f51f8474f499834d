import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// `purchase` refers to the table, and goes on.
@Suite(.ownThreads) struct `A table with a minimum version` {
    private func bench() throws -> HubBench {
        let bench = try HubBench(minimumClientVersions: ["customer": "2.0"])
        try bench.sql("INSERT INTO customer(id, name) VALUES ('a', 'Ann')")
        try bench.sql("INSERT INTO purchase VALUES (1, 'a', 'x')")
        return bench
    }

    private func replica(_ bench: HubBench, version: String?) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, 1)
        replica.clientVersion = version
        return replica
    }

    private func welcome(_ frames: [Frame]) throws -> Welcome {
        guard case .welcome(let welcome)? = frames.first else {
            throw HubError(.internalError, "The first frame is a welcome.")
        }
        return welcome
    }

    private let bob: [Value] = [.text("b"), .text("Bob"), .null, .null, .null]

    /// A batch without the table.
    private func batch(_ replica: ScriptedReplica, _ change: Change) -> Batch {
        replica.batchNumber += 1
        return Batch(
            number: replica.batchNumber, nonce: "without-\(replica.batchNumber)",
            preparedAt: replica.now, tables: replica.tables.filter { $0.name != "customer" },
            changes: [change])
    }

    @Test(arguments: [nil, "1.9", "beta"])
    func `is suspended for an older app, and no other table is`(version: String?) throws {
        let bench = try bench()
        let old = try replica(bench, version: version)
        let suspended = try welcome(old.exchange()).suspended
        #expect(suspended.map(\.name) == ["customer"] && suspended.map(\.code) == [.clientTooOld])
        #expect(suspended.first?.reason.contains("2.0") == true)
        #expect(old.rows["customer"] == nil && old.cursor.tables["customer"] == nil)
        #expect(old.rows["purchase"]?.count == 1)
    }

    @Test(arguments: ["2.0", "2", "3-beta"])
    func `is a table like others for an app that is new enough`(version: String) throws {
        let bench = try bench()
        let new = try replica(bench, version: version)
        #expect(try welcome(new.exchange()).suspended.isEmpty)
        #expect(try new.isEqual())
        #expect(try new.push(new.insert("customer", bob)) == [.applied])
    }

    @Test func `takes no change of an older app, and refuses none`() throws {
        let bench = try bench()
        let old = try replica(bench, version: "1")
        try old.exchange()
        let frames = try old.exchange(old.batch([old.insert("customer", bob)]))
        #expect(old.answer(frames)?.status == .notAccepted)
        #expect(old.answer(frames)?.outcomes.isEmpty == true)
        old.batchNumber -= 1
        let purchase = old.insert("purchase", [.integer(2), .text("a"), .null])
        let outcomes = old.outcomes(try old.exchange(batch(old, purchase)))
        #expect(outcomes.map(\.kind) == [.applied])
        #expect(try bench.rows("SELECT id FROM customer") == [[.text("a")]])
        #expect(
            try bench.rows("SELECT id FROM purchase ORDER BY id") == [[.integer(1)], [.integer(2)]])
        #expect(try bench.conflicts().isEmpty)
    }

    @Test func `is read from the beginning once the app is new enough`() throws {
        let bench = try bench()
        let replica = try replica(bench, version: "1")
        try replica.exchange()
        try bench.sql("UPDATE customer SET city = 'Lyon'")
        try bench.sql("UPDATE purchase SET note = 'y'")
        try replica.exchange()
        #expect(replica.rows["purchase"]?.values.map { $0[2] } == [.text("y")])
        replica.clientVersion = "2"
        #expect(try welcome(replica.exchange()).suspended.isEmpty)
        #expect(try replica.isEqual())
    }

    /// The app may be an older one again, as after a restored backup.
    @Test func `answers a batch that it took from the newer app`() throws {
        let bench = try bench()
        let replica = try replica(bench, version: "2")
        try replica.exchange()
        let batch = replica.batch([replica.insert("customer", bob)])
        try replica.exchange(batch)
        replica.clientVersion = "1"
        let again = replica.answer(try replica.exchange(batch))
        #expect(again?.status == .alreadyApplied && again?.outcomes.map(\.kind) == [.applied])
    }

    @Test func `is not compared with an older app`() throws {
        let bench = try bench()
        let old = try replica(bench, version: "1")
        try old.exchange()
        func compare(_ version: String?) throws -> CompareAnswer {
            var request = CompareRequest(
                replica: old.id, table: TableColumns(name: "customer", columns: ["id", "name"]),
                after: nil, maximumRows: 10, cursor: .start, withValues: true)
            request.clientVersion = version
            return try bench.hub.comparison(CompareRequest(decoding: request.encoded()))
        }
        for version in [nil, "1"] {
            let error = #expect(throws: HubError.self) { try compare(version) }
            #expect(error?.code == .tableSuspended && error?.message.contains("2.0") == true)
        }
        #expect(try compare("2").rows.count == 1)
    }

    @Test func `does not come over the live stream of an older app`() throws {
        let bench = try bench()
        let old = try replica(bench, version: "1")
        try old.exchange()
        var tables: [String] = []
        var stream = try #require(try bench.hub.open(old.request(nil).live, for: nil) { _ in })
        try bench.sql("INSERT INTO customer(id, name) VALUES ('b', 'Bob')")
        try bench.sql("INSERT INTO purchase VALUES (2, 'b', 'x')")
        while case .page(let page)? = try stream.poll() { tables += page.tables.map(\.table) }
        #expect(tables == ["purchase"])
    }

    @Test func `wants a right before it wants an update`() throws {
        let bench = try HubBench(
            rights: RightSettings(tables: ["customer": ["boss": .all]]),
            minimumClientVersions: ["customer": "2.0"])
        let old = try replica(bench, version: "1")
        // A replica takes the last reason.
        #expect(try welcome(old.exchange()).suspended.last?.code == .tableSuspended)
    }

    @Test(arguments: [["customer": "newest"], ["customers": "2"]])
    func `has a version, and is attached`(minimums: [String: String]) async throws {
        let bench = try HubBench(minimumClientVersions: minimums)
        let error = await #expect(throws: HubError.self) {
            try await bench.hub.checkConfiguration()
        }
        #expect(error?.code == .configuration && error?.message.contains("minimum version") == true)
    }
}
