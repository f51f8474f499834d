import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Swaps in columns that take only some values of their type.
@Suite(.ownThreads) struct `Swapped unique values of narrow types` {
    /// A table, its type on each connector, and two values.
    private struct Narrow: Sendable {
        let table: String
        let types: (sqlite: String, postgres: String, mysql: String)
        let values: (String, String)

        func type(_ kind: CentreKind) -> String {
            switch kind {
            case .sqlite: types.sqlite
            case .postgres: types.postgres
            default: types.mysql
            }
        }
    }

    private static let all = [
        Narrow(
            table: "wide", types: ("INTEGER", "integer", "INT"), values: ("11", "12")),
        Narrow(
            table: "positive",
            types: ("INTEGER CHECK (u >= 0)", "integer CHECK (u >= 0)", "INT UNSIGNED"),
            values: ("11", "12")),
        Narrow(
            table: "small", types: ("INTEGER CHECK (u < 300)", "smallint", "SMALLINT"),
            values: ("11", "12")),
        Narrow(
            table: "tiny",
            types: (
                "INTEGER CHECK (u BETWEEN 0 AND 127)", "smallint CHECK (u BETWEEN 0 AND 127)",
                "TINYINT UNSIGNED"
            ), values: ("127", "126")),
        Narrow(
            table: "moment",
            types: ("TIMESTAMP CHECK (u > '1970')", "timestamptz", "TIMESTAMP"),
            values: ("'2020-01-01 00:00:00'", "'2021-01-01 00:00:00'")),
        Narrow(
            table: "short",
            types: ("VARCHAR(2) CHECK (length(u) <= 2)", "varchar(2)", "CHAR(2)"),
            values: ("'aa'", "'ab'")),
        Narrow(
            table: "price",
            types: ("DECIMAL(5,2) CHECK (abs(u) < 1000)", "numeric(5,2)", "DECIMAL(5,2)"),
            values: ("11.25", "12.5")),
    ]

    /// Both labels are taken. Only deleting a row and inserting it again frees one.
    private static let labels = Narrow(
        table: "label",
        types: (
            "VARCHAR(9) CHECK (u IN ('a', 'b'))", "varchar(9) CHECK (u IN ('a', 'b'))",
            "ENUM('a', 'b')"
        ), values: ("'a'", "'b'"))

    private static func schema(_ kind: CentreKind, _ tables: [Narrow]) -> [String] {
        tables.flatMap { narrow in
            [
                """
                CREATE TABLE \(narrow.table) (
                  id INTEGER NOT NULL PRIMARY KEY, u \(narrow.type(kind)) NOT NULL UNIQUE)
                """,
                """
                INSERT INTO \(narrow.table) VALUES (1, \(narrow.values.0)), (2, \(narrow.values.1))
                """,
            ]
        }
    }

    private static func swap(_ narrow: Narrow) -> String {
        """
        DELETE FROM \(narrow.table);
        INSERT INTO \(narrow.table) VALUES (1, \(narrow.values.1)), (2, \(narrow.values.0));
        """
    }

    @Test(arguments: CentreKind.available)
    func `go in, all of one batch`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema(kind, Self.all)) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(Self.all.map(Self.swap).joined())
            try await world.converge(a, b)
            #expect(try await a.replica.refusedChanges.fetch().map(\.table) == [])
            #expect(try await world.differences(a, b) == [])
            for narrow in Self.all {
                let id = try world.centre.count(
                    "SELECT id FROM \(narrow.table) WHERE u = \(narrow.values.1)")
                #expect(id == 1, "\(narrow.table)")
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `go in where no value is free, for nothing refers to the rows`(
        kind: CentreKind
    ) async throws {
        let tables = [Self.labels] + Self.all
        try await World.run(kind, .http, schema: Self.schema(kind, tables)) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(tables.map(Self.swap).joined())
            try await world.converge(a, b)
            #expect(try await a.replica.refusedChanges.fetch().map(\.table) == [])
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.text("SELECT u FROM label WHERE id = 1") == "b")
        }
    }

    /// MariaDB and MySQL can remove a row for a moment without the actions of its foreign keys. On
    /// SQLite and PostgreSQL those actions would delete the rows below.
    @Test(arguments: CentreKind.available)
    func `are refused alone where no value is free and others refer to the rows`(
        kind: CentreKind
    ) async throws {
        let schema =
            Self.schema(kind, [Self.labels] + Self.all) + [
                """
                CREATE TABLE below (id INTEGER NOT NULL PRIMARY KEY, label INTEGER NOT NULL,
                  FOREIGN KEY (label) REFERENCES label (id) ON DELETE CASCADE)
                """,
                "INSERT INTO below VALUES (1, 1), (2, 2)",
            ]
        try await World.run(kind, .http, schema: schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                \(Self.all.map(Self.swap).joined())
                UPDATE label SET u = 'z' WHERE id = 1;
                UPDATE label SET u = 'a' WHERE id = 2;
                UPDATE label SET u = 'b' WHERE id = 1;
                """)
            try await world.converge(a, b)
            let stays = kind == .sqlite || kind == .postgres
            #expect(
                try await a.replica.refusedChanges.fetch().map(\.table)
                    == (stays ? ["label", "label"] : []))
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT count(*) FROM below") == 2)
            #expect(
                try world.centre.text("SELECT u FROM label WHERE id = 1") == (stays ? "a" : "b"))
        }
    }

    @Test(arguments: CentreKind.available)
    func `go in where the values are foreign keys`(kind: CentreKind) async throws {
        // PostgreSQL checks the key at once, so the third parent is the free value.
        let free = kind == .postgres ? ", (3)" : ""
        let schema = [
            "CREATE TABLE staff (id INTEGER NOT NULL PRIMARY KEY)",
            "INSERT INTO staff VALUES (1), (2)\(free)",
            """
            CREATE TABLE store (id INTEGER NOT NULL PRIMARY KEY, manager INTEGER NOT NULL UNIQUE,
              FOREIGN KEY (manager) REFERENCES staff (id))
            """,
            "INSERT INTO store VALUES (1, 1), (2, 2)",
            """
            CREATE TABLE shelf (id INTEGER NOT NULL PRIMARY KEY, store INTEGER NOT NULL,
              FOREIGN KEY (store) REFERENCES store (id) ON DELETE CASCADE)
            """,
            "INSERT INTO shelf VALUES (1, 1), (2, 2)",
        ]
        try await World.run(kind, .http, schema: schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                PRAGMA defer_foreign_keys = ON;
                UPDATE store SET manager = -1 WHERE id = 1;
                UPDATE store SET manager = 1 WHERE id = 2;
                UPDATE store SET manager = 2 WHERE id = 1;
                """)
            try await world.converge(a, b)
            #expect(try await a.replica.refusedChanges.fetch().map(\.table) == [])
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT manager FROM store WHERE id = 1") == 2)
            #expect(try world.centre.count("SELECT count(*) FROM shelf") == 2)
        }
    }

    /// All values nearby are taken, and values below them are not allowed.
    @Test(arguments: CentreKind.available)
    func `go in where the values stand close together`(kind: CentreKind) async throws {
        let type = kind == .mariadb ? "TINYINT UNSIGNED" : "smallint"
        let all = (1...200).map { "(\($0), \($0))" }.joined(separator: ", ")
        let schema = [
            """
            CREATE TABLE place (id INTEGER NOT NULL PRIMARY KEY, u \(type) NOT NULL UNIQUE,
              CHECK (u BETWEEN 1 AND 255))
            """,
            "INSERT INTO place VALUES \(all)",
        ]
        try await World.run(kind, .http, schema: schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                UPDATE place SET u = 1000 + u WHERE id <= 20;
                UPDATE place SET u = 21 - (u - 1000) WHERE id <= 20;
                """)
            try await world.converge(a, b)
            #expect(try await a.replica.refusedChanges.fetch().map(\.table) == [])
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT u FROM place WHERE id = 1") == 20)
        }
    }

    /// The row with the old key must give up its value before it is deleted. Otherwise its cascade
    /// deletes the rows below, which follow the new key.
    @Test(arguments: CentreKind.available)
    func `are taken along by a row whose key changes, and so are the rows below it`(
        kind: CentreKind
    ) async throws {
        let schema = Self.all.flatMap { narrow in
            [
                """
                CREATE TABLE \(narrow.table) (
                  id INTEGER NOT NULL PRIMARY KEY, u \(narrow.type(kind)) NOT NULL UNIQUE)
                """,
                """
                INSERT INTO \(narrow.table) VALUES (1, \(narrow.values.0)), (2, \(narrow.values.1))
                """,
                """
                CREATE TABLE \(narrow.table)_below (id INTEGER NOT NULL PRIMARY KEY, above INTEGER NOT NULL,
                  FOREIGN KEY (above) REFERENCES \(narrow.table) (id) ON DELETE CASCADE ON UPDATE CASCADE)
                """,
                "INSERT INTO \(narrow.table)_below VALUES (1, 1), (2, 2)",
            ]
        }
        try await World.run(kind, .http, schema: schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            let moves = Self.all.map { "UPDATE \($0.table) SET id = 11 WHERE id = 1;" }
            try a.execute(moves.joined())
            try await world.converge(a, b)
            #expect(try await a.replica.refusedChanges.fetch().map(\.table) == [])
            #expect(try await world.differences(a, b) == [])
            for narrow in Self.all {
                let above = try world.centre.count(
                    "SELECT above FROM \(narrow.table)_below WHERE id = 1")
                #expect(above == 11, "\(narrow.table)")
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `go in by another column of the key that has a free value`(
        kind: CentreKind
    ) async throws {
        let schema = [
            "CREATE TABLE parent (id INTEGER NOT NULL PRIMARY KEY)",
            "INSERT INTO parent VALUES (1), (2)",
            """
            CREATE TABLE child (id INTEGER NOT NULL PRIMARY KEY,
              parent INTEGER NOT NULL REFERENCES parent (id), place SMALLINT NOT NULL,
              UNIQUE (parent, place))
            """,
            "INSERT INTO child VALUES (1, 1, 10), (2, 2, 20)",
        ]
        try await World.run(kind, .http, schema: schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                DELETE FROM child; INSERT INTO child VALUES (1, 2, 20), (2, 1, 10);
                """)
            try await world.converge(a, b)
            #expect(try await a.replica.refusedChanges.fetch().map(\.table) == [])
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT parent FROM child WHERE id = 1") == 2)
        }
    }
}
