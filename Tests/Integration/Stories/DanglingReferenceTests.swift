import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Rows with references to missing rows, written at the centre without foreign key checks.
@Suite(.ownThreads) struct `References to nothing at the centre` {
    private static let schema = [
        "CREATE TABLE parent (id INTEGER NOT NULL PRIMARY KEY)",
        """
        CREATE TABLE child (id INTEGER NOT NULL PRIMARY KEY, parent INTEGER, note VARCHAR(20),
          FOREIGN KEY (parent) REFERENCES parent (id))
        """,
        "INSERT INTO parent VALUES (1), (2)",
        "INSERT INTO child VALUES (1, 1, 'first'), (2, 2, 'second')",
    ]

    /// The only differences are the rows that dangle at the centre too.
    private static let dangling = ["A: 1 broken foreign keys", "B: 1 broken foreign keys"]

    /// Runs SQL with foreign key checks off, as some programs do.
    private static func unchecked(
        _ kind: CentreKind, _ world: World, _ sql: String
    ) throws {
        let (off, on) =
            switch kind {
            case .sqlite: ("PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys = ON")
            case .postgres:
                ("SET session_replication_role = replica", "SET session_replication_role = origin")
            case .mariadb: ("SET foreign_key_checks = 0", "SET foreign_key_checks = 1")
            }
        for statement in [off, sql, on] { try world.centre.execute(statement) }
    }

    @Test(arguments: CentreKind.available)
    func `are cloned, and everything else goes on`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            try Self.unchecked(kind, world, "INSERT INTO child VALUES (3, 99, 'lost')")
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            #expect(try a.text("SELECT parent FROM child WHERE id = 3") == "99")
            let lost = DanglingRow(
                table: "child", key: RowKey([.integer(3)]), columns: ["parent"],
                referencedTable: "parent")
            #expect(try await a.replica.danglingRows.fetch() == [lost])
            #expect(try await a.replica.verify() == [])
            #expect(try await world.differences(a, b) == Self.dangling)
            try a.execute("UPDATE child SET note = 'found' WHERE id = 3")
            try world.centre.execute("INSERT INTO child VALUES (4, 1, 'fourth')")
            try await world.converge(a, b)
            #expect(try b.text("SELECT note FROM child WHERE id = 3") == "found")
            #expect(try await world.differences(a, b) == Self.dangling)
            #expect(a.replica.status.danglingCount == 1)
            #expect(b.replica.status.danglingCount == 1)
        }
    }

    @Test(arguments: CentreKind.available)
    func `come with the next page, and go when they are put right`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try Self.unchecked(kind, world, "DELETE FROM parent WHERE id = 2")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == Self.dangling)
            #expect(a.replica.status.danglingCount == 1)
            try world.centre.execute("INSERT INTO parent VALUES (2)")
            try await world.converge(a, b)
            #expect(a.replica.status.danglingCount == 0)
            #expect(try await world.differences(a, b) == [])
        }
    }
}
