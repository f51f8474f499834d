import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

/// A session that says it applies another server's changes passes by ordinary triggers.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `A session in the replication role replica` {
    static let plain = "CREATE TABLE item (id int PRIMARY KEY, a int, team text DEFAULT 'a')"
    static let partitioned = """
        CREATE TABLE item (id int PRIMARY KEY, a int, team text) PARTITION BY RANGE (id);
        CREATE TABLE low PARTITION OF item FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id);
        CREATE TABLE lowest PARTITION OF low FOR VALUES FROM (0) TO (50);
        CREATE TABLE rest PARTITION OF item DEFAULT
        """

    @Test(arguments: [plain, partitioned]) func `is tracked like any other`(schema: String) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(schema)
            try subject.attach()
            let table = try subject.table("item")
            try owner.execute("SET session_replication_role TO replica")
            try owner.execute("INSERT INTO item VALUES (1, 1), (2, 2), (3, 3), (200, 4)")
            #expect(try subject.tracked(table) == ["+1", "+2", "+3", "+200"])
            let checkpoint = try subject.checkpoint()
            try owner.execute(
                "UPDATE item SET a = 9 WHERE id = 1; UPDATE item SET id = 201 WHERE id = 2; DELETE FROM item WHERE id = 3"
            )
            #expect(try subject.changes(table, since: checkpoint) == ["+1", "-2", "+201", "-3"])
            try owner.execute("TRUNCATE item")
            #expect(
                try subject.changes(table, since: checkpoint) == ["-1", "-2", "-201", "-3", "-200"])
            // A second attach leaves them so.
            try subject.attach()
            try owner.execute("INSERT INTO item VALUES (7, 1)")
            #expect(try subject.changes(table, since: checkpoint).contains("+7"))
        }
    }

    @Test func `is tracked in a partition that came later`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(Self.partitioned)
            try subject.attach()
            let table = try subject.table("item")
            try owner.execute(
                """
                CREATE TABLE low2 PARTITION OF low FOR VALUES FROM (50) TO (100);
                SET session_replication_role TO replica; INSERT INTO low2 VALUES (60, 1)
                """)
            #expect(try subject.tracked(table) == ["+60"])
        }
    }

    @Test func `moves rows between scopes`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE list (id int PRIMARY KEY, name text);
                CREATE TABLE line (id int PRIMARY KEY, list int REFERENCES list);
                CREATE TABLE seat (list int REFERENCES list, person text, PRIMARY KEY (list, person))
                """)
            try subject.attach(
                scopes: ScopeSettings(
                    rules: [
                        "list": [ScopeRule(.members(of: "seat", kind: "person", "person"))],
                        "line": [ScopeRule(.through(["list"]))],
                        "seat": [ScopeRule(.through(["list"]))],
                    ], holdings: ["person": .claim("person")]))
            try owner.execute(
                """
                INSERT INTO list VALUES (1, 'one'); INSERT INTO line VALUES (10, 1);
                INSERT INTO seat VALUES (1, 'ann'); SET session_replication_role TO replica;
                UPDATE seat SET person = 'bob'; INSERT INTO line VALUES (11, 1)
                """)
            let number = try subject.table("line").number
            func live() throws -> [[String?]] {
                try owner.rows(
                    "SELECT k0, scope FROM moorage_track_\(number)_line WHERE live ORDER BY 1")
            }
            #expect(try live() == [["10", "person/bob"], ["11", "person/bob"]])
            try owner.execute("TRUNCATE seat")
            #expect(try live() == [])
        }
    }

    /// Before, Moorage's triggers were ordinary ones.
    @Test func `is tracked after the next attach, which reads the table again`() throws {
        for schema in [Self.plain, Self.partitioned] {
            try PostgresServer.withDatabase { subject in
                let owner = try subject.session()
                try owner.execute(schema)
                try subject.attach()
                let table = try subject.table("item")
                try owner.execute("INSERT INTO item VALUES (1, 1), (2, 1)")
                let triggers = try owner.rows(
                    """
                    SELECT format('ALTER TABLE %s ENABLE TRIGGER %I', tgrelid::regclass, tgname)
                    FROM pg_trigger WHERE tgname LIKE 'moorage%'
                    """)
                for statement in triggers { try owner.execute(try #require(statement[0])) }
                let checkpoint = try subject.checkpoint()
                try owner.execute(
                    """
                    SET session_replication_role TO replica;
                    UPDATE item SET a = 2 WHERE id = 1; DELETE FROM item WHERE id = 2
                    """)
                #expect(try subject.changes(table, since: checkpoint) == [])
                try subject.attach()
                #expect(try subject.changes(table, since: checkpoint) == ["+1", "-2"])
                try owner.execute("INSERT INTO item VALUES (3, 1)")
                #expect(try subject.changes(table, since: checkpoint) == ["+1", "-2", "+3"])
                let other = try subject.checkpoint()
                try subject.attach()
                #expect(try subject.changes(table, since: other) == [])
            }
        }
    }

    @Test(arguments: [plain, partitioned])
    func `is passed by where a role attached that does not own the table`(schema: String) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            let role = subject.name + "_hub"
            try owner.execute(
                """
                \(schema); CREATE ROLE \(role) LOGIN PASSWORD 'secret';
                GRANT CREATE, USAGE ON SCHEMA public TO \(role);
                GRANT SELECT, UPDATE, TRIGGER ON ALL TABLES IN SCHEMA public TO \(role)
                """)
            defer { try? owner.execute("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
            let hub = try PostgresDatabase(
                url: PostgresServer.url(database: subject.name, role: role))
            defer { hub.close() }
            func attach() throws {
                _ = try hub.perform { try Attachment(on: $0) { "id" }.attach(tables: nil) }
            }
            try attach()
            let table = try subject.table("item")
            try owner.execute("INSERT INTO item VALUES (1, 1)")
            let checkpoint = try subject.checkpoint()
            // It is as good as it can be, and nobody has to read it again.
            try attach()
            #expect(try subject.changes(table, since: checkpoint) == [])
            #expect(
                try owner.rows(
                    "SELECT DISTINCT tgenabled FROM pg_trigger WHERE tgname LIKE 'moorage%'")
                    == [["O"]])
        }
    }

    @Test func `that applies a subscription's changes fires no statement triggers, and is refused`()
        throws
    {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                \(Self.plain); CREATE SUBSCRIPTION \(subject.name) CONNECTION 'host=127.0.0.1 port=1'
                  PUBLICATION none WITH (connect = false)
                """)
            defer {
                try? owner.execute(
                    """
                    DELETE FROM pg_subscription_rel; ALTER SUBSCRIPTION \(subject.name) DISABLE;
                    ALTER SUBSCRIPTION \(subject.name) SET (slot_name = NONE); DROP SUBSCRIPTION \(subject.name)
                    """)
            }
            let stamp = try subject.postgres.perform { try $0.schemaStamp() }
            // What a refresh of the subscription writes.
            try owner.execute(
                """
                SET allow_system_table_mods TO on;
                INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate)
                SELECT oid, 'item'::regclass, 'r' FROM pg_subscription WHERE subname = '\(subject.name)'
                """)
            #expect(try subject.postgres.perform { try $0.schemaStamp() } != stamp)
            let tables = try subject.postgres.perform { try $0.readTables() }
            guard case .unsupported(let reason) = tables[0].support else {
                Issue.record("it is supported")
                return
            }
            #expect(reason.contains("subscription"))
        }
    }
}
