import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

@testable import Moorage

/// The hub asks for version 2 of the app in one table.
@Suite(.ownThreads) struct `A table that wants a newer app` {
    private func hub(_ camp: Camp) -> Hub {
        var configuration = HubConfiguration()
        configuration.minimumClientVersions = ["site": "2.0"]
        return Hub(database: camp.central, configuration: configuration)
    }

    private func open(_ file: DatabaseQueue, _ hub: Hub, version: String?) async throws -> Replica {
        var options = ReplicaOptions()
        options.device = DeviceDescription(appVersion: version)
        return try await Replica(
            database: file, hub: .direct(hub), tables: Camp.tables.map { .table($0) },
            options: options)
    }

    @Test func `is suspended for an older one alone, and goes on after its update`() async throws {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO site VALUES('s4', 'Ruin', 1)")
        let (file, _) = try await camp.device()
        let hub = hub(camp)
        let old = try await open(file, hub, version: "1.9")
        try camp.central.execute(
            """
            UPDATE site SET name = 'Lodge' WHERE id = 's1';
            DELETE FROM site WHERE id = 's4';
            INSERT INTO site VALUES('s3', 'Barn', 30);
            INSERT INTO note VALUES('n1', 's1', 'theirs')
            """)
        try await file.run(
            """
            UPDATE site SET height = 11 WHERE id = 's1';
            INSERT INTO site VALUES('s2', 'Cabin', 20);
            INSERT INTO note VALUES('n2', 's1', 'mine');
            INSERT INTO note VALUES('n3', 's2', 'waits for its site')
            """)
        try await old.sync()
        let suspended = try #require(old.status.suspendedTables.first)
        #expect(old.status.suspendedTables.count == 1 && suspended.name == "site")
        #expect(suspended.code == "clientTooOld" && suspended.reason.contains("2.0"))
        #expect(suspended.pendingCount == 2 && old.status.pendingCount == 3)
        #expect(try camp.rows("SELECT id FROM note ORDER BY id") == [["n1"], ["n2"]])
        #expect(
            try camp.rows("SELECT * FROM site ORDER BY id") == [
                ["s1", "Lodge", "10"], ["s3", "Barn", "30"],
            ])
        #expect(
            try await file.texts("SELECT * FROM site ORDER BY id") == [
                "s1|Hut|11", "s2|Cabin|20", "s4|Ruin|1",
            ])
        #expect(try await file.texts("SELECT id FROM note ORDER BY id") == ["n1", "n2", "n3"])
        // A later exchange tells the same, and loses nothing.
        try await old.sync()
        #expect(old.status.suspendedTables == [suspended])
        #expect(try await old.refusedChanges.fetch().isEmpty)

        let new = try await open(file, hub, version: "2.0")
        #expect(new.status.suspendedTables == [suspended])
        #expect(try await new.sync().isCaughtUp)
        #expect(new.status.suspendedTables.isEmpty && new.status.pendingCount == 0)
        #expect(
            try camp.rows("SELECT * FROM site ORDER BY id") == [
                ["s1", "Lodge", "11"], ["s2", "Cabin", "20"], ["s3", "Barn", "30"],
            ])
        // What was deleted at the hub meanwhile is gone here, and not listed.
        #expect(
            try await file.texts("SELECT * FROM site ORDER BY id") == [
                "s1|Lodge|11", "s2|Cabin|20", "s3|Barn|30",
            ])
        #expect(try camp.rows("SELECT id FROM note ORDER BY id") == [["n1"], ["n2"], ["n3"]])
        #expect(try await new.refusedChanges.fetch().isEmpty)
        #expect(try camp.rows("SELECT count(*) FROM moorage_conflict") == [["0"]])
        #expect(try await new.verify().isEmpty)
    }

    @Test(arguments: [nil, "1"])
    func `is empty on a new device, and comes with the update`(version: String?) async throws {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO note VALUES('n1', 's1', 'Roof')")
        let hub = hub(camp)
        let file = try DatabaseQueue()
        try await file.run(Camp.local)
        let old = try await open(file, hub, version: version)
        try await old.sync()
        #expect(old.status.suspendedTables.map(\.code) == ["clientTooOld"])
        #expect(try await file.texts("SELECT id FROM site") == [])
        #expect(try await file.texts("SELECT id FROM note") == ["n1"])
        try await file.run("INSERT INTO site VALUES('s2', 'Cabin', 20)")
        try await old.sync()
        let new = try await open(file, hub, version: "2")
        #expect(try await new.sync().isCaughtUp)
        #expect(try await file.texts("SELECT id FROM site ORDER BY id") == ["s1", "s2"])
        #expect(try camp.rows("SELECT id FROM site ORDER BY id") == [["s1"], ["s2"]])
        #expect(new.status.suspendedTables.isEmpty && new.status.danglingCount == 0)
    }

    /// That is what the device cannot sync, and the update is what helps.
    @Test func `is listed with that, though the device has suspended it, too`() async throws {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        let hub = hub(camp)
        let old = try await open(file, hub, version: "1.9")
        try camp.central.execute("ALTER TABLE site RENAME COLUMN name TO title")
        _ = try await hub.attach()
        try await old.sync()
        #expect(old.status.suspendedTables.map(\.name) == ["site"])
        #expect(old.status.suspendedTables.map(\.code) == ["clientTooOld"])
        // Without the minimum, the device's own reason is there.
        let others = try await open(file, camp.hub, version: "1.9")
        try await others.sync()
        #expect(others.status.suspendedTables.map(\.code) == ["missingColumn"])
    }
}
