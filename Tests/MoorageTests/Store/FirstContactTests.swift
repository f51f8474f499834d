import GRDB
import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `First contact and history` {
    let hub = Shop.hub()
    static let filled = """
        INSERT INTO customer VALUES('a', 'a@x', 'Anna', NULL), ('z', 'z@x', 'Zoe', NULL);
        """

    @Test func `a filled table is refused unless the app says what becomes of it`() throws {
        let error = #expect(throws: ReplicaError.self) { try Shop.device(Self.filled) }
        #expect(error?.code == .tableNotEmpty)
    }

    @Test func `upload offers every row as an insert`() throws {
        let device = try Shop.device(Self.filled, first: .upload)
        #expect(
            try device.localChanges() == [
                "customer a insert a,a@x,Anna,∅", "customer z insert z,z@x,Zoe,∅",
            ])
        try device.exchange(hub)
        #expect(hub.rows("customer").count == 3)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b", "z"])
    }

    @Test(arguments: [1, 100])
    func `replace drops what the hub does not have, at the end of the copy`(rows: Int) throws {
        let device = try Shop.device(Self.filled, first: .replace)
        #expect(try device.changes() == [])
        try device.exchange(hub, rows: rows)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b"])
        #expect(hub.rows("customer").count == 2)
        #expect(try device.texts("SELECT tbl FROM _moorage_refused") == [])
        #expect(
            try device.texts("SELECT name FROM _moorage_table WHERE unconfirmed IS NOT NULL") == [])
    }

    @Test func `edits made before the hub was ever reached are pushed`() throws {
        let device = try Device(Shop.sql, tables: Shop.tables())
        try device.run(
            "INSERT INTO customer VALUES('n', 'n@x', 'New', NULL); UPDATE customer SET name = 'Newer'"
        )
        try device.adopt(Shop.schema)
        #expect(try device.localChanges() == ["customer n insert n,n@x,Newer,∅"])
    }

    @Test func `a file of another hub is refused`() throws {
        let device = try Shop.device()
        let error = #expect(throws: ReplicaError.self) {
            try device.adopt(Shop.schema, hub: "other")
        }
        #expect(error?.code == .differentHub)
    }

    @Test func `metadata of a newer version is left alone`() throws {
        let device = try Shop.device()
        try device.run("UPDATE _moorage_meta SET value = 99 WHERE name = 'version'")
        let error = #expect(throws: ReplicaError.self) { try device.open() }
        #expect(error?.code == .metadataNewer)
    }

    @Test func `a fork takes a new name and offers its batch again, in front of later edits`()
        throws
    {
        let device = try Shop.device()
        try device.exchange(hub)
        try device.run(
            "UPDATE line SET quantity = 11; INSERT INTO line VALUES(1, 2, 5); INSERT INTO line VALUES(1, 3, 5); DELETE FROM line WHERE number = 3"
        )
        _ = try device.prepare()
        try device.run(
            "UPDATE line SET quantity = 12 WHERE number = 1; DELETE FROM line WHERE number = 2")
        let id = "00000000-0000-4000-8000-000000000002"
        try device.queue.writeWithoutTransaction { try device.store.fork($0, newID: id) }
        let batch = try device.prepare()
        #expect(batch?.batch.number == 1)
        #expect(
            batch?.batch.changes.map(Device.text) == [
                "line 1,1 update 2:10>12 again", "line 1,3 refetch again",
                "line 1,2 delete 1,2,5 again",
            ])
    }

    @Test func `a batch that is not taken is cut smaller, under the same number`() throws {
        let device = try Shop.device()
        try device.exchange(hub)
        try device.run("INSERT INTO line VALUES(1, 2, 5), (1, 3, 5), (1, 4, 5), (1, 5, 5)")
        let first = try #require(try device.prepare())
        try device.queue.writeWithoutTransaction { try device.store.unprepare($0, halving: true) }
        let second = try #require(try device.prepare())
        #expect(second.batch.number == first.batch.number)
        #expect(second.batch.nonce != first.batch.nonce)
        #expect(second.batch.changes.count == 2)
        #expect(second.batch.changes.allSatisfy { !$0.isAgain })
    }

    @Test func `another epoch is reconciled: acknowledged changes come again, the rest is listed`()
        throws
    {
        let device = try Shop.device()
        try device.exchange(hub)
        try device.run("INSERT INTO line VALUES(1, 2, 5)")
        try device.exchange(hub)
        hub.put("line", [.integer(1), .integer(9), .integer(9)])
        try device.exchange(hub)

        // The central database goes back to a state before both rows.
        let restored = Shop.hub()
        restored.epoch = Epoch("epoch-2")
        let request = try device.queue.writeWithoutTransaction {
            try device.store.request($0, now: 1, limits: PageLimits()).request
        }
        #expect(try restored.answer(request).count == 2)
        let id = "00000000-0000-4000-8000-000000000002"
        try device.queue.writeWithoutTransaction {
            try device.store.reconcile(
                $0, newID: id, at: ExchangeTime(device.now))
        }
        try device.exchange(restored)
        #expect(restored.rows("line").count == 2)
        #expect(try device.texts("SELECT number FROM line") == ["1", "2"])
        #expect(
            try device.texts("SELECT tbl, key, code, after FROM _moorage_refused")
                == ["line|[1,9]|recovered|[1,9,9]"])
    }

    /// The hub may not have the row any more. So what comes back is the insert.
    @Test(arguments: [
        "DELETE FROM line WHERE number = 2; INSERT INTO", "INSERT OR REPLACE INTO",
    ])
    func `an acknowledged insert comes back as one, though its row was replaced`(
        statement: String
    ) throws {
        let device = try Shop.device()
        try device.exchange(hub)
        try device.run("INSERT INTO line VALUES(1, 2, 5)")
        try device.exchange(hub)
        try device.run("\(statement) line VALUES(1, 2, 6)")
        let id = "00000000-0000-4000-8000-000000000002"
        try device.queue.writeWithoutTransaction {
            try device.store.reconcile($0, newID: id, at: ExchangeTime(device.now))
        }
        #expect(try device.localChanges() == ["line 1,2 insert 1,2,6 again"])
    }

    @Test func `where the rows were copied, what the hub acknowledged before stays away`() throws {
        let device = try Shop.device()
        try device.exchange(hub)
        try device.run("INSERT INTO line VALUES(1, 2, 5)")
        try device.exchange(hub)
        device.now = 2_000
        try device.run("INSERT INTO line VALUES(1, 3, 5)")
        try device.exchange(hub)
        try device.run("INSERT INTO line VALUES(1, 4, 5)")
        _ = try device.prepare()
        let id = "00000000-0000-4000-8000-000000000002"
        try device.queue.writeWithoutTransaction {
            try device.store.reconcile(
                $0, newID: id, at: ExchangeTime(device.now), copiedAt: 1_500)
        }
        // The copy has the first row, unless somebody deleted it. It may lack the other two.
        let changes = try #require(try device.prepare()).batch.changes
        #expect(
            changes.map(\.key.values) == [
                [.integer(1), .integer(3)], [.integer(1), .integer(4)],
            ])
        #expect(changes.allSatisfy { $0.isAgain })
    }
}
