import GRDB
import MoorageCore
import MoorageSupport
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A sync, step by step` {
    /// A device whose machine the test drives itself.
    private struct Hand {
        let hub: FakeHub
        let queue: DatabaseQueue
        let file = ReplicaFile(tables: Shop.tables())
        let random: ReplicaRandom

        init(_ hub: FakeHub, _ random: ReplicaRandom) throws {
            self.hub = hub
            self.random = random
            queue = try DatabaseQueue()
            try queue.write { try $0.execute(sql: Shop.sql) }
            try queue.writeWithoutTransaction { try file.open($0, newID: newID()) }
        }

        func newID() -> String {
            var generator = random.generator
            return UUIDText.random(using: &generator)
        }

        func proceed(
            _ sync: inout SyncMachine, _ event: SyncMachine.Event, at now: DeviceTime
        ) throws -> SyncMachine.Step {
            try queue.writeWithoutTransaction {
                try sync.proceed(event, $0, at: now, newID: newID)
            }
        }

        func receive(
            _ sync: inout SyncMachine, _ frame: Frame, at now: DeviceTime
        ) throws -> SyncMachine.Received {
            try queue.writeWithoutTransaction {
                try sync.receive(frame, $0, at: now, newID: newID)
            }
        }

        func sync(at now: DeviceTime) throws -> SyncSummary? {
            do {
                let summary = try oneSync(at: now)
                file.syncEnded(with: nil)
                return summary
            } catch {
                file.syncEnded(with: ReplicaFile.readable(error) as? ReplicaError)
                throw error
            }
        }

        private func oneSync(at now: DeviceTime) throws -> SyncSummary? {
            var sync = file.sync(ReplicaOptions())
            var event = SyncMachine.Event.begin
            while true {
                switch try proceed(&sync, event, at: now) {
                case .meet:
                    event = .schema(
                        SchemaAnswer(hub: hub.hub, schema: hub.schemaDescription, suspended: []))
                case .compare(let request): event = .compared(hub.comparing(request))
                case .send(let request, _):
                    for frame in try hub.answer(request) {
                        _ = try receive(&sync, frame, at: now)
                    }
                    event = .answered
                case .done(let summary): return summary
                case .needsSync: return nil
                }
            }
        }
    }

    private static func random(_ seed: UInt64) -> ReplicaRandom {
        let generator = Locked(SeededGenerator(seed: seed))
        return ReplicaRandom { generator.withLock { $0.next() } }
    }

    /// Random changes between two syncs: edits, lost triggers, and a restored file.
    private static func turn(_ random: inout SeededGenerator, _ round: Int) -> [String] {
        let number = Int.random(in: 0..<4, using: &random)
        let edits = [
            "INSERT OR REPLACE INTO customer VALUES ('n\(number)', 'n\(number)@x', 'N\(round)', NULL)",
            "UPDATE customer SET name = 'U\(round)' WHERE id = 'n\(number)'",
            "DELETE FROM customer WHERE id = 'n\(number)'",
            "UPDATE line SET quantity = \(round)",
            "INSERT OR IGNORE INTO line VALUES (1, \(10 + number), \(round))",
            // The table loses its trigger, and with it an edit.
            "DROP TRIGGER IF EXISTS _moorage_update_line; UPDATE line SET quantity = 7\(round)",
            // A restored file has the batch numbers of another past.
            """
            UPDATE _moorage_meta SET value = value + 7 WHERE name = 'number'; \
            DELETE FROM _moorage_inflight; UPDATE line SET quantity = 9\(round)
            """,
        ]
        return (0..<Int.random(in: 1...4, using: &random)).map { _ in
            edits[Int.random(in: 0..<edits.count, using: &random)]
        }
    }

    @Test(arguments: UInt64(1)...50) func `the app's driver asks the hub for the same`(
        seed: UInt64
    ) async throws {
        let clock = ManualClock()
        let hand = try Hand(Shop.hub(), Self.random(seed))
        let hub = Shop.hub()
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        let replica = try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), clock: clock,
            random: Self.random(seed))
        var random = SeededGenerator(seed: seed)
        for round in 0..<8 {
            let edits = round == 0 ? [] : Self.turn(&random, round)
            for database in [queue, hand.queue] {
                let now = clock.time
                try await database.write { db in
                    for edit in edits { try db.execute(sql: edit) }
                    // Triggers use SQLite's clock, so the logs get the test's time afterwards.
                    for table in ["customer", "orders", "line"] {
                        try db.execute(
                            sql: "UPDATE _moorage_log_\(table) SET at = ? WHERE at > ?",
                            arguments: [now.milliseconds, now.milliseconds])
                    }
                }
            }
            let hasNewEpoch = Int.random(in: 0..<6, using: &random) == 0
            let status = round == 0 ? 7 : Int.random(in: 0..<8, using: &random)
            for hub in [hub, hand.hub] {
                if hasNewEpoch { hub.epoch = Epoch("epoch-\(round)") }
                hub.status = status == 0 ? .notAccepted : status == 1 ? .forked : nil
                hub.put("customer", [.text("h\(round)"), .text("h\(round)@x"), .text("H"), .null])
            }
            let summary = try? await replica.sync()
            #expect(summary == (try? hand.sync(at: clock.time)))
            clock.advance(.seconds(1))
        }
        #expect(hub.requests == hand.hub.requests)
        #expect(hub.requests.count >= 8)
    }

    @Test func `Y2: a hub that forks again and again is not followed`() throws {
        let hand = try Hand(Shop.hub(), Self.random(1))
        _ = try hand.sync(at: 1)
        try hand.queue.write { try $0.execute(sql: "UPDATE line SET quantity = 11") }
        hand.hub.status = .forked
        let error = #expect(throws: ReplicaError.self) { try hand.sync(at: 2) }
        #expect(error?.code == .protocolViolation)
        // The request of the first sync, then one of the second, and one after each of three
        // repairs.
        #expect(hand.hub.requestCount == 1 + 4)
        hand.hub.status = nil
        #expect(try hand.sync(at: 3)?.changesPushed == 1)
    }

    /// The hub took the batch, and says nothing of it.
    private func bringSchemaAlone(_ hub: FakeHub, upToRequest last: Int) {
        hub.onAnswer = { frames in
            guard hub.requestCount <= last, case .welcome(let welcome)? = frames.first else {
                return
            }
            let withSchema = Welcome(
                hub: welcome.hub, epoch: welcome.epoch, time: welcome.time,
                schemaVersion: welcome.schemaVersion, schema: hub.schemaDescription, suspended: [],
                limits: welcome.limits)
            frames = [.welcome(withSchema), .end(End(hasMore: true))]
        }
    }

    @Test func `a batch is sent again in the same sync if the hub only brings a schema`() throws {
        let hand = try Hand(Shop.hub(), Self.random(1))
        _ = try hand.sync(at: 1)
        try hand.queue.write { try $0.execute(sql: "UPDATE line SET quantity = 11") }
        bringSchemaAlone(hand.hub, upToRequest: 3)
        #expect(try hand.sync(at: 2)?.changesPushed == 1)
        let batches = hand.hub.requests.dropFirst().compactMap(\.batch)
        #expect(batches.count == 3 && Set(batches).count == 1)
    }

    @Test func `Y2: a hub that brings a schema again and again, and no outcomes, is not followed`()
        throws
    {
        let hand = try Hand(Shop.hub(), Self.random(1))
        _ = try hand.sync(at: 1)
        try hand.queue.write { try $0.execute(sql: "UPDATE line SET quantity = 11") }
        bringSchemaAlone(hand.hub, upToRequest: .max)
        let error = #expect(throws: ReplicaError.self) { try hand.sync(at: 2) }
        #expect(error?.code == .protocolViolation)
        #expect(hand.hub.requestCount == 1 + 4)
        hand.hub.onAnswer = { _ in }
        #expect(try hand.sync(at: 3)?.changesPushed == 1)
    }

    @Test func `Y3: a file that got another name meanwhile takes nothing of the answer`() throws {
        let hand = try Hand(Shop.hub(), Self.random(1))
        _ = try hand.sync(at: 1)
        hand.hub.epoch = Epoch("epoch-2")
        var sync = hand.file.sync(ReplicaOptions())
        guard case .send(let request, _) = try hand.proceed(&sync, .begin, at: 2) else {
            Issue.record("nothing is sent")
            return
        }
        let frames = try hand.hub.answer(request)
        try hand.queue.write {
            try $0.execute(sql: "UPDATE _moorage_meta SET value = 'other' WHERE name = 'replica'")
        }
        for frame in frames {
            let error = #expect(throws: HubError.self) {
                try hand.receive(&sync, frame, at: 2)
            }
            #expect(error?.code == .unreachable)
        }
        let name = try hand.queue.read {
            try String.fetchOne($0, sql: "SELECT value FROM _moorage_meta WHERE name = 'replica'")
        }
        #expect(name == "other")
    }

    @Test func `a suspended table that lost its triggers keeps no live stream away`() throws {
        let hand = try Hand(Shop.hub(), Self.random(1))
        _ = try hand.sync(at: 1)
        // Another program drops the triggers, and a column that is synced.
        try hand.queue.write {
            try $0.execute(
                sql: """
                    DROP TABLE line;
                    CREATE TABLE line(orders INTEGER, number INTEGER, PRIMARY KEY(orders, number));
                    """)
        }
        _ = try hand.sync(at: 2)
        let isDue = try hand.queue.read {
            try Bool.fetchOne(
                $0,
                sql: """
                    SELECT repair > 0 AND suspended IS NOT NULL FROM _moorage_table
                    WHERE name = 'line'
                    """)
        }
        #expect(isDue == true)
        var live = hand.file.sync(ReplicaOptions(), isLive: true)
        guard case .send(let request, _) = try hand.proceed(&live, .begin, at: 3) else {
            Issue.record("no live stream is asked for")
            return
        }
        #expect(request.isLive)
    }

    @Test func `an answer that breaks off before its end is no sync`() throws {
        let hand = try Hand(Shop.hub(), Self.random(1))
        hand.hub.onAnswer = { $0.removeLast() }
        let error = #expect(throws: HubError.self) { try hand.sync(at: 1) }
        #expect(error?.code == .unreachable)
    }

    @Test func `what comes to no question is an error`() throws {
        let hand = try Hand(Shop.hub(), Self.random(1))
        var sync = hand.file.sync(ReplicaOptions())
        #expect(throws: ReplicaError.self) { try hand.proceed(&sync, .answered, at: 1) }
        #expect(throws: ReplicaError.self) {
            try hand.receive(&sync, .end(End(hasMore: false)), at: 1)
        }
    }
}
