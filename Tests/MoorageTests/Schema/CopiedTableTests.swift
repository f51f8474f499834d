import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// A table whose rows came from the hub, and whose triggers were missing while it was not synced.
@Suite(.ownThreads) struct `A table that was copied once` {
    private static let rebuild = """
        CREATE TABLE new(id TEXT PRIMARY KEY NOT NULL, name TEXT, height INTEGER);
        INSERT INTO new SELECT * FROM site; DROP TABLE site; ALTER TABLE new RENAME TO site
        """

    /// The keys of the rows that the review lists as recovered.
    private func recovered(_ replica: Replica) async throws -> Set<RowKey> {
        let refused = try await replica.refusedChanges.fetch()
        #expect(refused.allSatisfy { $0.code == .recovered })
        return Set(refused.map(\.key))
    }

    @Test func `and rebuilt while it was suspended, is never sent whole`() async throws {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO site VALUES('s2', 'Barn', 5), ('s3', 'Shed', 7)")
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        try camp.central.execute(
            "UPDATE site SET title = 'Lodge' WHERE id = 's1'; DELETE FROM site WHERE id = 's2'")
        try await replica.sync()
        try await file.run(Self.rebuild)
        try await replica.sync()
        #expect(replica.status.suspendedTables.map(\.name) == ["site"])
        #expect(replica.status.pendingCount == 0)
        try camp.central.execute("ALTER TABLE site RENAME COLUMN title TO name")
        _ = try await camp.hub.attach()
        #expect(try await replica.sync().isCaughtUp)
        let rows = try camp.rows("SELECT * FROM site ORDER BY id")
        #expect(rows == [["s1", "Lodge", "10"], ["s3", "Shed", "7"]])
        let here = try await file.texts("SELECT * FROM site ORDER BY id")
        #expect(here == ["s1|Lodge|10", "s3|Shed|7"])
        #expect(try camp.rows("SELECT count(*) FROM moorage_conflict") == [["0"]])
        // What was here before may have been an edit, so it is not lost.
        #expect(try await recovered(replica) == [RowKey([.text("s1")]), RowKey([.text("s2")])])
    }

    @Test func `and left out of the list for a while, is never sent whole`() async throws {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO tag VALUES('t1', NULL), ('t2', NULL)")
        let (file, _) = try await camp.device()
        let without = try await Replica(
            database: file, hub: .direct(camp.hub), tables: [.table("site"), .table("note")])
        try await without.sync()
        try camp.central.execute(
            """
            INSERT INTO note VALUES('n1', 's1', 'Roof');
            UPDATE tag SET note = 'n1' WHERE id = 't1';
            DELETE FROM tag WHERE id = 't2'
            """)
        try await file.run("INSERT INTO tag VALUES('t3', NULL)")
        try await without.sync()
        let next = try await camp.open(file)
        #expect(next.status.pendingCount == 0)
        #expect(try await next.sync().isCaughtUp)
        #expect(try camp.rows("SELECT * FROM tag") == [["t1", "n1"]])
        #expect(try await file.texts("SELECT * FROM tag") == ["t1|n1"])
        #expect(try camp.rows("SELECT count(*) FROM moorage_conflict") == [["0"]])
        let keys = ["t1", "t2", "t3"].map { RowKey([.text($0)]) }
        #expect(try await recovered(next) == Set(keys))
    }

    /// Its rows are another user's then.
    @Test func `and left out of the list when its file starts over, is never sent whole`()
        async throws
    {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO tag VALUES('t1', NULL), ('t2', NULL)")
        let (file, _) = try await camp.device()
        let without = try await Replica(
            database: file, hub: .direct(camp.hub), tables: [.table("site"), .table("note")])
        try await without.startOver()
        try await without.sync()
        #expect(try await file.texts("SELECT id FROM tag ORDER BY id") == ["t1", "t2"])
        try camp.central.execute("DELETE FROM tag WHERE id = 't2'")
        let next = try await camp.open(file)
        #expect(next.status.pendingCount == 0)
        #expect(try await next.sync().isCaughtUp)
        #expect(try camp.rows("SELECT id FROM tag") == [["t1"]])
        #expect(try await file.texts("SELECT id FROM tag") == ["t1"])
        #expect(try await recovered(next) == [RowKey([.text("t2")])])
    }

    @Test func `and without its key for a while, is never sent whole`() throws {
        let device = try Shop.device()
        let hub = Shop.hub()
        try device.exchange(hub)
        try device.run("DROP TABLE line; CREATE TABLE line(orders, number, quantity)")
        try device.exchange(hub)
        try device.run(
            """
            DROP TABLE line;
            CREATE TABLE line(
              orders INTEGER REFERENCES orders(id) ON DELETE CASCADE, number INTEGER,
              quantity INTEGER, PRIMARY KEY(orders, number));
            INSERT INTO line VALUES(1, 1, 9);
            """)
        try device.open()
        #expect(try device.localChanges() == [])
        let state = "SELECT repair, unconfirmed, suspended FROM _moorage_table WHERE name = 'line'"
        #expect(try device.texts(state) == ["2|list|∅"])
    }

    /// One page for a version of the app that does not list `line`.
    private func exchangeWithoutLine(_ device: Device, _ hub: FakeHub, rows: Int) throws {
        let store = ReplicaStore(tables: [.table("customer"), .table("orders")])
        try device.queue.writeWithoutTransaction { db in
            try store.open(db, newID: "00000000-0000-4000-8000-000000000002")
            let limits = PageLimits(maximumRows: rows, maximumPages: 1)
            let request = try store.request(db, now: device.now, limits: limits).request
            for frame in try hub.answer(request) {
                guard case .page(let page) = frame else { continue }
                _ = try store.apply(
                    db, outcomes: nil, page: page, at: ExchangeTime(device.now))
            }
        }
    }

    /// Otherwise its older rows would count as edits of the hub's.
    @Test func `is compared as an old state, even during a scan of other tables`() throws {
        let device = try Shop.device()
        let hub = Shop.hub()
        try device.exchange(hub)
        try exchangeWithoutLine(device, hub, rows: 100)
        hub.put(
            "customer", [.text("c"), .text("c@x"), .text("Carl"), .null],
            [.text("d"), .text("d@x"), .text("Dora"), .null])
        try exchangeWithoutLine(device, hub, rows: 1)
        let cursor = try device.queue.read { try Metadata(db: $0).cursor() }
        #expect(cursor.scan != nil && cursor.tables[Identifier("line")] == nil)
        try device.open()
        let state = "SELECT repair, unconfirmed FROM _moorage_table WHERE name = 'line'"
        #expect(try device.texts(state) == ["2|list"])
        #expect(try device.localChanges() == [])
    }

    @Test func `is sent whole before that, with what no trigger recorded`() throws {
        let device = try Shop.device()
        try device.run(
            """
            DROP TRIGGER _moorage_insert_customer;
            INSERT INTO customer VALUES('n', 'n@x', 'New', NULL);
            """)
        try device.open()
        #expect(try device.localChanges() == ["customer n insert n,n@x,New,∅"])
    }

    // MARK: What the file remembers

    private func copied(_ device: Device) throws -> [String] {
        try device.texts("SELECT DISTINCT copied FROM _moorage_table")
    }

    @Test(arguments: [1, 100])
    func `is known as such from its first page on, until it is emptied`(rows: Int) throws {
        let device = try Shop.device()
        #expect(try copied(device) == ["0"])
        try device.exchange(Shop.hub(), rows: rows, pages: 1)
        #expect(try copied(device) == ["1"])
        try device.queue.writeWithoutTransaction { db in
            _ = try device.store.empty(db, newID: "00000000-0000-4000-8000-000000000002")
        }
        #expect(try copied(device) == ["0"])
    }

    /// Whoever goes back to an earlier build, and then to this one, has such a file.
    private static let forget = "UPDATE _moorage_table SET copied = 0;"
    static let lost = "DROP TRIGGER _moorage_insert_customer;"
    static let others = "DROP TRIGGER _moorage_insert_line;"

    /// With one row, the scan is under way; with `others`, it is broken off.
    @Test(arguments: [1, 100], [lost, lost + others])
    func `by a build that does not remember it, is not sent whole either`(
        rows: Int, sql: String
    ) throws {
        let device = try Shop.device()
        try device.exchange(Shop.hub(), rows: rows, pages: 1)
        #expect(try device.texts("SELECT id FROM customer WHERE id = 'a'") == ["a"])
        try device.run(Self.forget + sql)
        try device.open()
        #expect(try device.localChanges() == [])
    }

    @Test func `is known as such at the latest when it leaves the cursor`() throws {
        let device = try Shop.device()
        let hub = Shop.hub()
        try device.exchange(hub)
        try device.run(Self.forget)
        try exchangeWithoutLine(device, hub, rows: 100)
        #expect(try copied(device) == ["1"])
    }

    @Test func `is known as such in a file of an earlier build`() throws {
        let device = try Shop.device()
        try device.exchange(Shop.hub())
        try device.run("ALTER TABLE _moorage_table DROP COLUMN copied")
        try device.open()
        #expect(try copied(device) == ["1"])
    }
}
