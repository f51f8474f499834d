import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

/// Locks and settings.
@Suite(.ownThreads) struct `A doctor's look at the server` {
    private static let servers = CentreKind.available.filter { $0 != .sqlite }
    private static let note = [
        "CREATE TABLE note (id TEXT NOT NULL PRIMARY KEY, body TEXT)",
        "INSERT INTO note VALUES ('a', 'x')",
    ]

    // MARK: Locks

    @Test(arguments: servers)
    func `goes on where a table is locked, and says what it could not see`(kind: CentreKind)
        async throws
    {
        let schema = Self.note + ["CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY)"]
        try await Patient.run(kind, schema) { patient in
            _ = try await patient.hub.attach()
            let session = try patient.centre.openSession()
            try session.run(
                kind == .postgres
                    ? "BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE"
                    : "LOCK TABLES orders WRITE")
            let notExamined = try await patient.findings(.notExamined)
            #expect(notExamined.map(\.severity) == [.note])
            #expect(notExamined.first?.message.contains("orders") == true)
            try session.run(kind == .postgres ? "ROLLBACK" : "UNLOCK TABLES")
            #expect(try await patient.findings(.notExamined) == [])
        }
    }

    // MARK: Settings

    @Test(.enabled(if: PostgresFixture.isThere))
    func `says which keys PostgreSQL calls equal and devices do not`() async throws {
        let schema = [
            """
            CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)
            """,
            "CREATE TABLE person (login text COLLATE ci PRIMARY KEY, email varchar(80) COLLATE ci UNIQUE)",
            "CREATE TABLE land (code char(3) PRIMARY KEY)",
        ]
        try await Patient.run(.postgres, schema, in: .anotherSchemaToo) { patient in
            let found = try await patient.cure(.keyCollation)
            #expect(found.map(\.table) == ["land", "person", "person"])
            #expect(found.map(\.severity) == [.warning, .warning, .note])
        }
    }

    @Test(.enabled(if: MariaDBFixture.isThere))
    func `says which keys MariaDB calls equal and devices do not`() async throws {
        let schema = [
            """
            CREATE TABLE person (login VARCHAR(40) COLLATE utf8mb4_general_ci NOT NULL PRIMARY KEY,
              email VARCHAR(80) COLLATE utf8mb4_bin UNIQUE)
            """
        ]
        try await Patient.run(.mariadb, schema) { patient in
            let found = try await patient.cure(.keyCollation)
            #expect(found.map(\.severity) == [.warning, .note])
            let type = """
                SELECT column_type FROM information_schema.columns
                WHERE table_schema = database() AND column_name = 'login'
                """
            #expect(try patient.centre.text(type) == "varchar(40)")
        }
    }

    @Test(.enabled(if: MariaDBFixture.isThere))
    func `says which texts cannot hold every character`() async throws {
        let schema = [
            "CREATE TABLE note (id INT PRIMARY KEY, body VARCHAR(80)) CHARACTER SET latin1"
        ]
        try await Patient.run(.mariadb, schema) { patient in
            let found = try await patient.cure(.textEncoding)
            #expect(found.map(\.table) == ["note"])
        }
    }

    @Test(.enabled(if: MariaDBFixture.isThere), arguments: [true, false])
    func `mends character sets and collations without undoing either`(isKeyFirst: Bool)
        async throws
    {
        let schema = [
            """
            CREATE TABLE item (
              code VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_bin PRIMARY KEY COMMENT 'the ''code''',
              name VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci NOT NULL DEFAULT 'it''s'
                COMMENT 'a name',
              tag VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_general_ci DEFAULT 'x' UNIQUE,
              body TINYTEXT CHARACTER SET latin1 COLLATE latin1_swedish_ci,
              other VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci
            ) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin
            """, "INSERT INTO item (code, tag, body) VALUES ('a', NULL, 'é'), ('A', 'y', NULL)",
        ]
        try await Patient.run(.mariadb, schema) { patient in
            let centre = try #require(patient.centre as? MySQLCentre)
            let rows = "SELECT code, name, tag, body, other FROM item ORDER BY code"
            let before = try centre.owner.query(rows)
            let codes: [Finding.Code] = [.keyCollation, .textEncoding]
            let found = try await patient.findings().filter { codes.contains($0.code) }
            #expect(found.map(\.code) == [.keyCollation, .textEncoding, .keyCollation])
            try await patient.repair(isKeyFirst ? found : found.reversed())
            #expect(try await !patient.findings().contains { codes.contains($0.code) })
            #expect(try Set(centre.owner.query(rows)) == Set(before))
            let definition = try #require(try centre.owner.query("SHOW CREATE TABLE item")[0][1])
            #expect(
                definition == """
                    CREATE TABLE "item" (
                      "code" varchar(10) NOT NULL COMMENT 'the ''code''',
                      "name" varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_swedish_ci NOT NULL \
                    DEFAULT 'it''s' COMMENT 'a name',
                      "tag" varchar(9) DEFAULT 'x',
                      "body" text CHARACTER SET utf8mb4 COLLATE utf8mb4_swedish_ci DEFAULT NULL,
                      "other" varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci DEFAULT NULL,
                      PRIMARY KEY ("code"),
                      UNIQUE KEY "tag" ("tag")
                    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
                    """)
        }
    }

    @Test(.enabled(if: MariaDBFixture.isThere))
    func `leaves to its owner what a column would lose`() async throws {
        let schema = [
            """
            CREATE TABLE item (id SMALLINT PRIMARY KEY COMMENT 'a key',
              checked VARCHAR(9) CHARACTER SET latin1 CHECK (checked <> ''),
              made VARCHAR(40) CHARACTER SET latin1 DEFAULT concat('a', 'b'),
              hidden VARCHAR(9) CHARACTER SET latin1 INVISIBLE,
              sign VARCHAR(9) CHARACTER SET latin1 COMMENT 'a \\\\ b',
              cased VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_general_cs,
              plain VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin)
            """, "INSERT INTO item (id) VALUES (20000)",
        ]
        try await Patient.run(.mariadb, schema) { patient in
            let found = try await patient.findings(.textEncoding)
            let statements = found.flatMap(\.repair.statements)
            #expect(statements.count == 6)
            let left = statements.filter { !$0.hasPrefix("--") }
            #expect(left.count == 2)
            #expect(left.allSatisfy { $0.contains("`plain`") || $0.contains("`made`") })
            try await patient.repair(found)
            let wide = try await patient.cure(.keyRunsOut)
            #expect(wide[0].repair.statements[0].hasSuffix("COMMENT 'a key'"))
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `tells of sessions that are read-only by default, and of times without a zone`()
        async throws
    {
        let schema = ["CREATE TABLE visit (id uuid PRIMARY KEY, at timestamp)"]
        try await Patient.run(.postgres, schema, in: .anotherSchemaToo) { patient in
            let name = try #require(try patient.centre.text("SELECT current_database()"))
            try patient.centre.execute("ALTER DATABASE \(name) SET timezone = 'Asia/Kolkata'")
            try patient.centre.execute(
                "ALTER DATABASE \(name) SET default_transaction_read_only = on")
            // A new connection has the settings of new sessions.
            let later = Patient(centre: patient.centre, database: try patient.centre.connector())
            let zone = try #require(try await later.findings(.timeZone).first)
            #expect(zone.message.contains("Asia/Kolkata"))
            #expect(zone.message.contains("visit.at"))
            let retype = try #require(zone.repair.statements.first)
            #expect(retype.hasPrefix("-- "))
            try patient.centre.execute(String(retype.dropFirst(3)))
            #expect(try await later.findings(.timeZone) == [])
            let readOnly = try await later.findings(.readOnly)
            #expect(readOnly.count == 1)
            try await later.repair(readOnly)
            let last = Patient(centre: patient.centre, database: try patient.centre.connector())
            #expect(try await last.findings(.readOnly) == [])
        }
    }

    // MARK: SQLite

    @Test func `advises a journal beside which others can read`() async throws {
        try await Patient.run(.sqlite, Self.note, journal: "DELETE") { patient in
            let found = try await patient.cure(.journalMode)
            #expect(found.map(\.severity) == [.note])
        }
    }

    @Test func `sees that a file may not be written`() async throws {
        try await Patient.run(.sqlite, Self.note) { patient in
            let centre = try #require(patient.centre as? SQLiteCentre)
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: centre.path, configuration: configuration)
            let readOnly = Patient(centre: centre, database: SQLiteDatabase(queue: queue))
            let found = try await readOnly.findings(.readOnly)
            #expect(found.map(\.severity) == [.problem])
            try queue.close()
        }
    }

    @Test(arguments: ["", "WITHOUT ROWID"])
    func `finds rows that refer to nothing`(kind: String) async throws {
        let schema = [
            "CREATE TABLE parent (id TEXT NOT NULL PRIMARY KEY)",
            "CREATE TABLE child (id TEXT NOT NULL PRIMARY KEY, parent TEXT REFERENCES parent) \(kind)",
            "CREATE INDEX child_parent ON child (parent)",
        ]
        try await Patient.run(.sqlite, schema) { patient in
            #expect(try await patient.findings(.brokenReferences) == [])
            try patient.centre.execute("PRAGMA foreign_keys = OFF")
            try patient.centre.execute("INSERT INTO parent VALUES ('there')")
            try patient.centre.execute(
                "INSERT INTO child VALUES ('a', 'gone'), ('b', 'there'), ('c', NULL)")
            let found = try await patient.findings(.brokenReferences)
            #expect(found.map(\.table) == ["child"])
            #expect(found.first?.message.contains("gone") == false)
            // The owner follows the choice that the finding offers.
            let delete = try #require(found.first?.repair.statements.last)
            try patient.centre.execute(String(delete.dropFirst(3)))
            #expect(try await patient.findings(.brokenReferences) == [])
            #expect(try patient.centre.count("SELECT count(*) FROM child") == 2)
        }
    }

    @Test(arguments: servers)
    func `finds rows that refer to nothing on a server`(kind: CentreKind) async throws {
        let schema = [
            """
            CREATE TABLE parent (a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b))
            """,
            """
            CREATE TABLE child (id INTEGER NOT NULL PRIMARY KEY, a INTEGER, b INTEGER,
              FOREIGN KEY (a, b) REFERENCES parent (a, b))
            """,
            "CREATE INDEX child_parent ON child (a, b)",
            "INSERT INTO parent VALUES (1, 1)",
            "INSERT INTO child VALUES (1, 1, 1), (2, 9, NULL), (3, NULL, NULL)",
        ]
        try await Patient.run(kind, schema, in: .anotherSchemaToo) { patient in
            #expect(try await patient.findings(.brokenReferences) == [])
            let (off, on) =
                kind == .postgres
                ? (
                    "SET session_replication_role = replica",
                    "SET session_replication_role = origin"
                )
                : ("SET foreign_key_checks = 0", "SET foreign_key_checks = 1")
            for sql in [off, "INSERT INTO child VALUES (4, 1, 9), (5, 9, 9)", on] {
                try patient.centre.execute(sql)
            }
            let found = try await patient.findings(.brokenReferences)
            #expect(found.map(\.table) == ["child"])
            #expect(found.first?.message.contains("a, b names no row of parent") == true)
            let statements = try #require(found.first?.repair.statements)
            #expect(["4", "5"].contains(try patient.centre.text(statements[0])))
            try patient.centre.execute(String(statements[1].dropFirst(3)))
            #expect(try await patient.findings(.brokenReferences) == [])
            #expect(try patient.centre.count("SELECT count(*) FROM child") == 3)
        }
    }

    @Test func `says which keys SQLite calls equal and devices do not`() async throws {
        let schema = [
            """
            CREATE TABLE person (
              login TEXT COLLATE NOCASE PRIMARY KEY, email TEXT, name TEXT COLLATE NOCASE, plain TEXT UNIQUE)
            """,
            "CREATE UNIQUE INDEX person_email ON person (email COLLATE RTRIM, login)",
        ]
        try await Patient.run(.sqlite, schema) { patient in
            let found = try await patient.findings(.keyCollation)
            #expect(found.map(\.severity) == [.warning, .note])
            #expect(found.map { $0.message.contains("email") } == [false, true])
        }
    }
}
