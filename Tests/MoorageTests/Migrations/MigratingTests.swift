import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

/// The app's migrations on the file of a replica, or of one to be.
@Suite(.ownThreads) struct `Migrating` {
    private static let failure = "INSERT INTO nowhere VALUES(1)"

    @Test func `a new file makes the app's tables and nothing else`() async throws {
        let camp = try await Camp()
        let file = try DatabaseQueue()
        try Replica.migrate(file, with: Camp.migrator())
        let ours = "SELECT name FROM sqlite_master WHERE name GLOB '_moorage_*'"
        #expect(try await file.texts(ours) == [])
        #expect(try await camp.open(file).sync().isCaughtUp)
        #expect(try await file.texts("SELECT * FROM site") == ["s1|Hut|10"])
    }

    @Test func `fails as a migration does, and leaves the file as it was`() async throws {
        let camp = try await Camp()
        let file = try await camp.migratedFile()
        try await file.run("UPDATE site SET height = 11")
        func state() async throws -> [String] {
            try await file.texts(
                "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
                + file.texts("SELECT * FROM _moorage_table ORDER BY name")
                + file.texts("SELECT * FROM site") + file.texts("PRAGMA foreign_keys")
        }
        let before = try await state()
        let migrator = Camp.migrator(then: ["v2": Camp.rebuild() + ";" + Self.failure])
        #expect(throws: DatabaseError.self) { try Replica.migrate(file, with: migrator) }
        #expect(try await state() == before)
        #expect(try await camp.open(file).status.pendingCount == 1)
    }

    @Test func `keeps the triggers of a table that was rebuilt before the failure`() async throws {
        let camp = try await Camp()
        let file = try await camp.migratedFile()
        let migrator = Camp.migrator(then: ["v2": Camp.rebuild(), "v3": Self.failure])
        #expect(throws: DatabaseError.self) { try Replica.migrate(file, with: migrator) }
        try await file.run("UPDATE site SET height = 11")
        #expect(try await camp.open(file).status.pendingCount == 1)
        #expect(try await file.texts("SELECT DISTINCT repair FROM _moorage_table") == ["0"])
    }
}

/// GRDB's `eraseDatabaseOnSchemaChange`, which its guide suggests for development.
@Suite(.ownThreads) struct `Erasing on a schema change` {
    private static func erasing(_ migrator: DatabaseMigrator) -> DatabaseMigrator {
        var migrator = migrator
        migrator.eraseDatabaseOnSchemaChange = true
        return migrator
    }

    private static let another = erasing(Camp.migrator(Camp.local + "CREATE TABLE draft(x);"))
    private static let names =
        "SELECT name FROM sqlite_master WHERE name IN ('draft', '_moorage_meta')"

    @Test func `does not count what the replica added`() async throws {
        let camp = try await Camp()
        let file = try await camp.migratedFile()
        // GRDB counts it.
        #expect(try await file.read { try Camp.migrator().hasSchemaChanges($0) })
        try await file.run("INSERT INTO site VALUES('s2', 'Barn', 5)")
        let next = Camp.migrator(then: ["v2": "ALTER TABLE site ADD COLUMN own TEXT"])
        for migrator in [Camp.migrator(), Camp.migrator(), next, next] {
            try Replica.migrate(file, with: Self.erasing(migrator))
            #expect(try await camp.open(file).status.pendingCount == 1)
        }
        #expect(try await file.texts("SELECT id, own FROM site ORDER BY id") == ["s1|∅", "s2|∅"])
    }

    @Test func `erases the file, and the hub's rows come again`() async throws {
        let camp = try await Camp()
        let file = try await camp.migratedFile()
        try Replica.migrate(file, with: Self.another)
        #expect(try await file.texts(Self.names) == ["draft"])
        #expect(try await camp.open(file).sync().isCaughtUp)
        #expect(try await file.texts("SELECT * FROM site") == ["s1|Hut|10"])
    }

    @Test func `erases the file when a migration is gone`() async throws {
        let camp = try await Camp()
        let file = try await camp.migratedFile()
        try Replica.migrate(file, with: Camp.migrator(then: ["v2": "CREATE TABLE draft(x)"]))
        try Replica.migrate(file, with: Self.erasing(Camp.migrator()))
        #expect(try await file.texts(Self.names) == [])
    }

    @Test func `never erases changes that were not sent`() async throws {
        let camp = try await Camp()
        let file = try await camp.migratedFile()
        try await file.run("INSERT INTO site VALUES('s2', 'Barn', 5)")
        let error = #expect(throws: ReplicaError.self) {
            try Replica.migrate(file, with: Self.another)
        }
        #expect(error?.code == .changesPending)
        #expect(try await file.texts(Self.names) == ["_moorage_meta"])
        #expect(try await camp.open(file).sync().isCaughtUp)
        try Replica.migrate(file, with: Self.another)
        #expect(try await file.texts(Self.names) == ["draft"])
        #expect(try await camp.open(file).sync().isCaughtUp)
        #expect(try await file.texts("SELECT id FROM site ORDER BY id") == ["s1", "s2"])
    }

    /// No migration makes them, and that is no change of a migration.
    @Test func `does not count tables from the hub's schema`() async throws {
        let camp = try await Camp()
        let file = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE draft(x)") }
        try Replica.migrate(file, with: Self.erasing(migrator))
        let replica = try await Replica.open(
            database: file, hub: .direct(camp.hub), tables: Camp.tables.map { .table($0) })
        try await replica.sync()
        try Replica.migrate(file, with: Self.erasing(migrator))
        #expect(try await file.texts("SELECT id FROM site") == ["s1"])
    }

    @Test func `never erases what was refused`() async throws {
        let device = try Shop.device()
        let hub = Shop.hub()
        try device.exchange(hub)
        try device.run("UPDATE customer SET name = 'new' WHERE id = 'a'")
        hub.refusing = { _ in Refusal(code: .init(rawValue: "check"), message: "No.") }
        try device.exchange(hub)
        var other = DatabaseMigrator()
        other.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE sketch(x)") }
        try Replica.migrate(device.queue, with: other)
        var gone = DatabaseMigrator()
        gone.registerMigration("v2") { try $0.execute(sql: "CREATE TABLE draft(x)") }
        let error = #expect(throws: ReplicaError.self) {
            try Replica.migrate(device.queue, with: Self.erasing(gone))
        }
        #expect(error?.code == .changesPending)
    }

    @Test func `never erases a batch without its answer`() throws {
        let device = try Shop.device()
        try device.exchange(Shop.hub())
        var first = DatabaseMigrator()
        first.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE draft(x)") }
        try Replica.migrate(device.queue, with: first)
        try device.open()
        try device.run("UPDATE customer SET name = 'new' WHERE id = 'a'")
        #expect(try device.prepare() != nil)
        // The batch alone has the change.
        try device.run("DELETE FROM _moorage_log_customer")
        var other = DatabaseMigrator()
        other.registerMigration("v2") { try $0.execute(sql: "CREATE TABLE sketch(x)") }
        let error = #expect(throws: ReplicaError.self) {
            try Replica.migrate(device.queue, with: Self.erasing(other))
        }
        #expect(error?.code == .changesPending)
        #expect(try device.texts("SELECT count(*) FROM _moorage_inflight") == ["1"])
    }
}
