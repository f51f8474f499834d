import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A replica` {
    let hub = Shop.hub()
    let clock = ManualClock()

    func replica(_ database: any DatabaseWriter) async throws -> Replica {
        try await Replica(
            database: database, hub: .direct(hub), tables: Shop.tables(), clock: clock)
    }

    func shop() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Shop.sql) }
        return queue
    }

    func texts(_ database: any DatabaseWriter, _ sql: String) async throws -> [String] {
        try await database.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { $0.isNull ? "∅" : "\($0.storage.value ?? "")" }
                    .joined(separator: "|")
            }
        }
    }

    @Test func `syncs once: pulls, pushes, and says what it did`() async throws {
        let queue = try shop()
        let replica = try await replica(queue)
        let first = try await replica.sync()
        #expect(first == SyncSummary(exchanges: 1, rowsReceived: 4, isCaughtUp: true))
        try await queue.write { try $0.execute(sql: "UPDATE line SET quantity = 11") }
        #expect(try await replica.pendingChanges.fetch().map(\.kind) == [.update])
        let second = try await replica.sync()
        #expect(second.changesPushed == 1)
        #expect(hub.row("line", .integer(1), .integer(1))?[2] == .integer(11))
        #expect(try await replica.pendingChanges.fetch() == [])
        let status = replica.status
        #expect(status.isCaughtUp && status.hasEverCaughtUp && status.pendingCount == 0)
        #expect(try await replica.verify() == [])
    }

    @Test func `says that the app closed its database`() async throws {
        let queue = try shop()
        let replica = try await replica(queue)
        try queue.close()
        let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
        #expect(error?.code == .databaseClosed)
        #expect(error?.recovery == .changeCall)
        #expect(error?.message.contains("memory") == false)
    }

    @Test func `works on a pool in a file, and across processes' connections`() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("replica-\(UUID().uuidString).sqlite").path
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let pool = try DatabasePool(path: path)
        try await pool.write { try $0.execute(sql: Shop.sql) }
        let replica = try await replica(pool)
        try await replica.sync()
        let other = try DatabaseQueue(path: path)
        try await other.write {
            try $0.execute(sql: "UPDATE customer SET name = 'Ann' WHERE id = 'a'")
        }
        try await replica.sync()
        #expect(hub.row("customer", .text("a"))?[2] == .text("Ann"))
        #expect(try await texts(other, "PRAGMA foreign_keys") == ["1"])
    }

    @Test func `runs: pulls by interval, pushes soon after a commit, stops when cancelled`()
        async throws
    {
        let queue = try shop()
        let replica = try await replica(queue)
        let running = Task { try await replica.run() }
        try await replica.waitUntilCaughtUp()
        try await clock.sleeping(2)

        try await queue.write { try $0.execute(sql: "UPDATE line SET quantity = 12") }
        // The commit woke the loop, which waits until the commits pause.
        try await eventually("the commit is at the hub") {
            try await clock.sleeping(2)
            clock.advance(.milliseconds(250))
            return hub.row("line", .integer(1), .integer(1))?[2] == .integer(12)
        }
        hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        try await eventually("the hub's row is here") {
            try await clock.sleeping(2)
            clock.advance(.seconds(30))
            return try await texts(queue, "SELECT id FROM customer WHERE id = 'c'") == ["c"]
        }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(replica.status.phase == .stopped)
    }

    @Test func `waits and tries again when the hub cannot be reached`() async throws {
        let queue = try shop()
        let replica = try await replica(queue)
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
        await replica.start()
        var seen: ReplicaStatus?
        for await status in replica.statuses() where status.phase == .retrying {
            seen = status
            break
        }
        #expect(seen?.lastError?.code == .hub(.unreachable))
        #expect(try #require(seen?.nextTry) > clock.now())
        hub.onAnswer = { _ in }
        try await clock.sleeping(2)
        clock.advance(.seconds(2))
        try await replica.waitUntilCaughtUp()
        await replica.stop()
        #expect(replica.status.lastError == nil)
    }

    @Test func `takes a fork, a batch not taken and another epoch in its stride`() async throws {
        let queue = try shop()
        let replica = try await replica(queue)
        try await replica.sync()
        try await queue.write { try $0.execute(sql: "UPDATE line SET quantity = 12") }
        // As if a restored backup with the same replica name had pushed other batches.
        hub.onAnswer = { frames in frames.removeAll() }
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        hub.onAnswer = { _ in }
        try await queue.write {
            try $0.execute(
                sql:
                    "UPDATE _moorage_meta SET value = 7 WHERE name = 'number'; DELETE FROM _moorage_inflight; UPDATE line SET quantity = 13"
            )
        }
        let summary = try await replica.sync()
        #expect(summary.isCaughtUp)
        #expect(hub.row("line", .integer(1), .integer(1))?[2] == .integer(13))
        hub.epoch = Epoch("epoch-2")
        #expect(try await replica.sync().isCaughtUp)
        #expect(try await replica.verify() == [])
        #expect(try await replica.refusedChanges.fetch() == [])
    }

    @Test func `verifies: names what is missing and what differs`() async throws {
        let queue = try shop()
        let replica = try await replica(queue)
        try await replica.sync()
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO _moorage_applying VALUES(1); DELETE FROM line;
                    UPDATE customer SET name = 'Wrong' WHERE id = 'b';
                    INSERT INTO customer VALUES('q', 'q@x', 'Q', NULL);
                    DELETE FROM _moorage_applying
                    """)
        }
        let differences = try await replica.verify().map { "\($0.table) \($0.kind.rawValue)" }
        #expect(
            differences.sorted() == [
                "customer differs", "customer missingThere", "line missingHere",
            ])
    }

    @Test(arguments: [1, 2, 5000])
    func `clones an empty file, and a clone that was interrupted goes on`(rows: Int) async throws {
        let queue = try DatabaseQueue()
        var options = ReplicaOptions()
        options.pageLimits = PageLimits(maximumRows: rows, maximumPages: 2)
        let names = ["customer", "orders", "line"]
        let answers = Locked(0)
        hub.onAnswer = { frames in
            let count = answers.withLock {
                $0 += 1
                return $0
            }
            if count == 1 { frames.removeLast() }
        }
        await #expect(throws: ReplicaError.self) {
            _ = try await Replica.clone(
                into: queue, from: .direct(hub), tables: names, options: options, clock: clock)
        }
        await #expect(throws: ReplicaError.self) {
            _ = try await Replica(database: queue, hub: .direct(hub), tables: Shop.tables())
        }
        let replica = try await Replica.clone(
            into: queue, from: .direct(hub), tables: names, options: options, clock: clock)
        #expect(try await texts(queue, "SELECT id, freight FROM orders") == ["1|9.80"])
        #expect(try await texts(queue, "SELECT count(*) FROM customer") == ["2"])
        #expect(
            try await texts(
                queue, "SELECT \"from\", \"table\" FROM pragma_foreign_key_list('line')")
                == ["orders|orders"])
        try await queue.write { try $0.execute(sql: "INSERT INTO line VALUES(1, 2, 3)") }
        try await replica.sync()
        #expect(hub.rows("line").count == 2)
        await #expect(throws: DatabaseError.self) {
            try await queue.write {
                try $0.execute(sql: "INSERT INTO customer VALUES('z', 'a@x', 'z', NULL)")
            }
        }
        // From now on it is a replica like any other.
        let again = try await Replica(database: queue, hub: .direct(hub), tables: Shop.tables())
        #expect(try await again.sync().isCaughtUp)
        // No message may name a table that the file does not have.
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await Replica.clone(
                into: queue, from: .direct(hub), tables: ["nosuch"], clock: clock)
        }
        #expect(error?.code == .fileNotEmpty)
        #expect(error?.message.contains("a replica already") == true)
        #expect(error?.message.contains("nosuch") == false)
    }

    @Test func `finds by itself what changed while its triggers were gone`() async throws {
        let queue = try shop()
        let replica = try await replica(queue)
        try await replica.sync()
        try await queue.write { db in
            try db.execute(sql: "DROP TRIGGER _moorage_update_line; UPDATE line SET quantity = 77")
        }
        try await replica.sync()
        #expect(hub.row("line", .integer(1), .integer(1))?[2] == .integer(77))
    }

    @Test func `long logs go in many batches, parents before children`() async throws {
        let queue = try shop()
        var options = ReplicaOptions()
        options.maximumRowsPerBatch = 50
        let replica = try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), options: options,
            clock: clock)
        try await replica.sync()
        try await queue.write { db in
            // Children sort before their parents.
            for number in 0..<3000 {
                let id = String(format: "k%05d", 3000 - number)
                let boss = number == 0 ? "a" : String(format: "k%05d", 3001 - number)
                try db.execute(
                    sql: "INSERT INTO customer VALUES(?, ?, 'x', ?)",
                    arguments: [id, "\(number)@y", boss])
            }
        }
        let known = Locked<Set<Value>>([.text("a"), .text("b")])
        hub.refusing = { change in
            guard case .insert(let row) = change.operation else { return nil }
            return known.withLock { known in
                known.insert(row[0])
                return known.contains(row[3]) ? nil : Refusal(code: .foreignKey, message: "no boss")
            }
        }
        let summary = try await replica.sync()
        #expect(summary.changesPushed == 3000)
        #expect(summary.changesRefused == 0)
        #expect(try await replica.pendingChanges.fetch() == [])
        #expect(
            try await texts(
                queue,
                "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name LIKE '%log%'")
                == [])
    }
}
