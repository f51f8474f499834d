import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

extension Device {
    func pending() throws -> [PendingChange] {
        try queue.writeWithoutTransaction { try store.pending($0, limit: 1000) }
    }

    func revert(_ changes: PendingChange...) throws {
        try queue.writeWithoutTransaction { try store.revert($0, changes, now: now) }
    }

    @discardableResult
    func revertAll() throws -> RevertSummary {
        try queue.writeWithoutTransaction { try store.revertAll($0, now: now) }
    }
}

@Suite(.ownThreads) struct `Taking pending changes back` {
    let hub = Shop.hub()

    func ready(_ more: String = "") throws -> Device {
        let device = try Shop.device(more)
        try device.exchange(hub)
        return device
    }

    private func change(_ device: Device, _ table: String, _ key: Value...) throws -> PendingChange
    {
        try #require(try device.pending().first { $0.table == table && $0.key.values == key })
    }

    private func code(_ body: () throws -> Void) -> ReplicaError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? ReplicaError)?.code }
    }

    @Test func `a change is listed with what was and what is`() throws {
        let device = try ready()
        try device.run("UPDATE customer SET name = 'Anne' WHERE id = 'a'; DELETE FROM line")
        let update = try change(device, "customer", .text("a"))
        #expect(update.kind == .update)
        #expect(update.before == ["name": .text("Anna")] && update.after == ["name": .text("Anne")])
        let delete = try change(device, "line", .integer(1), .integer(1))
        #expect(delete.before["quantity"] == .integer(10) && delete.after == [:])
        try device.run("UPDATE customer SET name = 'Anja' WHERE id = 'a'")
        #expect(try change(device, "customer", .text("a")).id == update.id)
    }

    @Test func `an update becomes what the row was, and nothing is asked for`() throws {
        let device = try ready()
        try device.run("UPDATE customer SET name = 'Anne', email = 'n@x' WHERE id = 'a'")
        try device.revert(try change(device, "customer", .text("a")))
        #expect(try device.texts("SELECT * FROM customer WHERE id = 'a'") == ["a|a@x|Anna|∅"])
        #expect(try device.pending().map(\.kind) == [.refetch])
        #expect(try device.localChanges() == ["customer a update "])
        try device.exchange(hub)
        #expect(try device.pending() == [])
        #expect(try device.texts("SELECT * FROM _moorage_applying") == [])
    }

    @Test func `what was inserted goes`() throws {
        let device = try ready()
        try device.run("INSERT INTO customer(id, name) VALUES('c', 'Carl')")
        try device.revert(try change(device, "customer", .text("c")))
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b"])
        try device.exchange(hub)
        #expect(hub.row("customer", .text("c")) == nil)
        #expect(try device.pending() == [])
    }

    @Test func `what was deleted comes back, with columns that are not synced`() throws {
        let device = try ready()
        try device.run("UPDATE orders SET draft = 'mine'; DELETE FROM orders")
        try device.revertAll()
        #expect(try device.texts("SELECT * FROM orders") == ["1|a|9.8|first|mine"])
        #expect(try device.texts("SELECT * FROM line") == ["1|1|10"])
        try device.exchange(hub)
        #expect(try device.texts("SELECT * FROM orders") == ["1|a|9.8|first|mine"])
        #expect(hub.row("line", .integer(1), .integer(1)) != nil)
    }

    @Test func `what the hub changed meanwhile arrives with the next exchange`() throws {
        let device = try ready()
        hub.put("customer", [.text("a"), .text("a@x"), .text("Hub"), .null])
        try device.exchange(hub) {
            try device.run("UPDATE customer SET name = 'Mine' WHERE id = 'a'")
        }
        #expect(try device.texts("SELECT name FROM customer WHERE id = 'a'") == ["Mine"])
        try device.revertAll()
        #expect(try device.texts("SELECT name FROM customer WHERE id = 'a'") == ["Anna"])
        try device.exchange(hub)
        #expect(try device.texts("SELECT name FROM customer WHERE id = 'a'") == ["Hub"])
        #expect(hub.row("customer", .text("a"))?[2] == .text("Hub"))
    }

    @Test func `what is in flight stays, and later edits go back to it`() throws {
        let device = try ready()
        try device.run("UPDATE line SET quantity = 11")
        _ = try device.prepare()
        let sent = try change(device, "line", .integer(1), .integer(1))
        #expect(sent.isInFlight)
        #expect(code { try device.revert(sent) } == .alreadySent)
        try device.run("UPDATE line SET quantity = 12")
        let later = try #require(try device.pending().last)
        #expect(later.before == ["quantity": .integer(11)])
        #expect(try device.revertAll() == RevertSummary(reverted: 1, sent: 1))
        #expect(try device.texts("SELECT quantity FROM line") == ["11"])
        #expect(try device.pending() == [sent])
    }

    @Test func `a row that was edited after the listing is left alone`() throws {
        let device = try ready()
        try device.run("UPDATE line SET quantity = 11")
        let listed = try change(device, "line", .integer(1), .integer(1))
        try device.run("UPDATE line SET quantity = 12")
        #expect(code { try device.revert(listed) } == .pendingChanged)
        #expect(try device.texts("SELECT quantity FROM line") == ["12"])
    }

    @Test func `a change that was sent since is not taken for a new one`() throws {
        let device = try ready()
        try device.run("UPDATE line SET quantity = 11")
        let listed = try change(device, "line", .integer(1), .integer(1))
        try device.exchange(hub)
        try device.run("UPDATE line SET quantity = 12")
        #expect(code { try device.revert(listed) } == .pendingChanged)
    }

    @Test func `a change that the hub may have had stays`() throws {
        let device = try ready()
        try device.run("UPDATE line SET quantity = 11")
        _ = try device.prepare()
        try device.queue.writeWithoutTransaction { try device.store.fork($0, newID: "other") }
        let again = try change(device, "line", .integer(1), .integer(1))
        #expect(code { try device.revert(again) } == .alreadySent)
        #expect(try device.revertAll() == RevertSummary(reverted: 0, sent: 1))
        #expect(try device.texts("SELECT quantity FROM line") == ["11"])
    }

    @Test func `a parent does not go without the child that was inserted too`() throws {
        let device = try ready()
        try device.run(
            "INSERT INTO orders(id, customer) VALUES(2, 'a'); INSERT INTO line VALUES(2, 1, 5)")
        let parent = try change(device, "orders", .integer(2))
        #expect(code { try device.revert(parent) } == .revertBlocked)
        #expect(try device.texts("SELECT id FROM orders") == ["1", "2"])
        #expect(try device.pending().count == 2)
        try device.revert(parent, try change(device, "line", .integer(2), .integer(1)))
        #expect(try device.texts("SELECT id FROM orders") == ["1"])
        #expect(try device.texts("PRAGMA foreign_key_check") == [])
    }

    @Test func `a child does not come back without its deleted parent`() throws {
        let device = try ready()
        try device.run("DELETE FROM orders")
        let child = try change(device, "line", .integer(1), .integer(1))
        #expect(code { try device.revert(child) } == .revertBlocked)
        #expect(try device.revertAll().reverted == 2)
        #expect(try device.texts("PRAGMA foreign_key_check") == [])
    }

    @Test func `a local table that is not synced follows, or forbids it`() throws {
        let device = try ready(
            """
            CREATE TABLE photo(id INTEGER PRIMARY KEY, customer TEXT
              REFERENCES customer(id) ON DELETE CASCADE);
            CREATE TABLE visit(id INTEGER PRIMARY KEY, customer TEXT REFERENCES customer(id));
            """)
        try device.run("INSERT INTO customer(id) VALUES('c'); INSERT INTO photo VALUES(1, 'c')")
        try device.revertAll()
        #expect(try device.texts("SELECT * FROM photo") == [])
        try device.run("INSERT INTO customer(id) VALUES('d'); INSERT INTO visit VALUES(1, 'd')")
        #expect(code { try device.revertAll() } == .revertBlocked)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b", "d"])
    }

    @Test func `unique values that were swapped go back together`() throws {
        let device = try ready()
        try device.run(
            """
            UPDATE customer SET email = 'free' WHERE id = 'a';
            UPDATE customer SET email = 'a@x' WHERE id = 'b';
            UPDATE customer SET email = 'b@x' WHERE id = 'a';
            """)
        let one = try change(device, "customer", .text("a"))
        #expect(code { try device.revert(one) } == .revertBlocked)
        try device.revertAll()
        #expect(try device.texts("SELECT id, email FROM customer") == ["a|a@x", "b|b@x"])
    }

    @Test func `a unique value that the hub gave to another row is waited for`() throws {
        let device = try ready()
        hub.put("customer", [.text("a"), .text("z@x"), .text("Anna"), .null])
        hub.put("customer", [.text("c"), .text("a@x"), .text("Carl"), .null])
        try device.exchange(hub) {
            try device.run("UPDATE customer SET email = 'mine' WHERE id = 'a'")
        }
        #expect(try device.texts("SELECT email FROM customer WHERE id = 'c'") == ["a@x"])
        try device.revertAll()
        #expect(try device.texts("SELECT key FROM _moorage_deferred") == ["[\"a\"]"])
        try device.exchange(hub)
        #expect(
            try device.texts("SELECT id, email FROM customer ORDER BY id")
                == ["a|z@x", "b|b@x", "c|a@x"])
        #expect(try device.texts("SELECT key FROM _moorage_deferred") == [])
    }

    @Test func `text that is no text comes back byte for byte`() throws {
        let device = try ready()
        try device.run("UPDATE customer SET name = CAST(x'ff41' AS TEXT) WHERE id = 'a'")
        try device.exchange(hub)
        #expect(try device.texts("SELECT blocked FROM _moorage_refused") == ["1"])
        try device.run("DELETE FROM customer WHERE id = 'b'; DELETE FROM _moorage_log_customer")
        try device.run("UPDATE customer SET name = 'Anna' WHERE id = 'a'")
        try device.revertAll()
        #expect(
            try device.texts("SELECT hex(name), typeof(name) FROM customer") == ["FF41|text"])
    }

    @Test func `a change that was blocked leaves the list of refused ones`() throws {
        let device = try ready()
        try device.run("UPDATE customer SET name = CAST(x'ff41' AS TEXT) WHERE id = 'a'")
        try device.exchange(hub)
        try device.revertAll()
        #expect(try device.texts("SELECT blocked FROM _moorage_refused") == [])
        #expect(try device.texts("SELECT name FROM customer WHERE id = 'a'") == ["Anna"])
    }

    @Test func `where triggers were lost, nothing is reverted before a comparison`() throws {
        let device = try ready()
        try device.run("UPDATE line SET quantity = 11; DROP TRIGGER _moorage_update_line")
        try device.open()
        #expect(code { try device.revertAll() } == .revertBlocked)
        #expect(try device.texts("SELECT quantity FROM line") == ["11"])
    }

    @Test func `everything reverted is the state before, whatever was done`() throws {
        for seed in lawSeeds(40) {
            var random = SeededGenerator(seed: seed)
            let bench = try LawBench()
            let device = try bench.device()
            for _ in 0..<30 { try bench.editCentrally(using: &random) }
            for _ in 0..<2 { try device.exchange(bench.hub) }
            for _ in 0..<3 {
                let before = try device.contents()
                for _ in 0..<(random.below(12) + 1) {
                    _ = try? device.run(bench.statement(using: &random))
                }
                try device.revertAll()
                #expect(try device.contents() == before, "seed \(seed)")
                #expect(try device.texts("PRAGMA foreign_key_check") == [], "seed \(seed)")
                // The second time only refetches are pending.
                #expect(try device.revertAll().reverted == 0)
                if random.once(in: 2) { try device.exchange(bench.hub) }
            }
        }
    }

    @Test func `reverting beside pages and answers ends with the hub's rows`() throws {
        for seed in lawSeeds(40) {
            var random = SeededGenerator(seed: seed)
            let bench = try LawBench(rule: random.one(of: [.newest, .server, .client]))
            let device = try bench.device()
            for _ in 0..<30 { try bench.editCentrally(using: &random) }
            for _ in 0..<2 { try device.exchange(bench.hub) }
            for _ in 0..<8 {
                for _ in 0..<random.below(4) { try bench.editCentrally(using: &random) }
                let limits = PageLimits(maximumRows: random.below(6) + 1, maximumPages: 3)
                try device.exchange(bench.hub, limits: limits) {
                    for _ in 0..<random.below(3) {
                        _ = try? device.run(bench.statement(using: &random))
                    }
                    guard random.once(in: 3) else { return }
                    if random.once(in: 2) {
                        try device.revertAll()
                    } else if let one = random.pick(try device.pending()) {
                        do { try device.revert(one) } catch let error as ReplicaError {
                            let known: [ReplicaError.Code] = [.alreadySent, .revertBlocked]
                            #expect(known.contains(error.code), "seed \(seed): \(error)")
                        }
                    }
                }
            }
            for _ in 0..<100 {
                let isCaughtUp = try device.exchange(bench.hub)
                let hasDeferred = try !device.texts("SELECT 1 FROM _moorage_deferred").isEmpty
                if try isCaughtUp && !hasDeferred && device.pending().isEmpty { break }
            }
            #expect(try device.contents() == bench.contents(), "seed \(seed)")
            #expect(try device.texts("PRAGMA foreign_key_check") == [], "seed \(seed)")
        }
    }
}

@Suite(.ownThreads) struct `A replica's pending changes` {
    @Test func `are published each time they change, and can be reverted`() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        let replica = try await Replica(
            database: queue, hub: .direct(Shop.hub()), tables: Shop.tables(), clock: ManualClock())
        try await replica.sync()
        var told = replica.pendingChanges.values().makeAsyncIterator()
        #expect(try await told.next() == [])
        try await queue.write { try $0.execute(sql: "UPDATE line SET quantity = 11") }
        let listed = try #require(try await told.another(than: []))
        #expect(listed.map(\.after) == [["quantity": .integer(11)]])
        try await replica.revert(listed[0])
        #expect(try await told.another(than: listed)?.map(\.kind) == [.refetch])
        #expect(replica.status.pendingCount == 1)
        try await replica.sync()
        #expect(try await replica.revertAll() == RevertSummary(reverted: 0, sent: 0))
        #expect(replica.status.isCaughtUp)
    }
}
