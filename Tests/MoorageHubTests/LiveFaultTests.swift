import GRDB
import GRDBSQLite
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

/// A fault ends only the streams that it concerns, and leaves none of them silent.
@Suite(.ownThreads) struct `Trouble with live streams` {
    private func device(_ number: Int, of user: String, on bench: LiveBench) throws -> LiveDevice {
        let device = LiveDevice(number)
        device.open(
            try #require(bench.hub.asSeen(by: Principal(subject: user)) as? any LiveHub))
        return device
    }

    /// Ends the devices' tasks, also of those that should have ended by themselves.
    private func close(_ devices: LiveDevice...) async {
        for device in devices { device.cancel() }
        for device in devices { await device.finish() }
    }

    @Test func `a user whose scopes cannot be told loses the answer, the others do not`()
        async throws
    {
        let bench = try await LiveBench(
            scoped: true,
            holding: .query(ScopeQuery("SELECT owner FROM holder WHERE user = :sub"))
        ) { $0.checkInterval = .milliseconds(10) }
        try bench.sql("INSERT INTO holder VALUES ('bob', 'bob')")
        let ada = try device(1, of: "ada", on: bench)
        let (bob, bobsOther) = (
            try device(2, of: "bob", on: bench), try device(3, of: "bob", on: bench)
        )
        try await eventually("all wait") { bench.isAtRest(3) }
        // More scopes than any user may have.
        try bench.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 10000)
            INSERT INTO holder SELECT 'bob', 'o' || i FROM n
            """)
        try await eventually("both streams of bob have ended") {
            bob.now.isOver && bobsOther.now.isOver
        }
        for device in [bob, bobsOther] { #expect(device.now.end == End(hasMore: true)) }
        try bench.sql("INSERT INTO note VALUES (1, 'ada', 'hers')")
        try await eventually("ada has her note") { ada.now.notes == [1: "hers"] }
        #expect(!ada.now.isOver)
        await close(ada, bob, bobsOther)
        #expect(bench.hub.liveFigures.streams == 0)
    }

    @Test func `who cannot be read for is told to come again, the others get theirs`() async throws
    {
        let queue = try DatabaseQueue()
        let bench = try await LiveBench(SQLiteDatabase(queue: queue), scoped: true)
        let (ada, bob) = (
            try device(1, of: "ada", on: bench), try device(2, of: "bob", on: bench)
        )
        try await eventually("both wait") { bench.isAtRest(2) }
        // Both notes changed, and hers is longer than the connection accepts from then on.
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO note VALUES (1, 'ada', hex(zeroblob(50000)));
                    INSERT INTO note VALUES (2, 'bob', 'his');
                    """)
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 40_000)
        }
        try await eventually("the stream of ada has ended") { ada.now.isOver }
        #expect(ada.now.end == End(hasMore: true))
        try await eventually("bob has his note") { bob.now.notes == [2: "his"] }
        #expect(!bob.now.isOver)
        await close(ada, bob)
        #expect(bench.hub.liveFigures.streams == 0)
    }

    @Test func `a hub that is not as it was ends all of them, and they go on where they stood`()
        async throws
    {
        let bench = try await LiveBench()
        let devices = [LiveDevice(1), LiveDevice(2)]
        for device in devices { device.open(bench.hub) }
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'one')")
        try await eventually("both have it") {
            devices.allSatisfy { $0.now.notes == [1: "one"] } && bench.isAtRest(2)
        }
        bench.fault.value = HubError(.configuration, "The hub is not attached any more.")
        try await eventually("both are over") { devices.allSatisfy { $0.now.isOver } }
        #expect(devices.allSatisfy { $0.now.end == End(hasMore: true) })
        #expect(bench.hub.liveFigures.streams == 0)
        bench.fault.value = nil
        try bench.sql("INSERT INTO note VALUES (2, NULL, 'two')")
        for device in devices { device.open(bench.hub) }
        try await eventually("both go on") { devices.allSatisfy { $0.now.notes.count == 2 } }
        for device in devices {
            let sent = device.now.pages.flatMap(\.tables).flatMap(\.rows)
            #expect(device.now.strangers == 0 && sent.count == 2)
        }
        await close(devices[0], devices[1])
    }

    @Test func `a database that is away ends none of them, and what came meanwhile follows`()
        async throws
    {
        let bench = try await LiveBench { $0.heartbeat = .milliseconds(20) }
        let device = LiveDevice(1)
        device.open(bench.hub)
        try await eventually("it waits") { bench.isAtRest(1) }
        bench.fault.value = CentralError(.unavailable, "The database is away.")
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'meanwhile')")
        let beats = device.now.beats
        try await eventually("it hears of the hub") { device.now.beats > beats + 2 }
        #expect(device.now.notes.isEmpty)
        bench.fault.value = nil
        try await eventually("what was committed meanwhile came") {
            device.now.notes == [1: "meanwhile"]
        }
        #expect(!device.now.isOver)
        await close(device)
    }

    @Test func `a push is polled for though the next poll is far away`() async throws {
        let bench = try await LiveBench { $0.interval = .seconds(3_600) }
        let device = LiveDevice(1)
        device.open(bench.hub)
        try await eventually("it was polled for") {
            bench.hub.liveFigures.readings > 0 && bench.isAtRest(1)
        }
        for number in 1...5 {
            let text = "pushed \(number)"
            let batch = LiveBench.insert(Int64(number), text, by: number + 1)
            try await bench.hub.exchange(LiveBench.request(number + 1, batch: batch).ending) { _ in
            }
            try await eventually("push \(number) came") { device.now.notes[Int64(number)] == text }
        }
        await close(device)
    }
}
