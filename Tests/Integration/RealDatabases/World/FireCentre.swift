import Foundation
import TestSupport

/// A central database for a world.
protocol FireCentre: AnyObject {
    /// How the command line names the database, and the environment that it needs.
    var argument: String { get }
    var environment: [String: String] { get }
    func open() throws -> any OwnerSession
    /// Makes the tables of ``FireSchema`` with their triggers and first rows.
    func create() throws
    /// Kills its process, or one of its sessions. Nothing happens where it has none.
    func killNow()
    func killSession() throws
    func start() async throws
    /// Whether a second transaction can be open beside the others.
    var canHold: Bool { get }
    /// Describes what our sessions still have open after all work ended.
    func leftOvers() throws -> [String]
    func drop() throws
}

extension FireCentre {
    /// Starts a server that was ended, and waits until it accepts connections. After the end of a
    /// session it recovers, and accepts none meanwhile.
    fileprivate func start(_ server: ServerProcess, _ start: () async throws -> Void) async throws {
        let end = ContinuousClock.now + Hang.limit
        while true {
            do {
                if !server.isUp { try await start() }
                try open().run("SELECT 1")
                return
            } catch {
                guard ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}

/// One database on a PostgreSQL server of the test's own.
final class ServerCentre: FireCentre {
    private let server: OwnPostgres
    private let name: String

    init(_ server: OwnPostgres) throws {
        self.server = server
        name = "fire_" + UUID().uuidString.lowercased().prefix(12).replacing("-", with: "")
        try WriterLink(server.url("postgres")).run("CREATE DATABASE \(name) TEMPLATE template0")
    }

    var argument: String {
        let parts = server.url(name).split(separator: "@", maxSplits: 1)
        return "postgres://moorage:${MOORAGE_FIRE_PASSWORD}@\(parts.last ?? "")"
    }

    /// Command lines never contain a password.
    var environment: [String: String] {
        let password = URLComponents(string: server.url(name))?.password ?? ""
        return ["MOORAGE_SECRET": KillSchema.secret, "MOORAGE_FIRE_PASSWORD": password]
    }

    func open() throws -> any OwnerSession {
        let link = try WriterLink(server.url(name))
        // The office waits neither for a transaction that stays open nor for a deadlock.
        try link.run("SET lock_timeout = '300ms'; SET deadlock_timeout = '50ms'")
        return link
    }

    func create() throws {
        let owner = try open()
        try owner.run("BEGIN")
        for statement in FireSchema.tableStatements + FireSchema.postgresTriggers
            + FireSchema.fillStatements
        {
            try owner.run(statement)
        }
        try owner.run("COMMIT")
    }

    func killNow() { server.server.killNow() }

    func killSession() throws {
        let sql = """
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'moorage'
            ORDER BY state = 'idle', pid LIMIT 1
            """
        guard let session = try open().run(sql).first?.first.flatMap({ Int32($0) }) else { return }
        server.killSession(session)
    }

    func start() async throws {
        try await start(server.server) { try await server.start() }
    }

    let canHold = true

    func leftOvers() throws -> [String] {
        let owner = try open()
        let ours = """
            datname = current_database() AND pid <> pg_backend_pid()
              AND application_name = 'moorage'
            """
        let sessions = try owner.run(
            "SELECT state, left(query, 60) FROM pg_stat_activity WHERE \(ours) AND state <> 'idle'")
        let locks = try owner.run(
            """
            SELECT locktype, mode FROM pg_locks
            WHERE pid IN (SELECT pid FROM pg_stat_activity WHERE \(ours))
            """)
        let prepared = try owner.run("SELECT gid FROM pg_prepared_xacts")
        return sessions.map { "a session is at \($0)" } + locks.map { "a lock is held: \($0)" }
            + prepared.map { "a transaction is prepared: \($0)" }
    }

    func drop() throws {
        try WriterLink(server.url("postgres")).run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }
}

/// One database on a MariaDB server of the test's own.
final class MariaDBCentre: FireCentre {
    private let server: OwnMariaDB
    private let name: String

    init(_ server: OwnMariaDB) throws {
        self.server = server
        name = "fire_" + UUID().uuidString.lowercased().prefix(12).replacing("-", with: "")
        try MySQLLink(url: server.url("mysql")).run("CREATE DATABASE \(name)")
    }

    var argument: String {
        let parts = server.url(name).split(separator: "@", maxSplits: 1)
        return "mysql://moorage:${MOORAGE_FIRE_PASSWORD}@\(parts.last ?? "")"
    }

    var environment: [String: String] {
        let password = URLComponents(string: server.url(name))?.password ?? ""
        return ["MOORAGE_SECRET": KillSchema.secret, "MOORAGE_FIRE_PASSWORD": password]
    }

    func open() throws -> any OwnerSession {
        let link = try MySQLLink(url: server.url(name))
        // The office does not wait for a transaction that stays open.
        try link.run("SET SESSION innodb_lock_wait_timeout = 1")
        return link
    }

    func create() throws {
        let owner = try open()
        for statement in FireSchema.tableStatements + FireSchema.mysqlTriggers
            + FireSchema.fillStatements
        {
            try owner.run(statement)
        }
    }

    func killNow() { server.server.killNow() }

    private var ours: String { "user = 'moorage' AND db = '\(name)'" }

    func killSession() throws {
        let owner = try open()
        let sql = """
            SELECT id FROM information_schema.processlist WHERE \(ours)
            ORDER BY command = 'Sleep', id LIMIT 1
            """
        guard let session = try owner.run(sql).first?.first else { return }
        // The session may have ended by itself.
        do { try owner.run("KILL \(session)") } catch is MySQLLink.Failure {}
    }

    func start() async throws {
        try await start(server.server) { try await server.start() }
    }

    let canHold = true

    func leftOvers() throws -> [String] {
        let owner = try open()
        let sessions = try owner.run(
            """
            SELECT command, left(info, 60) FROM information_schema.processlist
            WHERE \(ours) AND command <> 'Sleep'
            """)
        let transactions = try owner.run(
            """
            SELECT trx_state, trx_rows_locked FROM information_schema.innodb_trx
            WHERE trx_mysql_thread_id IN (SELECT id FROM information_schema.processlist WHERE \(ours))
            """)
        return sessions.map { "a session is at \($0)" }
            + transactions.map { "a transaction is open: \($0)" }
    }

    func drop() throws {
        try MySQLLink(url: server.url("mysql")).run("DROP DATABASE IF EXISTS \(name)")
    }
}

/// A SQLite file that the office has open beside the hub.
final class FileCentre: FireCentre, Sendable {
    let path: String

    init(folder: URL) { path = folder.appending(path: "central.db").path }

    var argument: String { "sqlite:\(path)" }
    let environment = ["MOORAGE_SECRET": KillSchema.secret]

    func open() throws -> any OwnerSession { try SQLiteSession(path: path) }

    func create() throws {
        let owner = try open()
        for statement in FireSchema.tableStatements + FireSchema.sqliteTriggers
            + FireSchema.fillStatements
        {
            try owner.run(statement)
        }
    }

    func killNow() {}
    func killSession() throws {}
    func start() async throws {}
    /// An open writer would block all others.
    let canHold = false
    func leftOvers() throws -> [String] { [] }
    func drop() throws {}
}
