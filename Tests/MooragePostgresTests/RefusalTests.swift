import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MooragePostgres

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `Errors of PostgreSQL` {
    static let schema = """
        CREATE TABLE t (id int PRIMARY KEY, i smallint, v varchar(3), n numeric(4,2), d date, j jsonb, x text UNIQUE,
          b boolean, r float8, u uuid, CHECK (i <> 13));
        CREATE FUNCTION picky() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
          IF NEW.v = 'bad' THEN RAISE EXCEPTION 'the value % is secret-4711', NEW.v; END IF;
          IF NEW.v = 'div' THEN NEW.i := 1 / (NEW.id - NEW.id); END IF;
          RETURN NEW; END$$;
        CREATE TRIGGER picky BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION picky();
        CREATE TABLE room (id int PRIMARY KEY, span int4range, EXCLUDE USING gist (span WITH &&))
        """

    private static let misfits: [(Int, Value, Refusal.Code, String)] = [
        (1, .text("abc"), .type, "column i"),
        (1, .integer(40000), .type, "column i"),
        (1, .real(1.5), .type, "column i"), (1, .integer(13), .check, "t_i_check"),
        (2, .text("abcd"), .type, "column v"), (2, .text("a\0b"), .notRepresentable, "column v"),
        (2, .blob([1]), .type, "column v"), (2, .text("bad"), .trigger, "picky"),
        (3, .text("abc"), .type, "column n"), (3, .text("NaN"), .type, "column n"),
        (3, .text("123.45"), .type, ""), (4, .text("now"), .type, "column d"),
        (4, .text("2024-02-30"), .type, "column d"), (4, .text("infinity"), .type, "column d"),
        (5, .text("{"), .type, "column j"), (5, .text("\"\\u0000\""), .notRepresentable, ""),
        (7, .text("yes-no"), .type, "column b"), (8, .text("x"), .type, "column r"),
        (9, .text("x"), .type, "column u"),
    ]

    @Test func `a value that does not fit is refused by name`() throws {
        try PostgresServer.withDatabase { subject in
            try subject.session().execute(Self.schema)
            try subject.attach()
            let table = try subject.table("t")
            for (place, (column, value, code, words)) in Self.misfits.enumerated() {
                try subject.write { connection in
                    try connection.savepoint()
                    let refusal = try refusal {
                        try connection.insert(
                            table, columns: [0, column], rows: [[.integer(1), value]])
                    }
                    #expect(refusal.code == code, "\(value): \(refusal.message)")
                    #expect(refusal.message.contains(words), "\(value): \(refusal.message)")
                    // An owner's own words are for whoever made the change; the server's never go on.
                    #expect(refusal.message.contains("4711") == (code == .trigger), "\(value)")
                    try connection.rollbackToSavepoint()
                    // The transaction goes on.
                    let other = Value.integer(Int64(place + 2))
                    try connection.insert(table, columns: [0], rows: [[other]])
                }
            }
        }
    }

    @Test func `exclusion counts as unique, and keys that cannot be are absent`() throws {
        try PostgresServer.withDatabase { subject in
            try subject.session().execute(Self.schema)
            try subject.attach()
            let (room, table) = (try subject.table("room"), try subject.table("t"))
            let excluded = try refusal {
                try subject.write {
                    try $0.insert(
                        room, columns: [0, 1],
                        rows: [[.integer(1), .text("[1,5)")], [.integer(2), .text("[2,3)")]])
                }
            }
            #expect(excluded.code == .unique)
            let keys = [
                RowKey([.text("abc")]), RowKey([.null]), RowKey([.integer(.max)]),
                RowKey([.blob([])]),
                RowKey([.real(.nan)]),
            ]
            let rows = try subject.write { try $0.lockRows(table, keys: keys) }
            #expect(keys.allSatisfy { rows[$0] == .absent })
        }
    }

    /// A trigger says what the server says when its disk is full.
    @Test func `a full disk is unavailable, and no fault of the row's`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE t (id int PRIMARY KEY);
                CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                  RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END$$;
                CREATE TRIGGER fill BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION fill()
                """)
            try subject.attach()
            let table = try subject.table("t")
            let error = #expect(throws: CentralError.self) {
                try subject.write { try $0.insert(table, columns: [0], rows: [[.integer(1)]]) }
            }
            #expect(error?.kind == .unavailable)
            #expect(error?.message.contains("53100") == true, "\(error?.message ?? "")")
            try owner.execute("DROP TRIGGER fill ON t")
            try subject.write { try $0.insert(table, columns: [0], rows: [[.integer(1)]]) }
            #expect(try owner.cell("SELECT count(*) FROM t") == "1")
        }
    }

    @Test func `a lock that does not come is a conflict`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(Self.schema + "; INSERT INTO t (id) VALUES (1)")
            try subject.attach()
            let table = try subject.table("t")
            let impatient = try PostgresDatabase(
                url: PostgresServer.url(database: subject.name),
                options: .init(lockTimeout: .milliseconds(50), stepLockTimeout: .milliseconds(50)))
            defer { impatient.close() }
            try owner.execute("BEGIN; UPDATE t SET i = 1")
            func kind(_ work: (any CentralConnection) throws -> Void) throws -> CentralError.Kind? {
                do {
                    try impatient.perform(work)
                    return nil
                } catch let error as CentralError { return error.kind }
            }
            #expect(
                try kind {
                    try $0.begin(.write)
                    _ = try $0.lockRows(table, keys: [table.description.key([.integer(1)])])
                } == .conflict)
            #expect(
                try kind { connection in
                    for step in try connection.attachSteps(for: table, previous: table) {
                        try connection.runStep(step)
                    }
                } == .conflict)
            try owner.execute("ROLLBACK")
        }
    }

    @Test func `a server that does not answer is unavailable, and no password is told`() throws {
        let nobody = try ClosedPort()
        for url in [
            "postgres://me:hunter2@127.0.0.1:\(nobody.number)/none",
            "postgres://me:hunter2@127.0.0.1:x/none",
            "mysql://me:hunter2@localhost/none",
        ] {
            do {
                try PostgresDatabase(url: url).perform { _ in }
                Issue.record("it answered")
            } catch let error as CentralError {
                #expect(!"\(error) \(error.kind)".contains("hunter2"))
                #expect(error.kind == .unavailable || error.kind == .failed)
            }
        }
        withExtendedLifetime(nobody) {}
    }

    @Test func `who is not let in is told what to correct, in no hurry to try again`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            let role = subject.name + "_role"
            try owner.execute(
                """
                CREATE ROLE \(role) LOGIN PASSWORD 'secret'; CREATE ROLE \(role)_2 PASSWORD 'secret';
                REVOKE CONNECT ON DATABASE \(subject.name) FROM PUBLIC
                """)
            defer { try? owner.execute("DROP ROLE \(role); DROP ROLE \(role)_2") }
            func message(_ url: String, _ kind: CentralError.Kind = .failed) throws -> String {
                do {
                    try PostgresDatabase(url: url).perform { _ in }
                } catch let error as CentralError {
                    #expect(error.kind == kind, "\(error.message)")
                    return error.message
                }
                throw TestFailure("it was let in")
            }
            func url(_ database: String, _ role: String) throws -> String {
                try PostgresServer.url(database: database, role: role)
            }
            let good = try url("postgres", role)
            let wrong = good.replacing(":secret@", with: ":wrong@")
            #expect(try message(wrong).contains("28P01"))
            #expect(try !message(wrong).contains("wrong"))
            #expect(try message(url("postgres", "nobody_at_all")).contains("user and the password"))
            #expect(try message(url("postgres", role + "_2")).contains("28000"))
            #expect(try message(url("no_such_database", role)).contains("name of the database"))
            #expect(try message(url(subject.name, role)).contains("CONNECT"))
            #expect(try message("postgres://me@127.0.0.1:99999/none").contains("port"))
            try owner.execute("ALTER ROLE \(role) CONNECTION LIMIT 0")
            #expect(try message(good, .unavailable).contains("does not answer"))
        }
    }

    @Test func `that there is no connection is said once`() async throws {
        let nobody = try ClosedPort()
        let url = "postgres://me@127.0.0.1:\(nobody.number)/none"
        let database = try PostgresDatabase(url: url)
        let error = await #expect(throws: HubError.self) {
            try await Hub(database: database).schema()
        }
        #expect(error?.code == .databaseUnavailable)
        #expect(error?.message.ranges(of: "does not answer").count == 1)
        withExtendedLifetime(nobody) {}
    }

    @Test func `a connection that the server ended is opened again`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            func process() throws -> Value {
                try subject.postgres.perform { try $0.run("SELECT pg_backend_pid()", [])[0][0] }
            }
            let first = try process()
            try owner.execute("SELECT pg_terminate_backend(\(first.plain), 60000)")
            #expect(try process() != first)
            #expect(throws: CentralError.self) {
                try subject.postgres.perform { connection in
                    let own = try connection.run("SELECT pg_backend_pid()", [])[0][0]
                    try owner.execute("SELECT pg_terminate_backend(\(own.plain), 60000)")
                    _ = try connection.run("SELECT 1", [])
                }
            }
            #expect(try subject.postgres.perform { try $0.now() } > 0)
        }
    }

    @Test func `a changed table is read in its new shape`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                "CREATE TABLE t (id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 2)")
            try subject.attach()
            let table = try subject.table("t")
            let key = table.description.key([.integer(1)])
            func read() throws -> [Value] {
                try subject.postgres.perform { connection in
                    _ = try connection.schemaStamp()
                    return try connection.rows(table, keys: [key], in: [.everything])[0]
                }
            }
            #expect(try read() == [.integer(1), .integer(2)])
            try owner.execute("ALTER TABLE t ALTER COLUMN a TYPE numeric(5,2)")
            #expect(try read() == [.integer(1), .text("2.00")])
        }
    }
}
