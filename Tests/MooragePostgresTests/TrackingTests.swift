import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `Tracking in PostgreSQL` {
    static let schema = "CREATE TABLE item (id text PRIMARY KEY, a int, b text)"

    func prepared(
        _ schema: String = schema,
        _ work: (PostgresSubject, PostgresSession, AttachedTable) throws -> Void
    ) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(schema)
            try subject.attach()
            try work(subject, owner, try subject.table("item"))
        }
    }

    @Test(arguments: [
        ("INSERT INTO item VALUES ('x', 1), ('y', 2)", ["+x", "+y"]),
        (
            "INSERT INTO item SELECT 'n' || g, g FROM generate_series(1, 3) g",
            ["+n1", "+n2", "+n3"]
        ),
        (
            "INSERT INTO item VALUES ('p', 9), ('x', 1) ON CONFLICT (id) DO UPDATE SET a = excluded.a",
            ["+p", "+x"]
        ),
        ("INSERT INTO item VALUES ('p', 9) ON CONFLICT DO NOTHING", []),
        ("UPDATE item SET a = a + 1 WHERE id IN ('p', 'q')", ["+p", "+q"]),
        ("UPDATE item SET a = a", []),
        ("UPDATE item SET id = 'z' WHERE id = 'p'", ["-p", "+z"]),
        ("UPDATE item SET id = upper(id)", ["-p", "-q", "-r", "+P", "+Q", "+R"]),
        (
            "UPDATE item SET id = CASE id WHEN 'p' THEN 'q' ELSE 'p' END WHERE id IN ('p', 'q')",
            ["+p", "+q"]
        ),
        ("DELETE FROM item WHERE id = 'p'", ["-p"]),
        ("DELETE FROM item", ["-p", "-q", "-r"]),
        ("TRUNCATE item", ["-p", "-q", "-r"]),
        (
            "WITH gone AS (DELETE FROM item WHERE id = 'p' RETURNING a) INSERT INTO item SELECT 'w', a FROM gone",
            ["-p", "+w"]
        ),
        (
            "MERGE INTO item USING (VALUES ('p', 5), ('m', 6)) s(id, a) ON item.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.a)",
            ["-p", "+m"]
        ),
        ("DELETE FROM item WHERE id = 'p'; INSERT INTO item VALUES ('p', 1)", ["+p"]),
        (
            "BEGIN; SAVEPOINT s; DELETE FROM item; ROLLBACK TO s; UPDATE item SET a = 0 WHERE id = 'q'; COMMIT",
            ["+q"]
        ),
        ("BEGIN; DELETE FROM item; ROLLBACK", []),
        ("COPY item (id, a) FROM PROGRAM 'echo c,1' (FORMAT csv)", ["+c"]),
    ]) func `a statement leaves exactly its rows`(sql: String, expected: [String]) throws {
        let schema = Self.schema.replacing(
            "item (id text PRIMARY KEY", with: "item (id text COLLATE \"C\" PRIMARY KEY DEFERRABLE")
        let usesConflict = sql.contains("ON CONFLICT")
        try prepared(usesConflict ? Self.schema : schema) { subject, owner, table in
            try owner.execute("INSERT INTO item VALUES ('p', 1), ('q', 2), ('r', 3)")
            let checkpoint = try subject.checkpoint()
            try owner.execute(sql)
            #expect(try subject.changes(table, since: checkpoint) == Set(expected))
        }
    }

    @Test func `a trigger of the owner's that deletes what was inserted leaves a tombstone`() throws
    {
        try prepared { subject, owner, table in
            try owner.execute(
                """
                CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS
                $$BEGIN DELETE FROM item WHERE id = NEW.id AND NEW.a < 0; RETURN NULL; END$$;
                CREATE TRIGGER undo AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION undo()
                """)
            let checkpoint = try subject.checkpoint()
            try owner.execute("INSERT INTO item VALUES ('x', -1), ('y', 1)")
            #expect(try subject.tracked(table) == ["-x", "+y"])
            // Nobody ever saw it.
            #expect(try subject.changes(table, since: checkpoint) == ["+y"])
        }
    }

    @Test func `cascades are tracked`() throws {
        let schema =
            Self.schema
                + """
                ; CREATE TABLE part (item text REFERENCES item ON DELETE CASCADE ON UPDATE CASCADE, n int,
                  PRIMARY KEY (item, n))
                """
        try prepared(schema) { subject, owner, _ in
            let part = try subject.table("part")
            try owner.execute(
                "INSERT INTO item VALUES ('x', 1), ('y', 2); INSERT INTO part VALUES ('x', 1), ('y', 2)"
            )
            let checkpoint = try subject.checkpoint()
            try owner.execute("DELETE FROM item WHERE id = 'x'; UPDATE item SET id = 'z'")
            #expect(try subject.changes(part, since: checkpoint) == ["-x,1", "-y,2", "+z,2"])
        }
    }

    @Test func `keys that a collation calls equal are two keys`() throws {
        let schema = """
            CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
            CREATE TABLE item (id text COLLATE nocase PRIMARY KEY, a int)
            """
        try prepared(schema) { subject, owner, table in
            try owner.execute("INSERT INTO item VALUES ('abc', 1)")
            let checkpoint = try subject.checkpoint()
            try owner.execute("UPDATE item SET id = 'ABC'")
            #expect(try subject.changes(table, since: checkpoint) == ["-abc", "+ABC"])
            let keys = ["abc", "ABC"].map { table.description.key([.text($0)]) }
            let rows = try subject.write { try $0.lockRows(table, keys: keys) }
            #expect(rows[keys[0]]?.values == nil)
            #expect(rows[keys[1]]?.values?[1] == .integer(1))
        }
    }

    @Test func `rows of partitions are tracked, wherever they are written`() throws {
        let schema = """
            CREATE TABLE item (id int, a int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
            CREATE TABLE item_low PARTITION OF item FOR VALUES FROM (0) TO (100);
            CREATE TABLE item_high (a int, id int NOT NULL);
            ALTER TABLE item ATTACH PARTITION item_high FOR VALUES FROM (100) TO (200)
            """
        try prepared(schema) { subject, owner, table in
            let checkpoint = try subject.checkpoint()
            try owner.execute(
                """
                INSERT INTO item VALUES (1, 1), (101, 1);
                INSERT INTO item_low VALUES (2, 1); INSERT INTO item_high (id) VALUES (102);
                UPDATE item SET id = 150 WHERE id = 1; DELETE FROM item_high WHERE id = 102
                """)
            #expect(try subject.tracked(table) == ["-1", "+150", "+101", "+2", "-102"])
            #expect(try subject.changes(table, since: checkpoint) == ["+150", "+101", "+2"])
            try owner.execute("TRUNCATE item_low")
            #expect(try subject.tracked(table) == ["-1", "+150", "+101", "-2", "-102"])
            #expect(try subject.changes(table, since: checkpoint) == ["+150", "+101", "-2"])
            // A second attach finds everything in its place.
            try subject.attach()
            try owner.execute(
                "CREATE TABLE item_top PARTITION OF item FOR VALUES FROM (200) TO (300)")
            try owner.execute("INSERT INTO item_top VALUES (250, 1)")
            #expect(try subject.changes(table, since: checkpoint).contains("+250"))
        }
    }

    @Test func `a role with rights on the owner's tables only goes on writing`() throws {
        try prepared { subject, owner, table in
            let role = subject.name + "_role"
            try owner.execute(
                """
                CREATE ROLE \(role) LOGIN PASSWORD 'secret';
                GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON item TO \(role)
                """)
            defer { try? owner.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
            let checkpoint = try subject.checkpoint()
            let other = try subject.session(role: role)
            try other.execute(
                "SET search_path TO pg_temp; CREATE TEMP TABLE moorage_track_1_item (k0 text)")
            try other.execute("INSERT INTO public.item VALUES ('x', 1), ('y', 1), ('z', 1)")
            try other.execute(
                "UPDATE public.item SET a = 2; DELETE FROM public.item WHERE id = 'y'")
            #expect(try subject.changes(table, since: checkpoint) == ["+x", "-y", "+z"])
            #expect(throws: CentralError.self) {
                try other.execute("SELECT * FROM public.moorage_track_1_item")
            }
        }
    }

    @Test func `a hub with rights on some columns only moves rows between scopes`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            let role = subject.name + "_hub"
            try owner.execute(
                """
                CREATE TABLE item (
                  id bigint PRIMARY KEY, tenant bigint NOT NULL, note text, secret text);
                CREATE ROLE \(role) LOGIN PASSWORD 'secret';
                GRANT CREATE, USAGE ON SCHEMA public TO \(role);
                GRANT SELECT (id, tenant, note), INSERT, UPDATE, DELETE, TRIGGER ON item TO \(role)
                """)
            defer { try? owner.execute("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
            let hub = try PostgresDatabase(
                url: PostgresServer.url(database: subject.name, role: role))
            defer { hub.close() }
            let scopes = ScopeSettings(
                rules: ["item": [ScopeRule(.column(kind: "tenant", "tenant"))]],
                holdings: ["tenant": .claim("tenant")])
            try hub.perform { connection in
                _ = try Attachment(on: connection, scopes: scopes) { UUID().uuidString }
                    .attach(tables: nil)
            }
            try owner.execute(
                "INSERT INTO item VALUES (1, 1, 'n', 's'); UPDATE item SET tenant = 2, note = 'm'")
            let live = try subject.postgres.perform {
                try $0.run("SELECT scope FROM moorage_track_1_item WHERE live", [])
            }
            #expect(live == [[.text("tenant/2")]])
        }
    }

    @Test func `no change of the schema makes the owner's statement fail`() throws {
        try prepared { subject, owner, table in
            // The same session throughout: its functions have their plans.
            try owner.execute("INSERT INTO item VALUES ('x', 1, 'b'); UPDATE item SET a = 2")
            let checkpoint = try subject.checkpoint()
            try owner.execute("ALTER TABLE item ADD COLUMN c int DEFAULT 7; UPDATE item SET c = 8")
            #expect(try subject.changes(table, since: checkpoint) == ["+x"])
            try owner.execute("ALTER TABLE item DROP COLUMN b; UPDATE item SET c = 9")
            try owner.execute("ALTER TABLE item ALTER COLUMN a TYPE bigint; UPDATE item SET a = 3")
            try owner.execute("INSERT INTO item VALUES ('y', 1, 1)")
            #expect(try subject.changes(table, since: checkpoint) == ["+x", "+y"])
            try owner.execute("ALTER TABLE item RENAME id TO code; UPDATE item SET a = 4")
            try owner.execute(
                "INSERT INTO item VALUES ('z', 1, 1); DELETE FROM item WHERE code = 'y'")
            try owner.execute(
                "ALTER TABLE item RENAME TO thing; UPDATE thing SET a = 5; TRUNCATE thing")
        }
    }

    @Test func `a change of columns that are not synced is none`() throws {
        try prepared { subject, owner, table in
            let narrow = try #require(table.description.restricted(to: ["id", "a"]))
            let part = AttachedTable(number: table.number, description: narrow)
            try subject.postgres.perform { connection in
                for step in try connection.attachSteps(for: part, previous: table) {
                    try connection.runStep(step)
                }
            }
            try owner.execute("INSERT INTO item VALUES ('x', 1, 'b'), ('y', 1, 'b')")
            let checkpoint = try subject.checkpoint()
            try owner.execute("UPDATE item SET b = 'c'; UPDATE item SET a = 2 WHERE id = 'y'")
            #expect(try subject.changes(part, since: checkpoint) == ["+y"])
            try owner.execute("ALTER TABLE item DROP COLUMN a; UPDATE item SET b = 'd'")
        }
    }

    /// With a loop in a loop the update would take minutes; it takes about a second.
    @Test func `a plan that was made for one row serves many`() throws {
        try prepared { subject, owner, table in
            try owner.execute("INSERT INTO item VALUES ('x', 1); UPDATE item SET a = 2")
            let checkpoint = try subject.checkpoint()
            try owner.execute("INSERT INTO item SELECT g::text, g FROM generate_series(1, 50000) g")
            try owner.execute("SET statement_timeout TO '120s'; UPDATE item SET a = a + 1")
            #expect(try subject.changes(table, since: checkpoint).count == 50_001)
        }
    }

    @Test func `triggers that were disabled make everyone read the table again`() throws {
        try prepared { subject, owner, table in
            try owner.execute("INSERT INTO item VALUES ('x', 1), ('y', 1), ('z', 1)")
            let checkpoint = try subject.checkpoint()
            let stamp = try subject.postgres.perform { try $0.schemaStamp() }
            try owner.execute("ALTER TABLE item DISABLE TRIGGER USER")
            #expect(try subject.postgres.perform { try $0.schemaStamp() } != stamp)
            try owner.execute(
                "UPDATE item SET a = 2 WHERE id = 'x'; DELETE FROM item WHERE id = 'y'")
            #expect(try subject.changes(table, since: checkpoint) == [])
            try subject.attach()
            #expect(try subject.changes(table, since: checkpoint) == ["+x", "-y", "+z"])
            let after = try subject.checkpoint()
            try owner.execute("UPDATE item SET a = 3 WHERE id = 'x'")
            #expect(try subject.changes(table, since: after) == ["+x"])
        }
    }

    @Test func `attaching again changes nothing, and detaching removes every trace`() throws {
        try prepared { subject, owner, table in
            try owner.execute("INSERT INTO item VALUES ('x', 1)")
            let checkpoint = try subject.checkpoint()
            try subject.attach()
            #expect(try subject.changes(table, since: checkpoint) == [])
            try subject.postgres.perform { try Attachment(on: $0, makeID: { "id" }).detach() }
            let traces = try owner.cell(
                """
                SELECT (SELECT count(*) FROM pg_class WHERE relname LIKE 'moorage%')
                     + (SELECT count(*) FROM pg_proc WHERE proname LIKE 'moorage%')
                     + (SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'moorage%')
                """)
            #expect(traces == "0")
        }
    }

    @Test func `a row that came back is still one that a replica may hold`() throws {
        try prepared { subject, owner, table in
            try owner.execute("INSERT INTO item VALUES ('x', 1)")
            let checkpoint = try subject.checkpoint()
            try owner.execute("DELETE FROM item")
            try owner.execute("INSERT INTO item VALUES ('x', 2), ('new', 1)")
            try owner.execute("DELETE FROM item")
            let rows = try subject.snapshot {
                try $0.trackedRows(
                    table, in: .everything, .beyond(since: checkpoint, within: nil), after: nil,
                    limit: 9)
            }
            let before = rows.filter(\.wasLiveBefore).map { $0.key.values[0] }
            #expect(rows.count == 2)
            #expect(before == [.text("x")])
        }
    }

    @Test func `a detach finds what is left by its name where Moorage's own tables are gone`()
        throws
    {
        for table in ["moorage_meta", "moorage_table"] {
            try PostgresServer.withDatabase(schema: "My schema") { subject in
                let owner = try subject.session()
                try owner.execute(
                    """
                    CREATE TABLE item (id int PRIMARY KEY, team text);
                    CREATE TABLE part (id int PRIMARY KEY, item int REFERENCES item);
                    CREATE FUNCTION moorage_mine() RETURNS int LANGUAGE sql AS 'SELECT 1'
                    """)
                let scopes = ScopeSettings(rules: [
                    "item": [ScopeRule(.column(kind: "team", "team"))],
                    "part": [ScopeRule(.through(["item"]))],
                ])
                try subject.attach(scopes: scopes)
                try owner.execute("DROP TABLE \(table)")
                try subject.postgres.perform { try Attachment(on: $0) { "id" }.detach() }
                let left = """
                    SELECT relname FROM pg_class WHERE relname LIKE 'moorage%' UNION ALL
                    SELECT tgname FROM pg_trigger WHERE tgname LIKE 'moorage%' UNION ALL
                    SELECT proname FROM pg_proc WHERE proname LIKE 'moorage%'
                    """
                #expect(try owner.rows(left) == [["moorage_mine"]])
                try owner.execute("INSERT INTO item VALUES (1, 'a')")
            }
        }
    }
}
