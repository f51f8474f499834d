import GRDB
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

/// What a second version of an app must not do to anybody's data.
@Suite(.ownThreads) struct `The second version of an app` {
    private static let schema = [
        """
        CREATE TABLE site (
          id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20) NOT NULL, height INTEGER)
        """,
        """
        CREATE TABLE note (
          id INTEGER NOT NULL PRIMARY KEY, site INTEGER REFERENCES site(id), body VARCHAR(20))
        """,
    ]
    private static let rows = "INSERT INTO site VALUES (1, 'Hut', 10), (2, 'Barn', 20)"
    private static let rename = "ALTER TABLE site RENAME COLUMN name TO title"

    private static func run(
        _ kind: CentreKind, _ test: @escaping @Sendable (World) async throws -> Void
    ) async throws {
        try await World.run(kind, schema: schema + [rows], test)
    }

    /// A device of the first version that has synced.
    private static func device(_ world: World) async throws -> Device {
        let device = try await world.open(
            "A", schema: schema.joined(separator: ";"), tables: [.table("site"), .table("note")])
        try await device.replica.sync()
        return device
    }

    private static func renameAtCentre(_ world: World) async throws {
        try world.centre.execute(rename)
        _ = try await world.hub.attach()
    }

    /// - Parameter meets: Whether the first version syncs with the changed hub.
    @Test(arguments: CentreKind.available, [true, false])
    func `undoes nothing of the office's where a column was renamed`(
        kind: CentreKind, meets: Bool
    ) async throws {
        try await Self.run(kind) { world in
            let old = try await Self.device(world)
            try await Self.renameAtCentre(world)
            if meets { try await old.replica.sync() }
            try world.centre.execute("UPDATE site SET title = 'OFFICE' WHERE id = 1")
            try world.centre.execute("DELETE FROM site WHERE id = 2")
            if meets { try await old.replica.sync() }
            try old.execute(Self.rename)
            let new = try await world.reopen(old)
            try await world.converge(new)
            #expect(try world.centre.text("SELECT title FROM site") == "OFFICE")
            #expect(try world.centre.count("SELECT count(*) FROM site") == 1)
            #expect(try await world.differences(new) == [])
            #expect(try await world.conflicts() == [])
            #expect(try await new.replica.refusedChanges.fetch().isEmpty)
        }
    }

    /// One column is required, the other one may be NULL.
    @Test(arguments: CentreKind.available)
    func `waits for the owner where it renames columns first`(kind: CentreKind) async throws {
        let renames = [Self.rename, "ALTER TABLE note RENAME COLUMN body TO text"]
        try await Self.run(kind) { world in
            try world.centre.execute("INSERT INTO note VALUES (1, 1, 'Roof'), (2, 1, 'Door')")
            let old = try await Self.device(world)
            try old.execute(renames.joined(separator: ";"))
            let new = try await world.reopen(old)
            try await new.replica.sync()
            #expect(Set(new.replica.status.suspendedTables.map(\.name)) == ["site", "note"])
            try new.execute(
                """
                INSERT INTO site VALUES (5, 'Cabin', 30);
                INSERT INTO note VALUES (5, 5, 'at the cabin')
                """)
            for sql in [
                "UPDATE site SET name = 'OFFICE' WHERE id = 1",
                "UPDATE note SET body = 'OFFICE' WHERE id = 1",
                "DELETE FROM note WHERE id = 2", "DELETE FROM site WHERE id = 2",
            ] {
                try world.centre.execute(sql)
            }
            try await new.replica.sync()
            #expect(new.replica.status.pendingCount == 2)
            for rename in renames { try world.centre.execute(rename) }
            _ = try await world.hub.attach()
            try await world.converge(new)
            #expect(new.replica.status.suspendedTables.isEmpty)
            let office =
                "SELECT count(*) FROM site, note WHERE title = 'OFFICE' AND text = 'OFFICE'"
            #expect(try world.centre.count(office) == 1)
            #expect(try world.centre.count("SELECT count(*) FROM site WHERE id IN (2, 5)") == 1)
            #expect(try world.centre.count("SELECT count(*) FROM note WHERE id IN (2, 5)") == 1)
            #expect(try await world.differences(new) == [])
            #expect(try await world.conflicts() == [])
            #expect(try await new.replica.refusedChanges.fetch().isEmpty)
        }
    }

    @Test(arguments: CentreKind.available)
    func `sends a row whose parent had to wait, once it can go`(kind: CentreKind) async throws {
        try await Self.run(kind) { world in
            let old = try await Self.device(world)
            try await Self.renameAtCentre(world)
            try await old.replica.sync()
            try old.execute(
                """
                INSERT INTO site VALUES (5, 'Cabin', 30);
                INSERT INTO note VALUES (1, 1, 'free'), (5, 5, 'at the cabin')
                """)
            try await old.replica.sync()
            #expect(try await old.replica.refusedChanges.fetch().isEmpty)
            #expect(old.replica.status.pendingCount == 2)
            #expect(try old.values("note", "id").count == 2)
            #expect(try world.centre.text("SELECT min(id) FROM note") == "1")
            #expect(try world.centre.count("SELECT count(*) FROM note") == 1)
            try old.execute(Self.rename)
            let new = try await world.reopen(old)
            try await world.converge(new)
            #expect(try world.centre.text("SELECT title FROM site WHERE id = 5") == "Cabin")
            #expect(try await world.differences(new) == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `counts an edit at once, and is not caught up until it was sent`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world in
            let device = try await Self.device(world)
            #expect(device.replica.status.isCaughtUp)
            try device.execute("UPDATE site SET height = 11")
            #expect(!device.replica.status.isCaughtUp)
            try await eventually("both rows count") { device.replica.status.pendingCount == 2 }
            try await device.replica.sync()
            #expect(device.replica.status.isCaughtUp)
            #expect(device.replica.status.pendingCount == 0)
            #expect(try world.centre.text("SELECT max(height) FROM site") == "11")
        }
    }

    @Test(arguments: CentreKind.available)
    func `keeps its rows where migrations erase what they do not know`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in
                try db.execute(sql: Self.schema.joined(separator: ";"))
            }
            migrator.eraseDatabaseOnSchemaChange = true
            let file = try DatabaseQueue(path: world.folder.path("migrated.db"))
            for launch in 1...3 {
                let replica = try await Replica.open(
                    database: file, hub: world.link, tables: [.table("site"), .table("note")],
                    migrator: migrator)
                if launch == 1 {
                    try await replica.sync()
                    try await file.write {
                        try $0.execute(sql: "INSERT INTO site VALUES (3, 'Cabin', 30)")
                    }
                } else {
                    #expect(replica.status.pendingCount == (launch == 2 ? 1 : 0))
                    try await replica.sync()
                }
                let count = "SELECT count(*) FROM site"
                #expect(try await file.read { try Int.fetchOne($0, sql: count) } == 3)
            }
            #expect(try world.centre.text("SELECT name FROM site WHERE id = 3") == "Cabin")
        }
    }

    @Test(arguments: CentreKind.available)
    func `learns of a parent that it does not sync`(kind: CentreKind) async throws {
        try await Self.run(kind) { world in
            let device = try await world.open(
                "A", schema: Self.schema.joined(separator: ";"), tables: [.table("note")])
            let error = await #expect(throws: ReplicaError.self) {
                try await device.replica.sync()
            }
            #expect(error?.code == .foreignKeyUnknown)
        }
    }
}
