import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// The hub's `name` was `label` to the app's first version. The second adds `title`, and leaves
/// `label` where it is.
@Suite(.ownThreads) struct `A column whose new name the app adds beside the old one` {
    private static let schema =
        "CREATE TABLE site(id TEXT PRIMARY KEY NOT NULL, label TEXT, height INTEGER)"

    /// What the second version does to the file.
    enum Migration: CaseIterable {
        case adds, copies, hasDefault, rebuilds

        var sql: String {
            switch self {
            case .adds: "ALTER TABLE site ADD COLUMN title TEXT"
            case .copies: "ALTER TABLE site ADD COLUMN title TEXT; UPDATE site SET title = label"
            case .hasDefault: "ALTER TABLE site ADD COLUMN title TEXT NOT NULL DEFAULT 'none'"
            case .rebuilds:
                """
                CREATE TABLE new(
                  id TEXT PRIMARY KEY NOT NULL, title TEXT, label TEXT, height INTEGER);
                INSERT INTO new SELECT id, label, label, height FROM site; DROP TABLE site;
                ALTER TABLE new RENAME TO site
                """
            }
        }
    }

    /// Three sites at the hub, and a device of the first version that has them.
    private func begin() async throws -> (camp: Camp, file: DatabaseQueue) {
        var configuration = HubConfiguration()
        configuration.columns["site"] = ColumnSettings(
            names: ["name": AppNames(name: "title", renamedFrom: ["label"])])
        let camp = try await Camp(configuration)
        try camp.central.execute("INSERT INTO site VALUES('s2', 'Barn', 20), ('s3', 'Cave', 30)")
        let file = try DatabaseQueue()
        try await file.run(Self.schema)
        try await open(file, .direct(camp.hub)).sync()
        return (camp, file)
    }

    private func open(_ file: DatabaseQueue, _ hub: ReplicaHub) async throws -> Replica {
        try await Replica(database: file, hub: hub, tables: [.table("site")])
    }

    /// Opens the file as the second version does, and syncs.
    private func upgrade(
        _ camp: Camp, _ file: DatabaseQueue, _ migration: Migration
    ) async throws -> Replica {
        try await file.run(migration.sql)
        let replica = try await open(file, .direct(camp.hub))
        #expect(try await replica.sync().isCaughtUp)
        return replica
    }

    /// Checks that both sides have these rows, and that nobody lost anything.
    private func check(
        _ camp: Camp, _ file: DatabaseQueue, _ replica: Replica, _ rows: [String]
    ) async throws {
        let central = try camp.rows("SELECT id, name, height FROM site ORDER BY id")
        #expect(central.map { $0.joined(separator: "|") } == rows)
        #expect(try await file.texts("SELECT id, title, height FROM site ORDER BY id") == rows)
        #expect(replica.status.suspendedTables.isEmpty && replica.status.pendingCount == 0)
        #expect(try camp.rows("SELECT count(*) FROM moorage_conflict") == [["0"]])
        #expect(try await replica.refusedChanges.fetch().isEmpty)
        #expect(try await replica.overruledChanges.fetch().isEmpty)
        #expect(try await replica.verify().isEmpty)
    }

    @Test(arguments: [Migration.adds, .copies, .hasDefault])
    func `sends what was changed under the old name`(migration: Migration) async throws {
        let (camp, file) = try await begin()
        try await file.run(
            """
            UPDATE site SET label = 'Shed' WHERE id = 's1'; DELETE FROM site WHERE id = 's2';
            INSERT INTO site VALUES('s4', 'Tent', 40)
            """)
        try camp.central.execute(
            """
            UPDATE site SET height = 11 WHERE id = 's1';
            UPDATE site SET name = 'Den' WHERE id = 's3'
            """)
        let replica = try await upgrade(camp, file, migration)
        try await check(camp, file, replica, ["s1|Shed|11", "s3|Den|30", "s4|Tent|40"])
    }

    @Test(arguments: Migration.allCases)
    func `has its values at once, and is edited like any other`(
        migration: Migration
    ) async throws {
        let (camp, file) = try await begin()
        try await file.run(migration.sql)
        let replica = try await open(file, .direct(camp.hub))
        #expect(
            try await file.texts("SELECT id, title FROM site ORDER BY id")
                == ["s1|Hut", "s2|Barn", "s3|Cave"])
        #expect(try await replica.pendingChanges.fetch().isEmpty)
        try await file.run("UPDATE site SET title = 'Shed' WHERE id = 's1'")
        try await replica.sync()
        try await check(camp, file, replica, ["s1|Shed|10", "s2|Barn|20", "s3|Cave|30"])
    }

    /// The hub never had what the app made of the values.
    @Test func `takes the hub's values where the app wrote others`() async throws {
        let (camp, file) = try await begin()
        try await file.run(
            "ALTER TABLE site ADD COLUMN title TEXT; UPDATE site SET title = upper(label)")
        let replica = try await open(file, .direct(camp.hub))
        try await replica.sync()
        try await check(camp, file, replica, ["s1|Hut|10", "s2|Barn|20", "s3|Cave|30"])
        try await file.run("UPDATE site SET title = 'Shed' WHERE id = 's1'")
        try await replica.sync()
        try await check(camp, file, replica, ["s1|Shed|10", "s2|Barn|20", "s3|Cave|30"])
    }

    // MARK: Batches in flight

    /// A hub that takes the batch or does not, and whose answer never comes.
    private struct SilentHub: HubConnection {
        let hub: any HubConnection
        let takesBatches: Bool

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            if takesBatches { try await hub.exchange(request) { (_: Frame) in } }
            throw HubError(.unreachable, "Cut.")
        }

        func schema() async throws -> SchemaAnswer { try await hub.schema() }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }

    /// A device of the first version with a batch in flight.
    private func beginInFlight(
        isTaken: Bool
    ) async throws -> (camp: Camp, file: DatabaseQueue) {
        let (camp, file) = try await begin()
        try await file.run(
            """
            UPDATE site SET label = 'Shed' WHERE id = 's1';
            INSERT INTO site VALUES('s4', 'Tent', 40)
            """)
        let silent = SilentHub(hub: camp.hub, takesBatches: isTaken)
        let old = try await open(file, .direct(silent))
        await #expect(throws: ReplicaError.self) { try await old.sync() }
        return (camp, file)
    }

    @Test(arguments: [true, false])
    func `keeps a batch in flight, whether or not the hub took it`(isTaken: Bool) async throws {
        let (camp, file) = try await beginInFlight(isTaken: isTaken)
        let replica = try await upgrade(camp, file, .adds)
        try await check(
            camp, file, replica, ["s1|Shed|10", "s2|Barn|20", "s3|Cave|30", "s4|Tent|40"])
    }

    /// The batch goes back into the log, which has the new column alone.
    @Test func `keeps a batch in flight when the device has to reconcile`() async throws {
        let (camp, file) = try await beginInFlight(isTaken: false)
        _ = try await camp.hub.attach(newEpoch: true)
        let replica = try await upgrade(camp, file, .adds)
        try await check(
            camp, file, replica, ["s1|Shed|10", "s2|Barn|20", "s3|Cave|30", "s4|Tent|40"])
    }
}
