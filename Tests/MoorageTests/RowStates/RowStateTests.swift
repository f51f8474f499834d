import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `The state of a row` {
    private struct Item: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "item"
        static let states = hasRowState(key: ["id"])
        var id: String
        var a: String?
    }

    private struct Line: Decodable, FetchableRecord {
        var item: Item
        var rowState: RowState?
    }

    private static let lines = Item.select(Column("id"), Column("a"))
        .annotated(with: Item.rowState(key: ["id"])).order(Column("id")).asRequest(of: Line.self)

    /// A device with the rows i1 and i2 of a hub where the centre wins.
    private func ready() throws -> (LawBench, Device) {
        let bench = try LawBench(rule: .server)
        try bench.central.execute(
            "INSERT INTO item(id, code, a) VALUES('i1', 1, 'old'), ('i2', 2, 'old')")
        let device = try bench.device(rowStates: true)
        for _ in 0..<2 { try device.exchange(bench.hub) }
        return (bench, device)
    }

    private func states(_ device: Device) throws -> [RowState?] {
        try device.queue.read { try Self.lines.fetchAll($0).map(\.rowState) }
    }

    @Test func `follows a change from the edit to its answer`() throws {
        let (bench, device) = try ready()
        #expect(try states(device) == [nil, nil])
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        #expect(try states(device) == [.pending, nil])
        _ = try device.prepare()
        #expect(try states(device) == [.inFlight, nil])
        try device.run("UPDATE item SET b = 1")
        #expect(try states(device) == [.pending, .pending])
        for _ in 0..<2 { try device.exchange(bench.hub) }
        #expect(try states(device) == [nil, nil])
    }

    @Test func `tells what was refused and what lost`() throws {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try bench.central.execute("INSERT INTO item(id, code) VALUES('i0', 7)")
        try device.run("UPDATE item SET code = 7 WHERE id = 'i2'")
        for _ in 0..<2 { try device.exchange(bench.hub) }
        #expect(try states(device) == [nil, .overruled, .refused(.unique)])
        let refused = try device.queue.read { try device.store.refused($0, limit: 1)[0] }
        try device.queue.writeWithoutTransaction { db in
            try device.store.transaction(db) {
                try device.store.dismissRefused($0.db, id: refused.id)
            }
        }
        #expect(try states(device) == [nil, .overruled, nil])
    }

    @Test func `joins in plain SQL, and with keys of two columns`() throws {
        let (_, device) = try ready()
        try device.run("INSERT INTO part VALUES('i1', 1, 'p'), ('i2', 2, 'q')")
        try device.run("DELETE FROM item WHERE id = 'i2'")
        let sql = """
            SELECT part.number, coalesce(s.state, 'synced') FROM part
            LEFT JOIN _moorage_state_part s ON s.k0 = part.item AND s.k1 = part.number
            """
        #expect(try device.texts(sql) == ["1|pending"])
    }

    @Test func `is an association to filter by`() throws {
        let (_, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i2'")
        let edited = Item.select(Column("id"), Column("a"))
            .joining(required: Item.states.filter(Column("state") == RowState.pending))
        #expect(try device.queue.read { try edited.fetchAll($0).map(\.id) } == ["i2"])
        let all = Item.select(Column("id"), Column("a")).annotated(withOptional: Item.states)
            .order(Column("id")).asRequest(of: Line.self)
        #expect(
            try device.queue.read { try all.fetchAll($0).map(\.rowState) } == [nil, .pending])
    }

    @Test func `uses the key's index in a join`() throws {
        let (_, device) = try ready()
        let plan = try device.texts(
            """
            EXPLAIN QUERY PLAN SELECT * FROM item
            LEFT JOIN _moorage_state_item s ON s.k0 = item.id
            """)
        #expect(plan.contains { $0.contains("SEARCH s USING INDEX") }, "\(plan)")
        let request = Item.annotated(with: Item.rowState(key: ["id"]))
        let lookup = try device.queue.read { db in
            let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
            return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + statement.sql)
                .map(\.description)
        }
        #expect(
            lookup.contains { $0.contains("SEARCH _moorage_state_item USING INDEX") }, "\(lookup)")
    }

    @Test(arguments: [
        "DROP TABLE _moorage_state_item", "DROP TRIGGER _moorage_stated_added_item",
        "DROP TABLE _moorage_restated", "DROP INDEX _moorage_restate_overruled",
    ])
    func `is made again when somebody removed a part of it`(sql: String) throws {
        let (bench, device) = try ready()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET a = 'theirs' WHERE id = 'i1'")
        try device.exchange(bench.hub)
        try device.run("UPDATE item SET a = 'sent' WHERE id = 'i2'")
        _ = try device.prepare()
        try device.run(sql)
        try device.open()
        let expected = try ExpectedRowStates.of("item", device)
        let found = try ExpectedRowStates.found("item", device)
        #expect(found == expected)
        #expect(try states(device) == [.overruled, .inFlight])
    }

    @Test func `costs nothing where the app does not ask, and goes when it stops asking`() throws {
        let (_, device) = try ready()
        let ours = "SELECT name FROM sqlite_master WHERE name GLOB '_moorage_[sr]*state*'"
        #expect(try device.texts(ours).count > 10)
        try open(device, rowStates: false)
        #expect(try device.texts(ours) == [])
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try device.open()
        #expect(try states(device) == [.pending, nil])
    }

    /// Opens the file as another process does.
    private func open(_ device: Device, rowStates: Bool?) throws {
        let other = ReplicaStore(tables: [
            .table("item", rowStates: rowStates), .table("part", rowStates: rowStates),
        ])
        try device.queue.writeWithoutTransaction { try other.open($0, newID: "other") }
    }

    @Test(arguments: [nil, false]) func `another process on the file breaks nothing`(
        rowStates: Bool?
    ) throws {
        let (bench, device) = try ready()
        try open(device, rowStates: rowStates)
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        _ = try device.prepare()
        #expect(try states(device) == [.inFlight, nil])
        try device.exchange(bench.hub)
        #expect(try states(device) == [nil, nil])
    }

    @Test func `that left a list while the table was suspended is not kept`() throws {
        let (bench, device) = try ready()
        try bench.central.execute("INSERT INTO item(id, code) VALUES('i0', 7)")
        try device.run("UPDATE item SET code = 7 WHERE id = 'i2'")
        for _ in 0..<2 { try device.exchange(bench.hub) }
        #expect(try states(device).last == .refused(.unique))
        try device.run("ALTER TABLE item RENAME TO away")
        try device.open()
        let refused = try device.queue.read { try device.store.refused($0, limit: 1)[0] }
        try device.queue.writeWithoutTransaction { db in
            try device.store.transaction(db) {
                try device.store.dismissRefused($0.db, id: refused.id)
            }
        }
        try device.run("ALTER TABLE away RENAME TO item")
        try device.open()
        #expect(try states(device) == [nil, nil, nil])
    }

    @Test func `of a table that is suspended from the start has an empty table`() throws {
        let (_, device) = try ready()
        try open(device, rowStates: false)
        try device.run("ALTER TABLE item RENAME TO away")
        try device.open()
        #expect(try device.texts("SELECT count(*) FROM _moorage_state_item") == ["0"])
        try device.run("ALTER TABLE away RENAME TO item")
        try device.open()
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        #expect(try states(device) == [.pending, nil])
    }

    @Test func `goes with a wipe, also of a suspended table`() throws {
        let (bench, device) = try ready()
        try bench.central.execute("INSERT INTO item(id, code) VALUES('i0', 7)")
        try device.run("UPDATE item SET code = 7 WHERE id = 'i2'")
        for _ in 0..<2 { try device.exchange(bench.hub) }
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try device.run("ALTER TABLE item RENAME TO away")
        try device.open()
        try device.queue.writeWithoutTransaction { try device.store.wipe($0) }
        #expect(try device.texts("SELECT * FROM _moorage_state_item") == [])
        #expect(try device.texts("SELECT * FROM _moorage_restated") == [])
    }

    @Test(arguments: ["code", "k0", "state", "rowid", "oid"])
    func `is found by a key of any name`(name: String) throws {
        struct Place: Codable, FetchableRecord, GRDB.TableRecord {
            static let databaseTableName = "place"
        }
        let schema = SchemaDescription(tables: [
            TableDescription(
                name: "place", columns: [.column(name, .text), .column("note", .text)],
                primaryKey: [0])
        ])
        let device = try Device(
            "CREATE TABLE place(\(name) TEXT NOT NULL PRIMARY KEY, note TEXT)",
            tables: [.table("place", rowStates: true)])
        try device.adopt(schema)
        try device.run("INSERT INTO place VALUES('a', '1'), ('b', '2')")
        try device.run("DELETE FROM _moorage_log_place WHERE k0 = 'b'")
        let request = Place.select(Column("note")).annotated(with: Place.rowState(key: [name]))
            .order(Column("note"))
        let found = try device.queue.read { db in
            try Row.fetchAll(db, request).map {
                try $0.decode(RowState?.self, forColumn: "rowState")
            }
        }
        #expect(found == [.pending, nil])
    }

    @Test func `takes two keys of the log that are one now for one`() throws {
        let device = try Device(
            "CREATE TABLE place(id PRIMARY KEY, note TEXT)", tables: [.table("place")])
        try device.run("INSERT INTO place VALUES('1', 'a'), ('01', 'b'), (NULL, 'c')")
        try device.run("DELETE FROM place WHERE id = '01'")
        try device.run(
            """
            CREATE TABLE other(id INTEGER PRIMARY KEY, note TEXT);
            INSERT INTO other SELECT * FROM place WHERE id = '1';
            DROP TABLE place; ALTER TABLE other RENAME TO place
            """)
        let store = ReplicaStore(tables: [.table("place", rowStates: true)])
        try device.queue.writeWithoutTransaction { try store.open($0, newID: "other") }
        #expect(try device.texts("SELECT k0, state FROM _moorage_state_place") == ["1|pending"])
    }

    @Test func `is observed with the rows`() async throws {
        let central = try SQLiteDatabase()
        try central.execute("CREATE TABLE item (id TEXT NOT NULL PRIMARY KEY, a TEXT)")
        try central.execute("INSERT INTO item VALUES ('i1', 'old')")
        let hub = Hub(database: central)
        _ = try await hub.attach(tables: ["item"])
        let file = try DatabaseQueue()
        try await file.write {
            try $0.execute(sql: "CREATE TABLE item (id TEXT NOT NULL PRIMARY KEY, a TEXT)")
        }
        let replica = try await Replica(
            database: file, hub: .direct(hub), tables: [.table(Item.self, rowStates: true)])
        try await replica.sync()
        let observation = ValueObservation.tracking { try Self.lines.fetchAll($0).map(\.rowState) }
        var told = observation.removeDuplicates().values(in: file).makeAsyncIterator()
        #expect(try await told.next() == [nil])
        try await file.write { try $0.execute(sql: "UPDATE item SET a = 'mine'") }
        #expect(try await told.next() == [.pending])
        try await replica.sync()
        while let states = try await told.next(), states != [nil] {
            #expect(states == [.inFlight])
        }
    }

    @Test func `tells observers that a change was none`() async throws {
        let central = try SQLiteDatabase()
        try central.execute("CREATE TABLE item (id TEXT NOT NULL PRIMARY KEY, a TEXT)")
        try central.execute("INSERT INTO item VALUES ('i1', 'old')")
        let hub = Hub(database: central)
        _ = try await hub.attach(tables: ["item"])
        let file = try DatabaseQueue()
        try await file.write {
            try $0.execute(sql: "CREATE TABLE item (id TEXT NOT NULL PRIMARY KEY, a TEXT)")
        }
        let replica = try await Replica(
            database: file, hub: .direct(hub), tables: [.table(Item.self, rowStates: true)])
        try await replica.sync()
        let observation = ValueObservation.tracking { try Self.lines.fetchAll($0).map(\.rowState) }
        var told = observation.removeDuplicates().values(in: file).makeAsyncIterator()
        #expect(try await told.next() == [nil])
        try await file.write { try $0.execute(sql: "UPDATE item SET a = a") }
        #expect(try await told.next() == [.pending])
        try await replica.sync()
        #expect(try await told.next() == [nil])
    }

    @Test func `has UUIDs in the form that the app writes`() throws {
        let central = try SQLiteDatabase()
        try central.execute("CREATE TABLE site (id UUID NOT NULL PRIMARY KEY, name TEXT)")
        try central.execute(
            "INSERT INTO site VALUES ('0f9b4a52-0000-4000-8000-000000000001', 'hub')")
        let hub = Hub(database: central)
        try central.perform { _ = try Attachment(on: $0, makeID: { "id" }).attach(tables: nil) }
        let device = try Device(
            "CREATE TABLE site (id TEXT NOT NULL PRIMARY KEY, name TEXT)",
            tables: [.table("site", rowStates: true)])
        for _ in 0..<2 { try device.exchange(hub) }
        try device.run("UPDATE site SET name = 'mine'")
        try device.run("INSERT INTO site VALUES ('0F9B4A52-0000-4000-8000-00000000000A', 'new')")
        _ = try device.prepare()
        let joined = """
            SELECT name, state FROM site JOIN _moorage_state_site ON k0 = id ORDER BY name
            """
        #expect(try device.texts(joined) == ["mine|inFlight", "new|inFlight"])
        try device.exchange(hub)
        #expect(try device.texts(joined) == [])
    }
}
