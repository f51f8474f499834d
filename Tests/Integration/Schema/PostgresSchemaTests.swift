import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// A connection to the hub on which the app edits once while its batch is in flight.
private actor WayWithEdits: HubConnection {
    private let hub: Hub
    private var edit: (@Sendable () throws -> Void)?

    init(_ hub: Hub) { self.hub = hub }

    /// - Parameter edit: Runs before the next request with a batch reaches the hub.
    func meanwhile(_ edit: @escaping @Sendable () throws -> Void) { self.edit = edit }

    nonisolated func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        if request.batch != nil, let edit = await takeEdit() { try edit() }
        try await hub.exchange(request, receive: receive)
    }

    var hasEdited: Bool { edit == nil }

    private func takeEdit() -> (@Sendable () throws -> Void)? {
        defer { edit = nil }
        return edit
    }

    nonisolated func schema() async throws -> SchemaAnswer { try await hub.schema() }

    nonisolated func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}

/// What only PostgreSQL's schemas have, between the centre and devices.
@Suite(.ownThreads, .enabled(if: PostgresFixture.isThere)) struct `PostgreSQL's own schemas` {
    private static let nasty = #"Sales "o'er" 1"#

    @Test func `names of any case and kind go to devices and back`() async throws {
        let schema = [
            #"CREATE TYPE "State of It" AS ENUM ('Open', 'so "so"', 'it''s done')"#,
            """
            CREATE TABLE "Order" ("Order Id" bigint PRIMARY KEY, "select" text, "State" "State of It" DEFAULT 'Open',
              CONSTRAINT "No ""empty"" select" CHECK ("select" <> ''))
            """,
            """
            CREATE TABLE "order" ("order Id" bigint, "No" int, note text, PRIMARY KEY ("order Id", "No"),
              FOREIGN KEY ("order Id") REFERENCES "Order" ON UPDATE CASCADE ON DELETE CASCADE)
            """,
        ]
        let centre = try PostgresCentre(schema: Self.nasty)
        // SQLite compares names without case, so only one of the two tables is attached.
        try await World.run(on: centre, schema: schema, tables: ["Order"]) { world in
            try world.centre.execute(
                #"INSERT INTO "Order" VALUES (1, 'a', 'so "so"'), (2, 'b', 'it''s done'), (3, 'c', DEFAULT)"#
            )
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                INSERT INTO "Order" VALUES (4, 'd', 'so "so"'); DELETE FROM "Order" WHERE "Order Id" = 3;
                UPDATE "Order" SET "State" = 'it''s done', "select" = 'A' WHERE "Order Id" = 1
                """)
            try world.centre.execute(#"UPDATE "Order" SET "Order Id" = 20 WHERE "Order Id" = 2"#)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count(#"SELECT count(*) FROM "Order""#) == 3)
            // Labels match exactly, with their case. A refusal names its constraint.
            try a.execute(
                """
                INSERT INTO "Order" VALUES (5, 'e', 'open'); INSERT INTO "Order" VALUES (6, '', 'Open')
                """)
            try await world.converge(a, b)
            let refused = try await a.replica.refusedChanges.fetch().map(\.message).sorted()
            #expect(refused.count == 2)
            #expect(refused.contains { $0.contains("State") })
            #expect(refused.contains { $0.contains(#"No "empty" select"#) })
        }
    }

    @Test func `what the server writes otherwise is no conflict of a device with itself`()
        async throws
    {
        let schema = [
            "CREATE EXTENSION hstore; CREATE EXTENSION citext",
            "CREATE DOMAIN odd AS int CHECK (VALUE % 2 = 1)",
            """
            CREATE TABLE item (id bigint PRIMARY KEY, span int4range, tags hstore, words tsvector, lasts interval,
              host inet, list int[], name citext, o odd, at timestamptz(0), price numeric(10,2),
              title text, found tsvector GENERATED ALWAYS AS (to_tsvector('english', title)) STORED)
            """,
            "INSERT INTO item (id, span, title) VALUES (1, '[1,3]', 'Old cats')",
        ]
        try await World.run(.postgres, schema: schema) { world in
            let way = WayWithEdits(world.hub)
            let (a, b) = (
                try await world.clone("A", link: .direct(way)), try await world.clone("B")
            )
            let insert = """
                INSERT INTO item (id, span, tags, words, lasts, host, list, name, o, at, price, title) VALUES
                (2, '[1,3]', 'b=>1,a=>2', '''b'' ''a''', '25:00', '::1', '{1, 2}', 'Ab', 3,
                 '2024-01-01 00:00:00.6', '1.5', 'New dogs')
                """
            try a.execute(insert)
            try await world.converge(a, b)
            #expect(try a.text("SELECT span FROM item WHERE id = 2") == "[1,4)")
            #expect(try a.text("SELECT found FROM item WHERE id = 2") == "'dog':2 'new':1")
            #expect(try await world.differences(a, b) == [])
            // The first edit of each round begins with the server's form of the value, the second
            // one with the device's own form.
            for round in 1...3 {
                try a.execute("UPDATE item SET span = '[\(round),9]', lasts = '\(30 + round):00'")
                await way.meanwhile {
                    try a.execute(
                        "UPDATE item SET span = '[\(round),19]', tags = 'z=>\(round),c=>1'")
                }
                try await a.replica.sync()
                #expect(await way.hasEdited)
                try await world.converge(a, b)
            }
            #expect(try a.text("SELECT span FROM item WHERE id = 2") == "[3,20)")
            #expect(try await world.differences(a, b) == [])
            #expect(try await world.conflicts() == [])
            // A value that is not valid is refused, with the name of its column or type.
            try a.execute(
                "UPDATE item SET words = '''x' WHERE id = 2; UPDATE item SET o = 4 WHERE id = 1")
            try await world.converge(a, b)
            let refused = try await a.replica.refusedChanges.fetch().map(\.message)
            #expect(refused.contains { $0.contains("words") })
            #expect(refused.contains { $0.contains("odd") })
        }
    }

    @Test func `a citext key is one row at the centre and on every device`() async throws {
        let schema = [
            "CREATE EXTENSION citext", "CREATE TABLE word (w citext PRIMARY KEY, n int)",
            "INSERT INTO word VALUES ('Abc', 1), ('x', 2)",
        ]
        try await World.run(.postgres, schema: schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try world.centre.execute("UPDATE word SET w = 'ABC' WHERE w = 'abc'")
            try b.execute(
                "UPDATE word SET w = 'X', n = 3 WHERE w = 'x'; INSERT INTO word VALUES ('abc', 9)")
            try await world.converge(b, a)
            #expect(
                try world.centre.text("SELECT string_agg(w, ' ' ORDER BY w) FROM word") == "ABC X")
            #expect(
                try await b.replica.refusedChanges.fetch().map(\.key.values) == [[.text("abc")]])
            #expect(
                try a.text("SELECT group_concat(w, ' ') FROM (SELECT w FROM word ORDER BY w)")
                    == "ABC X")
        }
    }

    @Test func `deferred constraints hold at the end of a push`() async throws {
        let schema = [
            """
            CREATE TABLE room (id bigint PRIMARY KEY, head bigint NOT NULL, place int,
              CONSTRAINT one_place UNIQUE (place) DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE person (id bigint PRIMARY KEY, room bigint NOT NULL REFERENCES room DEFERRABLE INITIALLY DEFERRED);
            ALTER TABLE room ADD FOREIGN KEY (head) REFERENCES person DEFERRABLE INITIALLY DEFERRED;
            BEGIN; INSERT INTO room VALUES (1, 1, 1), (2, 2, 2); INSERT INTO person VALUES (1, 1), (2, 2); COMMIT
            """
        ]
        try await World.run(.postgres, schema: schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                PRAGMA defer_foreign_keys = ON;
                INSERT INTO room VALUES (3, 3, 3); INSERT INTO person VALUES (3, 3)
                """)
            // SQLite checks at once, so the device swaps the places over a third value.
            try b.execute(
                """
                UPDATE room SET place = -1 WHERE id = 1; UPDATE room SET place = 1 WHERE id = 2;
                UPDATE room SET place = 2 WHERE id = 1
                """)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(
                try world.centre.text("SELECT string_agg(place::text, ' ' ORDER BY id) FROM room")
                    == "2 1 3")
            try world.centre.execute(
                """
                UPDATE room SET place = CASE id WHEN 1 THEN 3 WHEN 2 THEN 2 ELSE 1 END;
                BEGIN; DELETE FROM room WHERE id = 2; DELETE FROM person WHERE id = 2; COMMIT
                """)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            // The hub checks deferred constraints before the push ends, and refuses only the change
            // that breaks one.
            try world.centre.execute(
                "BEGIN; DELETE FROM room WHERE id = 3; DELETE FROM person WHERE id = 3; COMMIT")
            try a.execute("INSERT INTO person VALUES (9, 3), (10, 1)")
            try await a.replica.sync()
            #expect(try await a.replica.refusedChanges.fetch().map(\.code) == [.foreignKey])
            #expect(
                try world.centre.text("SELECT string_agg(id::text, ' ' ORDER BY id) FROM person")
                    == "1 10")
        }
    }

    @Test func `what foreign keys do to rows below comes down`() async throws {
        let schema = [
            """
            CREATE TABLE top (t int, id int, PRIMARY KEY (t, id));
            CREATE TABLE nulled (id int PRIMARY KEY, t int NOT NULL, top int,
              FOREIGN KEY (t, top) REFERENCES top ON DELETE SET NULL (top) ON UPDATE CASCADE);
            CREATE TABLE fallback (id int PRIMARY KEY, t int DEFAULT 1, top int DEFAULT 1,
              FOREIGN KEY (t, top) REFERENCES top ON DELETE SET DEFAULT ON UPDATE SET NULL);
            CREATE TABLE below (t int, top int, n int, PRIMARY KEY (t, top, n),
              FOREIGN KEY (t, top) REFERENCES top ON DELETE CASCADE ON UPDATE CASCADE);
            INSERT INTO top VALUES (1, 1), (1, 2), (1, 3), (1, 4);
            INSERT INTO nulled VALUES (1, 1, 2), (2, 1, 3), (3, 1, 4); INSERT INTO fallback VALUES (1, 1, 2), (2, 1, 3);
            INSERT INTO below VALUES (1, 2, 1), (1, 3, 1), (1, 4, 1)
            """
        ]
        try await World.run(.postgres, schema: schema) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try world.centre.execute(
                "DELETE FROM top WHERE id = 2; UPDATE top SET id = 30 WHERE id = 3")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(
                try a.text("SELECT group_concat(coalesce(top, '-'), ' ') FROM nulled") == "- 30 4")
            #expect(
                try a.text("SELECT group_concat(coalesce(top, '-'), ' ') FROM fallback") == "1 -")
            // A device cannot set only some columns of a key to NULL. The app has to change the
            // rows below first.
            #expect(throws: DatabaseError.self) { try a.execute("DELETE FROM top WHERE id = 4") }
            try a.execute("UPDATE nulled SET top = NULL WHERE id = 3; DELETE FROM top WHERE id = 4")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT count(*) FROM below") == 1)
            try world.centre.execute("TRUNCATE top CASCADE")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try b.text("SELECT count(*) FROM top") == "0")
        }
    }
}
