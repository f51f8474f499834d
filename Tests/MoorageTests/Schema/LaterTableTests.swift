import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

/// A version of the app that syncs one more table than the version before.
@Suite(.ownThreads) struct `A table that a later version syncs` {
    private static let photo = "CREATE TABLE photo(id TEXT PRIMARY KEY NOT NULL)"

    private func open(_ file: DatabaseQueue, _ camp: Camp) async throws -> Replica {
        try await Replica(
            database: file, hub: .direct(camp.hub),
            tables: (Camp.tables + ["photo"]).map { .table($0) })
    }

    @Test(arguments: [true, false])
    func `opens, and needs one sync once the hub has it`(isAttached: Bool) async throws {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        try camp.central.execute(Self.photo + "; INSERT INTO photo VALUES('p1')")
        if isAttached { _ = try await camp.hub.attach() }
        try await file.run(Self.photo)
        let next = try await open(file, camp)
        #expect(next.status.suspendedTables.map(\.name) == ["photo"])
        #expect(next.status.suspendedTables.map(\.code) == ["unknownTable"])
        try await file.run("UPDATE site SET height = 11")
        try await next.sync()
        #expect(try camp.rows("SELECT height FROM site") == [["11"]])
        #expect(next.status.suspendedTables.isEmpty == isAttached)
        if !isAttached {
            _ = try await camp.hub.attach()
            #expect(try await next.sync().isCaughtUp)
        }
        #expect(try await file.texts("SELECT id FROM photo") == ["p1"])
        #expect(next.status.suspendedTables.isEmpty)
        #expect(next.status.isCaughtUp)
    }

    @Test func `keeps what is written meanwhile, and sends it later`() async throws {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        try camp.central.execute(Self.photo + "; INSERT INTO photo VALUES('p1')")
        try await file.run(Self.photo)
        let next = try await open(file, camp)
        try await file.run("INSERT INTO photo VALUES('p2')")
        try await next.sync()
        #expect(next.status.suspendedTables.map(\.pendingCount) == [1])
        _ = try await camp.hub.attach()
        #expect(try await next.sync().isCaughtUp)
        #expect(try camp.rows("SELECT id FROM photo ORDER BY id") == [["p1"], ["p2"]])
        #expect(try await file.texts("SELECT id FROM photo ORDER BY id") == ["p1", "p2"])
        #expect(try await next.refusedChanges.fetch().isEmpty)
    }

    @Test func `that does not fit the hub's is suspended alone until it does`() async throws {
        let camp = try await Camp()
        try camp.central.execute(
            """
            CREATE TABLE photo(id TEXT PRIMARY KEY NOT NULL, taken TEXT NOT NULL);
            INSERT INTO photo VALUES('p1', 'noon')
            """)
        _ = try await camp.hub.attach()
        let (file, _) = try await camp.device()
        try await file.run(Self.photo)
        let next = try await open(file, camp)
        #expect(next.status.suspendedTables.map(\.code) == ["missingColumn"])
        try await file.run("UPDATE site SET height = 11")
        try await next.sync()
        #expect(try camp.rows("SELECT height FROM site") == [["11"]])
        try await file.run("ALTER TABLE photo ADD COLUMN taken TEXT")
        try await next.sync()
        #expect(next.status.suspendedTables.isEmpty)
        #expect(try await file.texts("SELECT * FROM photo") == ["p1|noon"])
    }

    @Test func `does not suspend a table that refers to it`() async throws {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        let migration =
            Self.photo + "; ALTER TABLE note ADD COLUMN photo TEXT REFERENCES photo(id)"
        try await file.run(migration)
        let next = try await open(file, camp)
        #expect(next.status.suspendedTables.map(\.name) == ["photo"])
        try await file.run(
            """
            INSERT INTO photo VALUES('p1');
            INSERT INTO note(id, site, photo) VALUES('n1', 's1', 'p1')
            """)
        try await next.sync()
        #expect(try camp.rows("SELECT id FROM note") == [["n1"]])
        #expect(next.status.suspendedTables.map(\.name) == ["photo"])
        try camp.central.execute(migration)
        _ = try await camp.hub.attach()
        #expect(try await next.sync().isCaughtUp)
        #expect(next.status.suspendedTables.isEmpty)
        #expect(try camp.rows("SELECT id, photo FROM note") == [["n1", "p1"]])
        #expect(try await file.texts("SELECT id, photo FROM note") == ["n1|p1"])
    }

    @Test func `but only sends, keeps its rows, which wait for no copy`() async throws {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        try await file.run(Self.photo + "; INSERT INTO photo VALUES('p1')")
        var configuration = HubConfiguration()
        configuration.directions = ["photo": .up]
        let hub = Hub(database: camp.central, configuration: configuration)
        let old = Camp.tables.map { ReplicaTable.table($0) }
        let next = try await Replica(
            database: file, hub: .direct(hub),
            tables: old + [.table("photo", firstContact: .replace)])
        #expect(next.status.suspendedTables.map(\.name) == ["photo"])
        let unconfirmed = "SELECT unconfirmed FROM _moorage_table WHERE name = 'photo'"
        #expect(try await file.texts(unconfirmed) == ["drop"])
        try camp.central.execute(Self.photo)
        _ = try await hub.attach()
        #expect(try await next.sync().isCaughtUp)
        #expect(next.status.suspendedTables.isEmpty)
        #expect(try await file.texts(unconfirmed) == ["∅"])
        #expect(try await file.texts("SELECT * FROM _moorage_unconfirmed_photo") == [])
        #expect(try await file.texts("SELECT id FROM photo") == ["p1"])
    }

    static let mistakes: [(sql: String, code: ReplicaError.Code)] = [
        ("SELECT 1", .noSuchTable),
        ("CREATE VIEW photo AS SELECT 'p1' AS id", .notATable),
        ("CREATE TABLE photo(id TEXT)", .keyMismatch),
        (photo + "; INSERT INTO photo VALUES('p1')", .tableNotEmpty),
        (
            photo + """
                ; CREATE TRIGGER own AFTER INSERT ON photo
                BEGIN UPDATE photo SET id = 'x' WHERE id = NEW.id; END
                """, .unguardedTrigger
        ),
    ]

    @Test(arguments: mistakes.indices)
    func `does not open with a mistake that the file itself shows`(index: Int) async throws {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        try await file.run(Self.mistakes[index].sql)
        let error = await #expect(throws: ReplicaError.self) { try await open(file, camp) }
        #expect(error?.code == Self.mistakes[index].code)
        // Nothing of the attempt remains, so the version before still works.
        try await camp.open(file).sync()
    }

    @Test func `stops the first sync of a new file, which changes nothing`() async throws {
        let camp = try await Camp()
        let file = try DatabaseQueue()
        try await file.run(Camp.local + Self.photo)
        let replica = try await open(file, camp)
        #expect(replica.status.suspendedTables.isEmpty)
        for _ in 0..<2 {
            let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
            #expect(error?.code.rawValue == "unknownTable")
        }
        #expect(try await file.texts("SELECT id FROM site") == [])
    }
}
