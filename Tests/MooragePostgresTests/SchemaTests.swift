import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

/// One hub works on one schema of the owner.
@Suite("Schemas of PostgreSQL", .ownThreads, .enabled(if: PostgresServer.isAvailable))
struct SchemaTests {
    /// Mixed case, a space, both quotes, and what numbers arguments.
    static let nasty = #"Sales "o'er" ?1"#

    private func traces(_ owner: PostgresSession, _ schema: String) throws -> [[String?]] {
        let number = "\(SQLText.literal(SQLText.name(schema)))::regnamespace"
        return try owner.rows(
            """
            SELECT relname FROM pg_class WHERE relnamespace = \(number) AND relname LIKE 'moorage%'
            UNION ALL
            SELECT proname FROM pg_proc WHERE pronamespace = \(number) AND proname LIKE 'moorage%'
            UNION ALL
            SELECT tgname FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid
            WHERE c.relnamespace = \(number) AND tgname LIKE 'moorage%' ORDER BY 1
            """)
    }

    @Test func `two hubs on two schemas do not disturb each other`() throws {
        try PostgresServer.withDatabase(schema: "one") { one in
            let owner = try one.session()
            try owner.execute(
                """
                CREATE SCHEMA two; CREATE TABLE one.item (id int PRIMARY KEY, a int);
                CREATE TABLE two.item (id int PRIMARY KEY, a int, FOREIGN KEY (id) REFERENCES one.item
                  ON DELETE CASCADE)
                """)
            let two = try PostgresSubject(name: one.name, schema: "two")
            defer { two.postgres.close() }
            try one.attach()
            try two.attach()
            let (first, second) = (try one.table("item"), try two.table("item"))
            // The parent belongs to another hub.
            #expect(second.description.foreignKeys == [])
            let identities = try [one, two].map { try $0.postgres.perform { try $0.identity() } }
            #expect(identities[0] != identities[1])

            try owner.execute(
                "INSERT INTO one.item VALUES (1, 1), (2, 2); INSERT INTO two.item VALUES (2, 1)")
            #expect(try one.tracked(first) == ["+1", "+2"])
            #expect(try two.tracked(second) == ["+2"])
            // A cascade across the border is a change like any other.
            try owner.execute("DELETE FROM one.item WHERE id = 2")
            #expect(try two.tracked(second) == ["-2"])

            let before = try traces(owner, "two")
            #expect(!before.isEmpty)
            try one.postgres.perform { try Attachment(on: $0, makeID: { "id" }).detach() }
            #expect(try traces(owner, "one") == [])
            #expect(try traces(owner, "two") == before)
            try owner.execute(
                "INSERT INTO one.item VALUES (3, 1); INSERT INTO two.item VALUES (3, 1)")
            #expect(try two.tracked(second) == ["-2", "+3"])
        }
    }

    @Test func `types may live in other schemas than tables and writers look in`() throws {
        try PostgresServer.withDatabase(schema: Self.nasty) { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE SCHEMA "Ext s"; CREATE EXTENSION citext SCHEMA "Ext s";
                CREATE EXTENSION hstore SCHEMA "Ext s"; CREATE TYPE public."Mood" AS ENUM ('Sad', 'so "so"');
                CREATE DOMAIN public.positive AS int CHECK (VALUE > 0);
                CREATE TABLE "Item" (id "Ext s".citext, mood public."Mood", h "Ext s".hstore, p public.positive,
                  PRIMARY KEY (id, mood));
                CREATE TABLE child (n int PRIMARY KEY, item "Ext s".citext, mood public."Mood",
                  FOREIGN KEY (item, mood) REFERENCES "Item" ON UPDATE CASCADE)
                """)
            try subject.attach()
            let item = try subject.table("Item")
            // A device would compare the key by bytes.
            #expect(try subject.describe("child").foreignKeys == [])
            // A writer whose search path leads neither to the table nor to the type.
            try owner.execute("SET search_path TO pg_temp")
            let table = "\(SQLText.name(Self.nasty)).\"Item\""
            try owner.execute(
                """
                INSERT INTO \(table) VALUES ('Ab', 'so "so"', 'k=>"v w"', 7);
                INSERT INTO \(SQLText.name(Self.nasty)).child VALUES (1, 'aB', 'so "so"')
                """)
            #expect(try subject.tracked(item) == ["+Ab,so \"so\""])
            let checkpoint = try subject.checkpoint()
            try owner.execute("UPDATE \(table) SET id = 'AB'")
            #expect(
                try subject.changes(item, since: checkpoint) == ["-Ab,so \"so\"", "+AB,so \"so\""])

            let key = item.description.key([.text("AB"), .text("so \"so\"")])
            try subject.write { connection in
                let locked = try connection.lockRows(item, keys: [key])
                #expect(
                    locked[key]?.values?.dropFirst(2) == [.text("\"k\"=>\"v w\""), .integer(7)])
                try connection.update(
                    item, columns: [2], rows: [KeyedValues(key: key, values: [.text("a=>1")])])
            }
            #expect(try owner.cell("SELECT h::text FROM \(table)") == "\"a\"=>\"1\"")
        }
    }

    @Test func `a row is tracked in its scope whatever schema its types live in`() throws {
        try PostgresServer.withDatabase(schema: Self.nasty) { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE SCHEMA ext; CREATE EXTENSION citext SCHEMA ext;
                CREATE TABLE "Shop" (name text PRIMARY KEY, state ext.citext, team text);
                CREATE TABLE note (id int PRIMARY KEY, shop text REFERENCES "Shop");
                INSERT INTO "Shop" VALUES ('front', 'OPEN', 'a'); INSERT INTO note VALUES (1, 'front')
                """)
            let scopes = ScopeSettings(
                rules: [
                    "Shop": [
                        ScopeRule(
                            .column(kind: "team", "team"),
                            where: [ScopeRule.Condition("state", is: "open")])
                    ],
                    "note": [ScopeRule(.through(["shop"]))],
                ], holdings: ["team": .claim("team")])
            try subject.attach(scopes: scopes)
            try owner.execute("SET search_path TO pg_temp")
            let schema = SQLText.name(Self.nasty)
            try owner.execute("INSERT INTO \(schema).note VALUES (2, 'front')")
            func live() throws -> [[String?]] {
                try owner.rows(
                    """
                    SELECT k0, scope FROM \(schema).moorage_track_2_note WHERE live ORDER BY 1
                    """)
            }
            #expect(try live() == [["1", "team/a"], ["2", "team/a"]])
            try owner.execute("UPDATE \(schema).\"Shop\" SET team = 'b'")
            #expect(try live() == [["1", "team/b"], ["2", "team/b"]])
        }
    }

    @Test(arguments: [
        ("missing", "no schema missing"), ("pg_catalog", "PostgreSQL's own"),
        ("ONE", "no schema ONE"),
        (String(repeating: "a", count: 64), "no schema a"),
    ])
    func `a schema that cannot be is named`(schema: String, words: String) throws {
        try PostgresServer.withDatabase(schema: String(repeating: "a", count: 63)) { subject in
            try subject.session().execute("CREATE SCHEMA one")
            let error = #expect(throws: CentralError.self) {
                let database = try PostgresDatabase(
                    url: PostgresServer.url(database: subject.name, schema: schema))
                defer { database.close() }
                try database.perform { _ = try $0.now() }
            }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `a schema that the role may not use is named`() throws {
        try PostgresServer.withDatabase(schema: "closed") { subject in
            let owner = try subject.session()
            let role = subject.name + "_role"
            try owner.execute("CREATE ROLE \(role) LOGIN PASSWORD 'secret'")
            defer { try? owner.execute("DROP ROLE \(role)") }
            let database = try PostgresDatabase(
                url: PostgresServer.url(database: subject.name, role: role, schema: "closed"))
            defer { database.close() }
            let error = #expect(throws: CentralError.self) {
                try database.perform { _ = try $0.now() }
            }
            #expect(error?.message.contains("USAGE") == true)
        }
    }
}
