import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Nobody asked us how they should name their tables, or what else their database does.
@Suite(.ownThreads, .serialized) struct `A stranger's schema` {
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: CentreKind
        let schema: NastySchema
        var testDescription: String { "\(kind.rawValue), \(schema.name)" }

        static let all: [Case] = CentreKind.available.flatMap { kind in
            (NastySchemas.all(kind) + NastySchemas.only(kind)).map { Case(kind: kind, schema: $0) }
        }
    }

    @Test(arguments: Case.all)
    func `is synced, verified, and left as it was`(test: Case) async throws {
        try await NastyStory.tell(test.schema, test.kind, pageRows: 50)
    }

    /// The columns of tracking tables, of queues, and of what statements call their parts.
    @Test(arguments: CentreKind.available)
    func `may have columns that are called as ours`(kind: CentreKind) async throws {
        let names = [
            "k0", "k1", "scope", "live", "version", "entered", "changed_at", "i", "x", "l", "r",
            "t", "q",
            "number", "earlier", "beyond", "been", "c0", "p0",
        ]
        let table = NastyTable(
            name: "track",
            columns: names.map { NastyColumn(name: $0, type: $0 == "k0" ? .text : .integer) },
            key: ["k1", "k0", "scope"])
        try await NastyStory.tell(NastySchema(name: "ours", tables: [table]), kind)
    }

    /// 60 by day.
    @Test(arguments: CentreKind.available)
    func `may have 300 tables that refer to each other`(kind: CentreKind) async throws {
        let isNight = ProcessInfo.processInfo.environment["MOORAGE_NIGHTLY"] == "1"
        let tables = (0..<(isNight ? 300 : 60)).map { n in
            NastyTable(
                name: "t\(n)",
                columns: [
                    NastyColumn(name: "id", type: .integer), NastyColumn(name: "v", type: .text),
                    NastyColumn(name: "above", type: .integer),
                ], key: ["id"],
                references: n == 0
                    ? [] : [NastyReference(columns: ["above"], table: "t\(n - 1)", keys: ["id"])])
        }
        try await NastyStory.tell(NastySchema(name: "many tables", tables: tables), kind)
    }

    /// Two rows are all that there can be.
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

    /// A device's SQLite takes letters in either case.
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
