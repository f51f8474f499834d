import Foundation
import GRDB

/// One of the owner's own sessions on a central database: plain SQL.
protocol OwnerSession: AnyObject {
    /// Runs one statement.
    ///
    /// - Returns: Its rows as text; NULL as `∅`.
    @discardableResult
    func run(_ sql: String) throws -> [[String]]
}

extension WriterLink: OwnerSession {}

/// A central database that a world can be built on.
protocol FireCentre: AnyObject {
    /// As the command line names it, and what it needs for that.
    var argument: String { get }
    var environment: [String: String] { get }
    func open() throws -> any OwnerSession
    /// Makes the tables of ``FireSchema`` with their triggers and first rows.
    func create() throws
    /// Its process, or one of its sessions, ends where it stands; nothing happens where there is none.
    func killNow()
    func killSession() throws
    func start() async throws
    /// Whether a second transaction can be open beside the others.
    var canHold: Bool { get }
    /// What our sessions still hold, in words, when nothing is at work any more.
    func leftOvers() throws -> [String]
    func drop() throws
}

/// One database on a PostgreSQL server of the suite's own.
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

    /// A password never stands on a command line.
    var environment: [String: String] {
        let password = URLComponents(string: server.url(name))?.password ?? ""
        return ["MOORAGE_SECRET": KillSchema.secret, "MOORAGE_FIRE_PASSWORD": password]
    }

    func open() throws -> any OwnerSession {
        let link = try WriterLink(server.url(name))
        // Nobody of the office waits for a transaction that stays open, nor for a deadlock.
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

    func killNow() { server.killNow() }

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
        // After the end of a session it repairs itself, and takes nobody meanwhile.
        for attempt in 0..<1_200 {
            do {
                if !server.isUp { try await server.start() }
                try open().run("SELECT 1")
                return
            } catch {
                if attempt == 1_199 { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
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

/// A SQLite file that the office has open beside the hub.
final class FileCentre: FireCentre, Sendable {
    let path: String

    init(folder: URL) { path = folder.appending(path: "central.db").path }

    var argument: String { "sqlite:\(path)" }
    let environment = ["MOORAGE_SECRET": KillSchema.secret]

    private final class Session: OwnerSession {
        let queue: DatabaseQueue

        init(path: String) throws {
            var configuration = Configuration()
            configuration.busyMode = .timeout(20)
            configuration.allowsUnsafeTransactions = true
            queue = try DatabaseQueue(path: path, configuration: configuration)
        }

        func run(_ sql: String) throws -> [[String]] {
            try queue.writeWithoutTransaction { try KillableReplica.texts($0, sql) }
        }
    }

    func open() throws -> any OwnerSession { try Session(path: path) }

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
    /// A writer that stays open would hold off every other.
    let canHold = false
    func leftOvers() throws -> [String] { [] }
    func drop() throws {}
}
