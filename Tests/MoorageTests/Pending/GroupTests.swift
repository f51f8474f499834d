import GRDB
import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `Groups of changes on a device` {
    let hub = Shop.hub()

    func ready(_ more: String = "") throws -> Device {
        let device = try Shop.device(more)
        try device.exchange(hub)
        return device
    }

    private func group(_ device: Device, _ sql: String) throws {
        try device.queue.write { db in
            try device.store.group(db) { try db.execute(sql: sql) }
        }
    }

    private func customers(_ range: ClosedRange<Int>) -> String {
        range.map { "INSERT INTO customer(id) VALUES('c\($0)');" }.joined()
    }

    private func batches(_ device: Device, rows: Int) throws -> [[String]] {
        var result: [[String]] = []
        while let batch = try device.prepare(BatchLimits(maximumRows: rows)), result.count < 20 {
            result.append(
                batch.batch.changes.map {
                    "\(Device.text($0.key.values[0]))\($0.group == nil ? "" : "!")"
                })
            _ = try device.queue.writeWithoutTransaction {
                try device.store.apply(
                    $0,
                    outcomes: Outcomes(
                        number: batch.batch.number, status: .applied,
                        outcomes: batch.batch.changes.map { _ in Outcome(kind: .applied) }),
                    page: Page(
                        since: Metadata(db: $0).cursor(), cursor: Metadata(db: $0).cursor(),
                        isCaughtUp: false, tables: [], removals: []),
                    at: ExchangeTime(device.now))
            }
        }
        return result
    }

    @Test func `carry one number, and other changes none`() throws {
        let device = try ready()
        try group(
            device,
            "INSERT INTO orders(id, customer) VALUES(2, 'a'); INSERT INTO line VALUES(2, 1, 5)"
        )
        try group(device, "UPDATE orders SET note = 'g' WHERE id = 1")
        try device.run("UPDATE customer SET name = 'n' WHERE id = 'b'")
        let changes = try device.changes()
        func number(_ table: String, _ key: Value...) -> Int? {
            changes.first { $0.table == table && $0.key.values == key }?.group
        }
        #expect(number("customer", .text("b")) == nil)
        #expect(number("line", .integer(2), .integer(1)) == number("orders", .integer(2)))
        #expect(number("orders", .integer(1)) != number("orders", .integer(2)))
        #expect(number("orders", .integer(1)) != nil)
        #expect(try device.texts("SELECT * FROM _moorage_group") == [])
    }

    @Test func `are never split between batches`() throws {
        let device = try ready()
        try device.run(customers(10...12))
        try group(device, customers(13...16))
        try device.run(customers(17...18))
        #expect(
            try batches(device, rows: 5) == [
                ["c10", "c11", "c12"], ["c13!", "c14!", "c15!", "c16!", "c17"], ["c18"],
            ])
    }

    @Test func `larger than the device's own batch go alone`() throws {
        let device = try ready()
        try device.run(customers(10...11))
        try group(device, customers(12...16))
        #expect(
            try batches(device, rows: 2) == [
                ["c10", "c11"], ["c12!", "c13!", "c14!", "c15!", "c16!"],
            ])
    }

    @Test func `that share a row are one`() throws {
        let device = try ready()
        try group(device, customers(10...11))
        try group(device, "UPDATE customer SET name = 'x' WHERE id = 'c11';" + customers(12...12))
        #expect(Set(try device.changes().map(\.group)) == [1])
    }

    @Test func `a delete of a group takes the children that went before it`() throws {
        let device = try ready()
        try device.run("DELETE FROM line")
        try group(device, "DELETE FROM orders; INSERT INTO customer(id) VALUES('A')")
        try device.run(customers(10...14))
        let batch = try #require(try device.prepare(BatchLimits(maximumRows: 3)))
        #expect(batch.batch.changes.map(\.table) == ["customer", "line", "orders"])
    }

    @Test func `larger than any batch are refused at once, and roll back`() throws {
        let device = try ready()
        try device.queue.writeWithoutTransaction {
            try device.store.welcome($0, limits: HubLimits(maximumBatchRows: 3))
        }
        let error = #expect(throws: ReplicaError.self) {
            try group(device, customers(10...13))
        }
        #expect(error?.code == .groupTooLarge)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b"])
        #expect(try device.pending() == [])
    }

    @Test func `that plain SQL made too large stay, and others go`() throws {
        let device = try ready()
        try device.queue.writeWithoutTransaction {
            try device.store.welcome($0, limits: HubLimits(maximumBatchRows: 3))
        }
        try device.run(
            "INSERT INTO _moorage_group DEFAULT VALUES;" + customers(10...13)
                + "DELETE FROM _moorage_group;" + customers(14...14))
        #expect(try device.changes().map(\.key.values) == [[.text("c14")]])
        #expect(
            try device.texts("SELECT DISTINCT code, blocked FROM _moorage_refused") == [
                "tooLarge|1"
            ])
        #expect(try device.texts("SELECT count(*) FROM _moorage_refused") == ["4"])
    }

    @Test func `with a change that cannot be sent wait for it`() throws {
        let device = try ready()
        try group(
            device,
            customers(10...10) + "UPDATE customer SET name = CAST(x'ff' AS TEXT) WHERE id = 'a'")
        #expect(try device.changes().isEmpty)
        #expect(
            try device.texts("SELECT code FROM _moorage_refused ORDER BY code")
                == ["group", "invalidText"])
        try device.run("UPDATE customer SET name = 'text' WHERE id = 'a'")
        #expect(try device.changes().count == 2)
        #expect(try device.texts("SELECT code FROM _moorage_refused") == [])
    }

    @Test func `with a table that is suspended at the hub wait for it`() throws {
        let device = try ready()
        try group(
            device,
            "INSERT INTO orders(id, customer) VALUES(2, 'a'); INSERT INTO line VALUES(2, 1, 5)")
        try group(device, customers(10...10))
        func suspend(_ tables: [SuspendedTable]) throws {
            try device.queue.writeWithoutTransaction {
                try device.store.welcome($0, suspended: tables)
            }
        }
        try suspend([SuspendedTable(name: "line", reason: "its table is gone")])
        #expect(try device.changes().map(\.key.values) == [[.text("c10")]])
        try device.exchange(hub)
        #expect(try device.changes().isEmpty)
        try suspend([])
        #expect(try device.changes().map(\.table) == ["orders", "line"])
    }

    @Test func `with a table that is suspended here wait for it`() throws {
        let device = try ready()
        try group(
            device,
            "INSERT INTO orders(id, customer) VALUES(2, 'a'); INSERT INTO line VALUES(2, 1, 5)")
        try device.run("ALTER TABLE line RENAME TO gone")
        #expect(try device.changes() == [])
        try device.run("ALTER TABLE gone RENAME TO line")
        #expect(try device.changes().map(\.table) == ["orders", "line"])
    }

    /// The table of the group's other row is suspended. The hub would refuse a change that refers
    /// to a row that it did not get.
    @Test func `hold back what refers to them while they wait`() throws {
        let device = try ready()
        try group(
            device,
            "INSERT INTO customer(id) VALUES('z'); INSERT INTO line VALUES(1, 7, 5)")
        try device.run("INSERT INTO orders(id, customer) VALUES(2, 'z'), (3, 'a')")
        try device.queue.writeWithoutTransaction {
            try device.store.welcome(
                $0, suspended: [SuspendedTable(name: "line", reason: "gone")]
            )
        }
        #expect(try device.changes().map(\.key.values) == [[.integer(3)]])
    }

    /// One refused row would make the hub refuse the whole group.
    @Test func `wait for what the rows of another need, at any distance`() throws {
        let device = try ready()
        try group(
            device, "INSERT INTO customer(id) VALUES('z'); INSERT INTO line VALUES(1, 7, 5)")
        try device.run("INSERT INTO orders(id, customer) VALUES(2, 'z')")
        try group(
            device,
            "INSERT INTO customer(id) VALUES('c'); UPDATE orders SET note = 'g' WHERE id = 2")
        try device.run("INSERT INTO customer(id, boss) VALUES('d', 'c'), ('e', 'a')")
        try device.queue.writeWithoutTransaction {
            try device.store.welcome(
                $0, suspended: [SuspendedTable(name: "line", reason: "gone")]
            )
        }
        #expect(try device.changes().map(\.key.values) == [[.text("e")]])
    }

    @Test func `end with their transaction, even when the marker was left behind`() throws {
        let device = try ready()
        try device.run("INSERT INTO _moorage_group DEFAULT VALUES;" + customers(10...10))
        #expect(try device.changes().map(\.group) == [1])
        try device.run(customers(11...11))
        #expect(try device.texts("SELECT grp FROM _moorage_log_customer") == ["∅"])
    }

    @Test func `stay groups when a batch is unprepared`() throws {
        let device = try ready()
        try group(device, customers(10...12))
        _ = try device.prepare()
        try device.queue.writeWithoutTransaction { try device.store.fork($0, newID: "other") }
        #expect(Set(try device.changes().map(\.group)) == [1])
        #expect(try device.texts("SELECT * FROM _moorage_group") == [])
    }

    @Test func `need a transaction, and one within another is part of it`() throws {
        let device = try ready()
        let error = #expect(throws: ReplicaError.self) {
            try device.queue.writeWithoutTransaction { db in try device.store.group(db) {} }
        }
        #expect(error?.code == .groupOutsideTransaction)
        try device.queue.write { db in
            try device.store.group(db) {
                try db.execute(sql: customers(10...10))
                try device.store.group(db) { try db.execute(sql: customers(11...11)) }
                try db.execute(sql: customers(12...12))
            }
        }
        #expect(Set(try device.changes().map(\.group)) == [1])
    }

    @Test func `of plain SQL are from the first marker to the last, and nothing around them`()
        throws
    {
        let device = try ready()
        let marker = "INSERT INTO _moorage_group DEFAULT VALUES;"
        try device.run(
            customers(10...10) + marker + customers(11...11) + marker + customers(12...12)
                + "DELETE FROM _moorage_group WHERE id = 2;" + customers(13...13)
                + "DELETE FROM _moorage_group;" + customers(14...14))
        #expect(
            try device.texts("SELECT k0, grp FROM _moorage_log_customer ORDER BY seq")
                == ["c10|∅", "c11|1", "c12|1", "c13|1", "c14|∅"])
    }

    /// SQLite applies the marker's conflict clause to the triggers' statements too.
    @Test func `begin with their marker, whatever becomes of conflicts`() throws {
        let device = try ready()
        for marker in ["INSERT", "INSERT OR IGNORE", "INSERT OR FAIL", "REPLACE"] {
            try device.run(
                "\(marker) INTO _moorage_group DEFAULT VALUES; \(customers(11...11));"
                    + "DELETE FROM _moorage_group; \(customers(12...12))")
            try device.run("DELETE FROM customer WHERE id IN ('c11', 'c12')")
        }
        #expect(
            try device.texts(
                "SELECT k0, grp FROM _moorage_log_customer WHERE op = 'I' ORDER BY seq")
                == (1...4).flatMap { ["c11|\($0)", "c12|∅"] })
    }

    @Test func `are counted whole, whatever markers the changes set themselves`() throws {
        let device = try ready()
        try device.queue.writeWithoutTransaction {
            try device.store.welcome($0, limits: HubLimits(maximumBatchRows: 3))
        }
        let error = #expect(throws: ReplicaError.self) {
            try group(
                device,
                customers(10...11) + "INSERT INTO _moorage_group DEFAULT VALUES;"
                    + customers(12...13) + "DELETE FROM _moorage_group")
        }
        #expect(error?.code == .groupTooLarge)
    }

    @Test func `whose marker was left behind end before tables are taken up again`() throws {
        let device = try ready()
        try device.run("INSERT INTO _moorage_group DEFAULT VALUES;" + customers(10...10))
        try device.run("ALTER TABLE customer ADD COLUMN more DEFAULT 'x'")
        let groups = try device.changes().filter { $0.key.values == [.text("c10")] }.map(\.group)
        #expect(groups == [1])
        #expect(try device.texts("SELECT * FROM _moorage_group_start") == [])
    }

    @Test func `whose marker was left behind are not those of a batch that is unprepared`() throws {
        let device = try ready()
        try group(device, customers(10...12))
        _ = try device.prepare()
        try device.run("INSERT INTO _moorage_group DEFAULT VALUES;" + customers(13...13))
        try device.queue.writeWithoutTransaction { try device.store.fork($0, newID: "other") }
        let changes = try device.changes()
        let last = changes.filter { $0.key.values == [.text("c13")] }
        let others = changes.filter { $0.key.values != [.text("c13")] }
        #expect(last.count == 1 && others.count == 3)
        #expect(Set(others.map(\.group)).count == 1)
        #expect(others.allSatisfy { $0.group != last[0].group && $0.group != nil })
    }
}
