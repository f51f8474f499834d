import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

// Each database has a suite of its own, so that the suites run in parallel.

@Suite(.ownThreads) struct `A stranger's schema on SQLite` {
    @Test(arguments: NastySchemas.all(.sqlite))
    func `is synced, verified, and left as it was`(schema: NastySchema) async throws {
        try await NastyStory.tell(schema, .sqlite)
    }
}

@Suite(.ownThreads, .enabled(if: PostgresFixture.isThere))
struct `A stranger's schema on PostgreSQL` {
    @Test(arguments: NastySchemas.all(.postgres))
    func `is synced, verified, and left as it was`(schema: NastySchema) async throws {
        try await NastyStory.tell(schema, .postgres)
    }
}

@Suite(.ownThreads, .enabled(if: MariaDBFixture.isThere))
struct `A stranger's schema on MariaDB` {
    @Test(arguments: NastySchemas.all(.mariadb))
    func `is synced, verified, and left as it was`(schema: NastySchema) async throws {
        try await NastyStory.tell(schema, .mariadb)
    }
}

extension Night {
    @Suite(.ownThreads, .night(.large)) struct `A stranger's schema of 300 tables` {
        @Test(arguments: CentreKind.available)
        func `is synced, verified, and left as it was`(kind: CentreKind) async throws {
            let schema = NastySchemas.chain(of: 300)
            try await NastyStory.tell(schema, kind)
            let rows = schema.tables.count * NastySchema.first.count
            NightPlan.figures("\(kind.rawValue): 300 tables with \(rows) rows in one chain")
        }
    }
}

@Suite(.ownThreads) struct `A stranger's schema` {
    /// The table can have no more than two rows.
    @Test(arguments: CentreKind.available)
    func `may have a key that is true or false`(kind: CentreKind) async throws {
        let schema = [
            "CREATE TABLE flag (k BOOLEAN NOT NULL PRIMARY KEY, v INTEGER)",
            "INSERT INTO flag (k, v) VALUES (TRUE, 1)",
        ]
        try await World.run(kind, schema: schema) { world in
            let a = try await world.clone("A")
            let b = try await world.clone("B")
            try a.execute("INSERT INTO flag VALUES (0, 5); UPDATE flag SET v = 2 WHERE k = 1")
            try await world.converge(a, b)
            #expect(
                try b.text("SELECT group_concat(v) FROM (SELECT v FROM flag ORDER BY k)") == "5,2")
            try b.execute("DELETE FROM flag WHERE k = 1; UPDATE flag SET k = 1")
            try await world.converge(b, a)
            #expect(try a.text("SELECT k || ' ' || v FROM flag") == "1 5")
            #expect(try await world.differences(a, b) == [])
        }
    }

    /// A device's SQLite compares names without case.
    @Test(arguments: CentreKind.available.filter { $0 != .sqlite })
    func `may have names that differ only in case, as far as a device can hold them`(
        kind: CentreKind
    ) async throws {
        let schema =
            [
                "CREATE TABLE \"Item\" (id INTEGER NOT NULL PRIMARY KEY, v INTEGER)",
                "CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, w INTEGER)",
                """
                CREATE TABLE line (
                  a INTEGER NOT NULL, b INTEGER NOT NULL, v INTEGER, PRIMARY KEY (a, b),
                  CONSTRAINT parent FOREIGN KEY (a) REFERENCES \"Item\" (id))
                """,
                "CREATE TABLE sqlite_notes (id INTEGER NOT NULL PRIMARY KEY)",
            ]
            + (kind == .postgres
                ? ["CREATE TABLE twice (id integer PRIMARY KEY, \"V\" text, v text)"] : [])
        try await World.run(kind, schema: schema, attaches: false) { world in
            let report = try await world.hub.attach()
            let passed = ["sqlite_notes"] + (kind == .postgres ? ["twice"] : [])
            #expect(report.unsupported.map(\.name).sorted() == passed)
            try world.centre.execute("INSERT INTO \"Item\" VALUES (1, 5)")
            try world.centre.execute("INSERT INTO item VALUES (2, 6)")
            let a = try await world.clone("A", tables: ["Item", "line"])
            let b = try await world.clone("B", tables: ["item"])
            #expect(try a.text("SELECT id || ' ' || v FROM \"Item\"") == "1 5")
            #expect(try b.text("SELECT id || ' ' || w FROM item") == "2 6")
            try a.execute("UPDATE \"Item\" SET v = 7; INSERT INTO line VALUES (1, 2, 3)")
            try b.execute("UPDATE item SET w = 8")
            try await world.converge(a, b)
            #expect(try world.centre.text("SELECT v FROM \"Item\"") == "7")
            #expect(try world.centre.text("SELECT w FROM item") == "8")
            #expect(try world.centre.text("SELECT v FROM line") == "3")
            await #expect(throws: ReplicaError.self) {
                _ = try await world.clone("both", tables: ["Item", "item"])
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `names a view among the tables, and is told why it cannot be`(
        kind: CentreKind
    ) async throws {
        let schema = [
            "CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY)",
            "CREATE VIEW items AS SELECT id FROM item",
        ]
        try await World.run(kind, schema: schema, attaches: false) { world in
            let error = await #expect(throws: HubError.self) {
                try await world.hub.attach(tables: ["item", "items"])
            }
            #expect(error?.code == .tableUnsupported)
            #expect(error?.message.contains("is a view") == true)
        }
    }
}
