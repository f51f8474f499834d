import GRDB
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

/// The second version of an app: devices migrate one after the other, and write their own values
/// into columns that others use already.
@Suite(.ownThreads) struct `A migration of an app` {
    private static func schema(_ name: String) -> String {
        """
        CREATE TABLE site (
          id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20) \(name), height INTEGER)
        """
    }

    /// Runs a test with devices of the first version.
    private static func run(
        _ kind: CentreKind, name: String = "NOT NULL",
        _ test: @escaping @Sendable (World, Device, Device) async throws -> Void
    ) async throws {
        let rows = "INSERT INTO site VALUES (1, 'Hut', 10), (2, 'Barn', 20)"
        try await World.run(kind, schema: [schema(name), rows]) { world in
            func device(_ name: String, _ column: String) async throws -> Device {
                try await world.open(name, schema: Self.schema(column), tables: [.table("site")])
            }
            let (a, b) = (try await device("A", name), try await device("B", name))
            try await world.converge(a, b)
            try await test(world, a, b)
        }
    }

    private static func check(
        _ world: World, _ a: Device, _ b: Device, _ column: String, _ values: [String]
    ) async throws {
        let all = try (1...2).map { id in
            try world.centre.text("SELECT \(column) FROM site WHERE id = \(id)") ?? "∅"
        }
        #expect(all == values)
        #expect(try await world.differences(a, b) == [])
        #expect(try await world.conflicts() == [])
        for device in [a, b] {
            #expect(try await device.replica.overruledChanges.fetch().isEmpty)
        }
    }

    @Test(arguments: CentreKind.available)
    func `that fills a new column does so where nobody wrote`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            let column = "ALTER TABLE site ADD COLUMN mood VARCHAR(20)"
            try world.centre.execute(column)
            _ = try await world.hub.attach()
            try b.execute(column)
            try await world.converge(b)
            try b.execute("UPDATE site SET mood = 'happy' WHERE id = 1")
            try await world.converge(b)
            try a.execute("\(column); UPDATE site SET mood = 'unknown'")
            try await world.converge(a, b)
            try await Self.check(world, a, b, "mood", ["happy", "unknown"])
        }
    }

    /// - Parameter hasContact: Whether the late device syncs with the new hub before it migrates.
    @Test(arguments: [true, false], ["", "NOT NULL"])
    func `that renames a column brings no old value back`(
        hasContact: Bool, name: String
    ) async throws {
        try await Self.run(.sqlite, name: name) { world, a, b in
            let migration = "ALTER TABLE site RENAME COLUMN name TO title"
            try world.centre.execute(migration)
            _ = try await world.hub.attach()
            if hasContact { try await a.replica.sync() }
            try b.execute(migration)
            let newB = try await world.reopen(b)
            try await world.converge(newB)
            try newB.execute("UPDATE site SET title = 'Hut (B)', height = 1 WHERE id = 1")
            try await world.converge(newB)
            try a.execute(migration)
            let newA = try await world.reopen(a)
            try await world.converge(newA, newB)
            try await Self.check(world, newA, newB, "title", ["Hut (B)", "Barn"])
            #expect(try world.centre.text("SELECT height FROM site WHERE id = 1") == "1")
        }
    }
}
