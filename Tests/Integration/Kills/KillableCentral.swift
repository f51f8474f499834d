import Foundation
import GRDB

/// A central database for the kills, as its owner uses it.
protocol KillableCentral: AnyObject {
    var kind: CentreKind { get }
    /// The database as the command line names it.
    var argument: String { get }
    var environment: [String: String] { get }
    /// Runs the owner's SQL.
    func run(_ sql: String) throws
    func rows(_ sql: String) throws -> [[String]]
    /// Whether a push is in a transaction now and has written something.
    func isPushing() -> Bool
}

extension KillableCentral {
    /// Makes the owner's tables and triggers.
    func create() throws {
        for statement in KillSchema.statements(kind) { try run(statement) }
    }
}

/// What the kills sync: `item` and `detail`. `trail` belongs to the owner and is not synced. It has
/// each value of `body` once for each time that it was written.
enum KillSchema {
    static let tables = ["item", "detail"]

    /// The tables, and the triggers that record every value that is written.
    static func statements(_ kind: CentreKind) -> [String] {
        [
            """
            CREATE TABLE item (
              id bigint NOT NULL PRIMARY KEY, body text NOT NULL, n bigint NOT NULL,
              hits bigint NOT NULL)
            """,
            """
            CREATE TABLE detail (
              id bigint NOT NULL PRIMARY KEY, item_id bigint NOT NULL REFERENCES item(id),
              body text NOT NULL)
            """,
            "CREATE TABLE trail (body text NOT NULL)",
        ] + triggers(kind)
    }

    private static func triggers(_ kind: CentreKind) -> [String] {
        switch kind {
        case .sqlite:
            tables.flatMap { table in
                [
                    """
                    CREATE TRIGGER \(table)_in AFTER INSERT ON \(table)
                    BEGIN INSERT INTO trail VALUES (NEW.body); END
                    """,
                    """
                    CREATE TRIGGER \(table)_up AFTER UPDATE OF body ON \(table)
                    WHEN NEW.body IS NOT OLD.body BEGIN INSERT INTO trail VALUES (NEW.body); END
                    """,
                ]
            }
        case .postgres:
            [
                """
                CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  IF TG_OP = 'INSERT' OR NEW.body IS DISTINCT FROM OLD.body THEN
                    INSERT INTO public.trail VALUES (NEW.body);
                  END IF;
                  RETURN NULL;
                END $$
                """
            ]
                + tables.map {
                    """
                    CREATE TRIGGER keep AFTER INSERT OR UPDATE ON \($0)
                      FOR EACH ROW EXECUTE FUNCTION keep()
                    """
                }
        case .mariadb:
            tables.flatMap { table in
                [
                    """
                    CREATE TRIGGER \(table)_in AFTER INSERT ON \(table)
                    FOR EACH ROW INSERT INTO trail VALUES (NEW.body)
                    """,
                    """
                    CREATE TRIGGER \(table)_up AFTER UPDATE ON \(table) FOR EACH ROW
                      IF NOT (NEW.body <=> OLD.body) THEN INSERT INTO trail VALUES (NEW.body); END IF
                    """,
                ]
            }
        }
    }

    static let secret = "kill-0123456789-0123456789-abcdef"

    /// A database's URL for a command line, and the environment with the password. A command line
    /// never contains a password.
    static func commandLine(_ url: String) throws -> (
        argument: String, environment: [String: String]
    ) {
        guard var parts = URLComponents(string: url) else {
            throw ChildProcess.Failure(description: "no URL")
        }
        let password = parts.password
        parts.password = password == nil ? nil : "PASSWORD"
        guard let text = parts.string else { throw ChildProcess.Failure(description: "no URL") }
        return (
            text.replacingOccurrences(of: ":PASSWORD@", with: ":${MOORAGE_KILL_PASSWORD}@"),
            ["MOORAGE_SECRET": secret, "MOORAGE_KILL_PASSWORD": password ?? ""]
        )
    }
}

final class KillableSQLite: KillableCentral {
    let kind = CentreKind.sqlite
    private let path: String
    private let queue: DatabaseQueue

    init(folder: URL) throws {
        path = folder.appending(path: "central.db").path
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    var argument: String { "sqlite:\(path)" }
    let environment = ["MOORAGE_SECRET": KillSchema.secret]

    func run(_ sql: String) throws { try queue.write { try $0.execute(sql: sql) } }

    func rows(_ sql: String) throws -> [[String]] {
        try queue.read { try KillableReplica.texts($0, sql) }
    }

    /// The rollback journal exists: the session has written and not committed.
    func isPushing() -> Bool { KillableReplica.hasJournal(path) }
}

final class KillablePostgres: KillableCentral {
    let kind = CentreKind.postgres
    private let link: WriterLink
    let argument: String
    let environment: [String: String]

    init(_ database: WriterDatabase) throws {
        link = try database.open()
        (argument, environment) = try KillSchema.commandLine(database.url)
    }

    func run(_ sql: String) throws { try link.run(sql) }
    func rows(_ sql: String) throws -> [[String]] { try link.run(sql) }

    /// Another session has a transaction that has written.
    func isPushing() -> Bool {
        let sql = """
            SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
              AND backend_xid IS NOT NULL
            """
        do { return try !link.run(sql).isEmpty } catch { return false }
    }
}

final class KillableMariaDB: KillableCentral {
    let kind = CentreKind.mariadb
    private let link: MySQLLink
    private let name: String
    let argument: String
    let environment: [String: String]

    init() throws {
        let (name, url) = try MariaDBFixture.makeDatabase()
        self.name = name
        link = try MySQLLink(url: url)
        (argument, environment) = try KillSchema.commandLine(url)
    }

    func run(_ sql: String) throws { try link.run(sql) }
    func rows(_ sql: String) throws -> [[String]] { try link.run(sql) }

    /// Another session has a transaction that has written.
    func isPushing() -> Bool {
        let sql = """
            SELECT 1 FROM information_schema.innodb_trx AS t
            JOIN information_schema.processlist AS p ON p.id = t.trx_mysql_thread_id
            WHERE p.db = database() AND p.id <> connection_id() AND t.trx_rows_modified > 0
            """
        do { return try !link.run(sql).isEmpty } catch { return false }
    }

    func drop() throws { try MariaDBFixture.drop(name) }

    static func with<Result>(
        _ body: (KillableMariaDB) async throws -> Result
    ) async throws -> Result {
        let central = try KillableMariaDB()
        let result: Result
        do {
            result = try await body(central)
        } catch {
            try central.drop()
            throw error
        }
        try central.drop()
        return result
    }
}

/// The replica's file as its app uses it, with plain SQL.
final class KillableReplica {
    let path: String
    let queue: DatabaseQueue

    init(path: String) throws {
        self.path = path
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func run(_ sql: String) throws { try queue.write { try $0.execute(sql: sql) } }

    func rows(_ sql: String) throws -> [[String]] {
        try queue.read { try Self.texts($0, sql) }
    }

    func isInFlight() throws -> Bool {
        try !rows("SELECT number FROM _moorage_inflight").isEmpty
    }

    static func texts(_ db: Database, _ sql: String) throws -> [[String]] {
        try Row.fetchAll(db, sql: sql).map { $0.databaseValues.map(\.ownerText) }
    }

    /// Whether a file has a rollback journal that is not empty.
    static func hasJournal(_ path: String) -> Bool {
        guard let journal = FileHandle(forReadingAtPath: path + "-journal") else { return false }
        defer { journal.closeFile() }
        return journal.seekToEndOfFile() > 0
    }
}
