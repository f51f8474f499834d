import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// On every database, the device's user reads a reason that names the row's columns.
@Suite(.ownThreads) struct `Reasons of refused changes` {
    private static let schema = [
        "CREATE TABLE team (id INTEGER NOT NULL PRIMARY KEY)",
        """
        CREATE TABLE person (id INTEGER NOT NULL PRIMARY KEY, team INTEGER, place INTEGER,
          login VARCHAR(20), CONSTRAINT one_login UNIQUE (login),
          CONSTRAINT one_place UNIQUE (team, place), FOREIGN KEY (team) REFERENCES team (id))
        """,
        "INSERT INTO team VALUES (1), (2), (3)",
        "INSERT INTO person VALUES (1, 1, 1, 'a'), (2, 2, 2, 'b'), (3, 3, 3, 'c')",
    ]

    @Test(arguments: CentreKind.available)
    func `name the columns whose values another row has`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                UPDATE person SET login = 'taken' WHERE id = 1;
                UPDATE person SET place = 9 WHERE id = 2
                """)
            try b.execute(
                """
                INSERT INTO person VALUES (4, NULL, NULL, 'taken');
                UPDATE person SET team = 2, place = 9 WHERE id = 3
                """)
            try await world.converge(a, b)
            #expect(
                Set(try await b.replica.refusedChanges.fetch().map(\.message)) == [
                    "Another row of person already has this team, place.",
                    "Another row of person already has this login.",
                ])
        }
    }

    @Test(arguments: CentreKind.available)
    func `name the reference to a row that is gone`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try world.centre.execute("DELETE FROM person WHERE team = 1")
            try world.centre.execute("DELETE FROM team WHERE id = 1")
            try b.execute("UPDATE person SET team = 1 WHERE id = 2")
            try await world.converge(a, b)
            #expect(
                try await b.replica.refusedChanges.fetch().map(\.message)
                    == ["The row of team that its team names does not exist."])
        }
    }
}
