import GRDB
import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `Applying pages` {
    let hub = Shop.hub()

    func ready(_ more: String = "") throws -> Device {
        let device = try Shop.device(more)
        try device.exchange(hub)
        return device
    }

    @Test func `a first copy brings every row and logs nothing`() throws {
        let device = try ready()
        #expect(try device.texts("SELECT * FROM customer") == ["a|a@x|Anna|∅", "b|b@x|Bert|a"])
        let freights = try device.texts("SELECT id, freight, typeof(freight) FROM orders")
        #expect(freights == ["1|9.8|real"])
        #expect(try device.texts("SELECT * FROM line") == ["1|1|10"])
        #expect(try device.changes() == [])
        #expect(try device.texts("SELECT * FROM _moorage_applying") == [])
        #expect(try device.texts("PRAGMA foreign_keys") == ["1"])
    }

    @Test(arguments: [1, 2, 3, 100])
    func `a scan in small pages ends with the same rows`(rows: Int) throws {
        let device = try Shop.device()
        #expect(try device.exchange(hub, rows: rows).isCaughtUp)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b"])
        #expect(try device.texts("SELECT * FROM line") == ["1|1|10"])
    }

    @Test func `changes of both sides meet`() throws {
        let device = try ready()
        try device.run(
            "UPDATE customer SET name = 'Anne' WHERE id = 'a'; INSERT INTO orders(id, customer, freight, draft) VALUES(2, 'b', 12.5, 'mine'); DELETE FROM line"
        )
        hub.put("customer", [.text("a"), .text("new@x"), .text("Anna"), .null])
        try device.exchange(hub)
        #expect(
            hub.row("customer", .text("a")) == [.text("a"), .text("new@x"), .text("Anne"), .null])
        #expect(hub.row("orders", .integer(2)) == [.integer(2), .text("b"), .text("12.5"), .null])
        #expect(hub.row("line", .integer(1), .integer(1)) == nil)
        #expect(try device.texts("SELECT * FROM customer WHERE id = 'a'") == ["a|new@x|Anne|∅"])
        #expect(try device.texts("SELECT draft FROM orders WHERE id = 2") == ["mine"])
        #expect(try device.changes() == [])
    }

    @Test func `columns edited during the exchange stay, the others arrive`() throws {
        let device = try ready()
        hub.put("customer", [.text("a"), .text("hub@x"), .text("Hub"), .null])
        try device.exchange(hub) {
            try device.run("UPDATE customer SET name = 'Mine' WHERE id = 'a'")
        }
        #expect(try device.texts("SELECT * FROM customer WHERE id = 'a'") == ["a|hub@x|Mine|∅"])
        #expect(try device.localChanges() == ["customer a update 2:Anna>Mine"])
    }

    @Test func `a removal of an edited row is blocked`() throws {
        let device = try ready()
        hub.remove("line", .integer(1), .integer(1))
        try device.exchange(hub) { try device.run("UPDATE line SET quantity = 11") }
        #expect(try device.texts("SELECT quantity FROM line") == ["11"])
        try device.exchange(hub)
        #expect(try device.texts("SELECT quantity FROM line") == [])
        #expect(
            try device.texts("SELECT tbl, operation, code, before, after FROM _moorage_refused")
                == ["line|update|gone|[10]|[11]"])
    }

    @Test func `an edit that was undone is pushed all the same`() throws {
        let device = try ready()
        hub.remove("line", .integer(1), .integer(1))
        try device.exchange(hub) {
            try device.run("UPDATE line SET quantity = 11; UPDATE line SET quantity = 10")
        }
        #expect(try device.texts("SELECT quantity FROM line") == ["10"])
        try device.exchange(hub)
        #expect(try device.texts("SELECT quantity FROM line") == [])
    }

    @Test func `a deletion made here is not undone by a page`() throws {
        let device = try ready()
        hub.put("line", [.integer(1), .integer(1), .integer(99)])
        try device.exchange(hub) { try device.run("DELETE FROM line") }
        #expect(try device.texts("SELECT quantity FROM line") == [])
        #expect(try device.localChanges() == ["line 1,1 delete 1,1,10"])
    }

    @Test func `a page for another cursor is dropped`() throws {
        let device = try ready()
        let request = try device.queue.writeWithoutTransaction {
            try device.store.request($0, now: 1, limits: PageLimits()).request
        }
        hub.put("customer", [.text("a"), .text("a@x"), .text("One"), .null])
        let late = try hub.answer(request)
        hub.put("customer", [.text("a"), .text("a@x"), .text("Two"), .null])
        try device.exchange(hub)
        guard case .page(let page) = late[1] else { return #expect(Bool(false)) }
        let result = try device.queue.writeWithoutTransaction {
            try device.store.apply($0, outcomes: nil, page: page, at: ExchangeTime(here: 1, hub: 1))
        }
        #expect(result.isDropped)
        #expect(try device.texts("SELECT name FROM customer WHERE id = 'a'") == ["Two"])
    }

    // MARK: Candidates

    private func page(_ device: Device, _ row: [Value]) throws -> Page {
        let cursor = try device.queue.read { try Metadata(db: $0).cursor() }
        let columns = ["id", "customer", "freight", "note"]
        return Page(
            since: cursor, cursor: cursor, isCaughtUp: true,
            tables: [TableRows(table: "orders", columns: columns, rows: [row])], removals: [])
    }

    private func apply(_ page: Page, to device: Device) throws {
        _ = try device.queue.writeWithoutTransaction {
            try device.store.apply($0, outcomes: nil, page: page, at: ExchangeTime(here: 0, hub: 0))
        }
    }

    @Test func `a row without a key breaks the protocol`() throws {
        let device = try ready()
        let error = #expect(throws: ReplicaError.self) {
            try apply(try page(device, [.null, .text("a"), .null, .null]), to: device)
        }
        #expect(error?.code == .protocolViolation)
        #expect(try device.texts("SELECT id FROM orders") == ["1"])
    }

    @Test func `a key that the local column cannot hold withholds its row`() throws {
        let device = try ready()
        try apply(try page(device, [.text("x"), .text("a"), .null, .null]), to: device)
        #expect(try device.texts("SELECT id FROM orders") == ["1"])
        #expect(try device.texts("SELECT tbl, key FROM _moorage_withheld") == [#"orders|["x"]"#])
    }

    @Test func `an ignored insert does not hold a removal back`() throws {
        let device = try ready()
        hub.remove("line", .integer(1), .integer(1))
        try device.exchange(hub) { try device.run("INSERT OR IGNORE INTO line VALUES(1, 1, 5)") }
        #expect(try device.texts("SELECT * FROM line") == [])
        #expect(try device.changes() == [])
    }

    @Test func `a row that was replaced is deleted, whatever the page brings`() throws {
        let device = try ready()
        hub.put("customer", [.text("b"), .text("b@x"), .text("Changed"), .null])
        try device.exchange(hub) {
            try device.run("PRAGMA foreign_keys = OFF")
            try device.run("REPLACE INTO customer VALUES('n', 'b@x', 'New', NULL)")
        }
        #expect(try device.texts("SELECT id FROM customer ORDER BY id") == ["a", "n"])
        #expect(
            try device.localChanges() == [
                "customer n insert n,b@x,New,∅", "customer b delete b,b@x,Bert,a",
            ])
    }

    // MARK: Outcomes

    @Test func `a refused insert goes, with its values listed`() throws {
        let device = try ready()
        hub.refusing = { _ in Refusal(code: .check, message: "no") }
        try device.run("INSERT INTO line VALUES(1, 2, 5)")
        try device.exchange(hub)
        #expect(try device.texts("SELECT * FROM line") == ["1|1|10"])
        let refused = try device.queue.read { try device.store.refused($0, limit: 9) }
        #expect(
            refused.map(\.after) == [
                ["orders": .integer(1), "number": .integer(2), "quantity": .integer(5)]
            ])
    }

    @Test func `a refused insert that was mended meanwhile is an insert still`() throws {
        let device = try ready()
        hub.refusing = { _ in Refusal(code: .check, message: "no") }
        try device.run("INSERT INTO line VALUES(1, 2, 5)")
        try device.exchange(hub) { try device.run("UPDATE line SET quantity = 6 WHERE number = 2") }
        #expect(try device.texts("SELECT quantity FROM line WHERE number = 2") == ["6"])
        hub.refusing = { _ in nil }
        #expect(try device.localChanges() == ["line 1,2 insert 1,2,6"])
        try device.exchange(hub)
        #expect(
            hub.row("line", .integer(1), .integer(2)) == [.integer(1), .integer(2), .integer(6)])
    }

    @Test func `a refused update that was mended meanwhile starts from what the hub has`() throws {
        let device = try ready()
        hub.refusing = { _ in Refusal(code: .check, message: "no") }
        try device.run("UPDATE line SET quantity = 5")
        try device.exchange(hub) { try device.run("UPDATE line SET quantity = 6") }
        #expect(try device.localChanges() == ["line 1,1 update 2:10>6"])
    }

    @Test func `a refused delete that was undone meanwhile is an update`() throws {
        let device = try ready()
        hub.refusing = { _ in Refusal(code: .foreignKey, message: "no") }
        try device.run("DELETE FROM line")
        try device.exchange(hub) { try device.run("INSERT INTO line VALUES(1, 1, 12)") }
        #expect(try device.localChanges() == ["line 1,1 update 2:10>12"])
    }

    @Test func `a later note starts from the value that the hub stored`() throws {
        let device = try ready()
        hub.storing = { change, column, value in
            if case .text(let text) = value, change.table == "customer", column == 2 {
                .text(text.lowercased())
            } else {
                value
            }
        }
        try device.run("UPDATE customer SET name = 'ANNE' WHERE id = 'a'")
        try device.exchange(hub) {
            try device.run("UPDATE customer SET name = 'ANN' WHERE id = 'a'")
        }
        #expect(try device.localChanges() == ["customer a update 2:anne>ANN"])
    }

    @Test func `a lost answer is given again, and nothing is done twice`() throws {
        let device = try ready()
        hub.refusing = {
            $0.key.values[1] == .integer(3) ? Refusal(code: .check, message: "no") : nil
        }
        try device.run("INSERT INTO line VALUES(1, 2, 5), (1, 3, 5)")
        _ = try device.prepare()
        let request = try device.queue.writeWithoutTransaction {
            try device.store.request($0, now: 1, limits: PageLimits()).request
        }
        _ = try hub.answer(request)
        try device.run("UPDATE line SET quantity = 7 WHERE number = 2")
        try device.exchange(hub)
        #expect(try device.texts("SELECT number, quantity FROM line") == ["1|10", "2|7"])
        #expect(try device.texts("SELECT key, code FROM _moorage_refused") == ["[1,3]|check"])
        #expect(try device.localChanges() == ["line 1,2 update 2:5>7"])
    }

    // MARK: Unique values

    @Test func `two rows swap a unique value`() throws {
        let device = try ready()
        hub.put("customer", [.text("a"), .text("tmp"), .text("Anna"), .null])
        hub.put("customer", [.text("b"), .text("a@x"), .text("Bert"), .text("a")])
        hub.put("customer", [.text("a"), .text("b@x"), .text("Anna"), .null])
        let result = try device.exchange(hub)
        #expect(result.isCaughtUp)
        #expect(
            try device.texts("SELECT id, email FROM customer ORDER BY id") == ["a|b@x", "b|a@x"])
        #expect(try device.changes() == [])
    }

    @Test func `a row whose unique value is held waits, and goes in when it is free`() throws {
        let device = try ready()
        try device.run("INSERT INTO customer VALUES('mine', 'c@x', 'Mine', NULL)")
        _ = try device.prepare()
        hub.put("customer", [.text("c"), .text("c@x"), .text("Central"), .null])
        hub.refusing = { _ in Refusal(code: .unique, message: "taken") }
        let first = try device.exchange(hub)
        #expect(first.isCaughtUp)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b", "c"])

        hub.refusing = { _ in nil }
        hub.put("customer", [.text("d"), .text("d@x"), .text("Central"), .null])
        let second = try device.exchange(hub) {
            try device.run("INSERT INTO customer VALUES('mine', 'd@x', 'Mine', NULL)")
        }
        #expect(!second.isCaughtUp)
        #expect(try device.texts("SELECT tbl, key FROM _moorage_deferred") == ["customer|[\"d\"]"])
        hub.refusing = { _ in Refusal(code: .unique, message: "taken") }
        let third = try device.exchange(hub)
        #expect(third.isCaughtUp)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b", "c", "d"])
        #expect(try device.texts("SELECT tbl FROM _moorage_deferred") == [])
    }

    // MARK: Foreign keys

    @Test func `an orphan that nothing explains is taken, and listed until it is none`() throws {
        let device = try ready()
        let list = "SELECT tbl, key, columns, parent FROM _moorage_dangling"
        hub.put("orders", [.integer(7), .text("nobody"), .null, .null])
        #expect(try device.exchange(hub).isCaughtUp)
        #expect(try device.texts("SELECT id FROM orders") == ["1", "7"])
        #expect(try device.texts(list) == [#"orders|[7]|["customer"]|customer"#])
        // Neither an unrelated page nor one that changes the row itself ends that.
        hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        try device.exchange(hub)
        hub.put("orders", [.integer(7), .text("none"), .null, .null])
        try device.exchange(hub)
        #expect(try device.texts(list) == [#"orders|[7]|["customer"]|customer"#])
        hub.put("customer", [.text("none"), .text("n@x"), .text("Now"), .null])
        try device.exchange(hub)
        #expect(try device.texts(list) == [])
        #expect(try device.texts("PRAGMA foreign_key_check") == [])
    }

    @Test func `an orphan is listed until its row goes, or refers to another`() throws {
        let device = try ready()
        let list = "SELECT key FROM _moorage_dangling"
        hub.put("orders", [.integer(7), .text("nobody"), .null, .null])
        hub.put("orders", [.integer(8), .text("nobody"), .null, .null])
        try device.exchange(hub)
        #expect(try device.texts(list) == ["[7]", "[8]"])
        try device.run("UPDATE orders SET customer = 'a' WHERE id = 7")
        try device.run("DELETE FROM orders WHERE id = 8")
        try device.exchange(hub)
        try device.exchange(hub)
        #expect(try device.texts(list) == [])
        #expect(try device.texts("SELECT id, customer FROM orders WHERE id > 1") == ["7|a"])
    }

    @Test func `an orphan that a pending deletion explains stands until the answer`() throws {
        let device = try ready()
        hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        try device.exchange(hub)
        hub.put("orders", [.integer(7), .text("c"), .null, .null])
        try device.exchange(hub) { try device.run("DELETE FROM customer WHERE id = 'c'") }
        #expect(try device.texts("SELECT id FROM orders") == ["1", "7"])
        #expect(try device.texts("SELECT k0 FROM _moorage_changed_orders") == ["7"])
        hub.refusing = { _ in Refusal(code: .foreignKey, message: "referred to") }
        try device.exchange(hub)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b", "c"])
        #expect(try device.texts("SELECT k0 FROM _moorage_changed_orders") == [])
    }

    @Test func `local tables that are not synced follow a removed row`() throws {
        let device = try ready(
            """
            CREATE TABLE sketch(id INTEGER PRIMARY KEY, ord INTEGER REFERENCES orders(id) ON DELETE CASCADE);
            CREATE TABLE stroke(id INTEGER PRIMARY KEY, sketch INTEGER REFERENCES sketch(id) ON DELETE CASCADE);
            CREATE TABLE marker(id INTEGER PRIMARY KEY, ord INTEGER REFERENCES orders ON DELETE SET NULL);
            CREATE TABLE other(id INTEGER PRIMARY KEY, ord INTEGER DEFAULT 5 REFERENCES orders ON DELETE SET DEFAULT);
            """)
        try device.run(
            "INSERT INTO sketch VALUES(1, 1); INSERT INTO stroke VALUES(1, 1); INSERT INTO marker VALUES(1, 1); INSERT INTO other VALUES(1, 1)"
        )
        hub.remove("line", .integer(1), .integer(1))
        hub.remove("orders", .integer(1))
        hub.put("orders", [.integer(5), .text("a"), .null, .null])
        try device.exchange(hub)
        #expect(
            try device.texts("SELECT count(*) FROM sketch UNION ALL SELECT count(*) FROM stroke")
                == ["0", "0"])
        #expect(
            try device.texts("SELECT ord FROM marker UNION ALL SELECT ord FROM other") == [
                "∅", "5",
            ])
    }

    @Test func `a local table that forbids the removal is named`() throws {
        let device = try ready(
            "CREATE TABLE sketch(id INTEGER PRIMARY KEY, ord INTEGER REFERENCES orders(id))")
        try device.run("INSERT INTO sketch VALUES(1, 1)")
        hub.remove("line", .integer(1), .integer(1))
        hub.remove("orders", .integer(1))
        let error = #expect(throws: ReplicaError.self) { try device.exchange(hub) }
        #expect(error?.code == .removalForbidden)
        #expect(error?.message.contains("sketch") == true)
    }

    // MARK: Withheld rows

    @Test func `a decimal that the local column would round withholds its row`() throws {
        let device = try ready()
        hub.put("orders", [.integer(2), .text("a"), .text("1234567890.12345678901"), .null])
        try device.exchange(hub)
        #expect(try device.texts("SELECT id FROM orders") == ["1"])
        #expect(
            try device.texts("SELECT tbl, key, column FROM _moorage_withheld") == [
                "orders|[2]|freight"
            ])
        hub.put("orders", [.integer(2), .text("a"), .text("1.5"), .null])
        try device.exchange(hub)
        #expect(try device.texts("SELECT freight FROM orders WHERE id = 2") == ["1.5"])
        #expect(try device.texts("SELECT tbl FROM _moorage_withheld") == [])
    }

    @Test func `observers of the app see what arrives`() throws {
        let device = try Shop.device()
        final class Observer: TransactionObserver {
            var commits = 0
            func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
                kind.tableName == "customer"
            }
            func databaseDidChange() { commits += 1 }
            func databaseDidChange(with event: DatabaseEvent) { commits += 1 }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Observer()
        device.queue.add(transactionObserver: observer)
        try device.exchange(hub)
        #expect(observer.commits > 0)
    }
}
