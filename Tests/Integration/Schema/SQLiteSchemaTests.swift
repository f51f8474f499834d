import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// What SQLite's schemas allow and devices treat differently.
@Suite(.ownThreads) struct `A schema on SQLite` {
    private static let loose = [
        "CREATE TABLE land (code TEXT PRIMARY KEY COLLATE NOCASE, name TEXT)",
        "CREATE TABLE town (id INTEGER PRIMARY KEY, land TEXT REFERENCES land(code))",
        "INSERT INTO land VALUES ('AbC', 'one')",
    ]

    @Test func `may refer to a key by other letters, which binds at the centre alone`() async throws
    {
        try await World.run(.sqlite, schema: Self.loose) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try world.centre.execute("PRAGMA foreign_keys = ON; INSERT INTO town VALUES (1, 'ABC')")
            try a.execute("INSERT INTO town VALUES (2, 'abc')")
            try await world.converge(a, b)
            let late = try await world.clone("C")
            #expect(try late.text("SELECT group_concat(land) FROM town") == "ABC,abc")
            #expect(try await world.differences(a, b, late) == [])
            try a.execute("INSERT INTO town VALUES (3, 'nowhere')")
            try await world.converge(a, b)
            #expect(try await a.replica.refusedChanges.fetch().map(\.code) == [.foreignKey])
        }
    }

    @Test func `gives a row no scope by other letters`() async throws {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(rules: [
            "land": [ScopeRule(.column(kind: "name", "name"))],
            "town": [ScopeRule(.through(["land"]))],
        ])
        try await World.run(
            .sqlite, schema: Self.loose, configuration: configuration, attaches: false
        ) { world in
            await #expect(throws: HubError.self) { try await world.hub.attach() }
        }
    }

    @Test
    func
        `loses no row of a device that REPLACE left at the centre, and keeps none that it removed`()
        async throws
    {
        let schema = [
            "CREATE TABLE land (code TEXT PRIMARY KEY COLLATE NOCASE, name TEXT, active INTEGER)",
            "CREATE UNIQUE INDEX land_name ON land (lower(name)) WHERE active = 1",
            "INSERT INTO land VALUES ('abc', 'one', 1), ('def', 'two', 1), ('ghi', 'one', 0)",
        ]
        try await World.run(.sqlite, schema: schema) { world in
            let a = try await world.clone("A")
            for sql in [
                "INSERT OR REPLACE INTO land VALUES ('ABC', 'three', 1)",
                "INSERT OR REPLACE INTO land VALUES ('new', 'TWO', 1)",
                "UPDATE OR REPLACE land SET name = 'Three' WHERE code = 'new'",
                "UPDATE land SET code = NULL WHERE code = 'ghi'",
            ] {
                try world.centre.execute(sql)
                try await a.replica.sync()
                let there = "SELECT group_concat(code) FROM (SELECT code FROM land ORDER BY 1)"
                #expect(try a.text(there) == world.centre.text(there), "\(sql)")
            }
        }
    }
}
