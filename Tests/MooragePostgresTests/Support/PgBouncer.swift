import Foundation
import TestSupport
import Testing

@testable import MooragePostgres

/// A PgBouncer of the test's own in front of the server, with two server sessions for each database.
final class PgBouncer: @unchecked Sendable {
    // `@unchecked`: nothing changes once it runs, and the suite that started it ends it.
    private let process = Process()
    private let folder: URL
    let port: Int

    /// The one of the suite that runs, in transaction mode.
    @TaskLocal static var current: PgBouncer?

    /// Starts one, and waits until it takes connections.
    ///
    /// - Parameter mode: `transaction`, `session` or `statement`.
    static func start(mode: String) async throws -> PgBouncer {
        let program = try findProgram()
        return try await FreePort.start { port in
            let bouncer = try PgBouncer(program, mode: mode, port: port)
            try await bouncer.awaitConnection()
            return bouncer
        }
    }

    private static func findProgram() throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        let found = places.map { $0 + "/pgbouncer" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else {
            throw TestFailure(
                "There is no pgbouncer on the path: run Scripts/setup --tests, which installs it.")
        }
        return URL(fileURLWithPath: found)
    }

    private init(_ program: URL, mode: String, port: Int) throws {
        guard let url = PostgresServer.url, let server = URLComponents(string: url),
            let host = server.host
        else { throw TestFailure("MOORAGE_TEST_POSTGRES names no server") }
        folder = FileManager.default.temporaryDirectory
            .appending(path: "moorage-pgbouncer-\(UUID().uuidString)")
        self.port = port
        let files = FileManager.default
        try files.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let users = folder.appending(path: "users.txt")
        try "\"\(server.user ?? "")\" \"\(server.password ?? "")\"\n"
            .write(to: users, atomically: true, encoding: .utf8)
        let settings = folder.appending(path: "pgbouncer.ini")
        try """
        [databases]
        * = host=\(host) port=\(server.port ?? 5432)
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(port)
        unix_socket_dir =
        auth_type = scram-sha-256
        auth_file = \(users.path)
        pool_mode = \(mode)
        default_pool_size = 2
        server_round_robin = 1
        max_client_conn = 100
        log_connections = 0
        log_disconnections = 0
        """.write(to: settings, atomically: true, encoding: .utf8)
        try Data().write(to: log)
        process.executableURL = program
        // As root it runs as somebody who may do nothing.
        process.arguments = (geteuid() == 0 ? ["-u", "nobody"] : []) + [settings.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
    }

    private var log: URL { folder.appending(path: "log.txt") }

    private func awaitConnection() async throws {
        var answers = false
        try await eventually("PgBouncer takes a connection, or has ended") {
            answers = (try? session("postgres").cell("SELECT 1")) == "1"
            return answers || !process.isRunning
        }
        // Another one may have answered at its port.
        guard answers, process.isRunning else {
            let words = try String(contentsOf: log, encoding: .utf8).suffix(1_000)
            throw TestFailure("PgBouncer does not start: \(words)")
        }
    }

    deinit { end() }

    func end() {
        if process.isRunning {
            // A child of a test inherits that signals are blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// - Parameter options: Behind the `?`.
    func url(database: String, _ options: String = "") throws -> String {
        guard var parts = URLComponents(string: try PostgresServer.url(database: database)) else {
            throw TestFailure("no URL")
        }
        parts.host = "127.0.0.1"
        parts.port = port
        return (parts.string ?? "") + (options.isEmpty ? "" : "?" + options)
    }

    /// A program that knows nothing of poolers: the session that it is lent is left as it finds it.
    func session(_ database: String) throws -> PostgresSession {
        try PostgresSession(url: url(database: database, "pooling=session"), settings: [])
    }
}

/// Gives a suite a PgBouncer in transaction mode for as long as it runs.
struct PgBouncerTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard PostgresServer.isAvailable else { return try await function() }
        let bouncer = try await PgBouncer.start(mode: "transaction")
        defer { bouncer.end() }
        try await PgBouncer.$current.withValue(bouncer) { try await function() }
    }
}

extension Trait where Self == PgBouncerTrait {
    static var pgBouncer: Self { Self() }
}
