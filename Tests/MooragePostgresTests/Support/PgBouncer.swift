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

    /// The process ended before it took a connection; what it said.
    private struct Ended: Error { let words: String }

    /// Starts one, on another port where somebody else has taken the first meanwhile.
    ///
    /// - Parameter mode: `transaction`, `session` or `statement`.
    static func start(mode: String) throws -> PgBouncer {
        let program = try findProgram()
        var words = ""
        for _ in 0..<5 {
            do {
                return try PgBouncer(program, mode: mode, port: freePort())
            } catch let ended as Ended { words = ended.words }
        }
        throw TestFailure("PgBouncer does not start: \(words)")
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
        let log = folder.appending(path: "log.txt")
        try Data().write(to: log)
        process.executableURL = program
        // As root it runs as somebody who may do nothing.
        process.arguments = (geteuid() == 0 ? ["-u", "nobody"] : []) + [settings.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        try awaitConnection(log)
    }

    private func awaitConnection(_ log: URL) throws {
        let limit = ContinuousClock.now + Hang.limit
        while process.isRunning {
            if (try? session("postgres").cell("SELECT 1")) == "1", process.isRunning { return }
            guard ContinuousClock.now < limit else {
                throw TestFailure("PgBouncer runs, and takes no connection: \(try words(log))")
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw Ended(words: try words(log))
    }

    private func words(_ log: URL) throws -> String {
        String(try String(contentsOf: log, encoding: .utf8).suffix(1_000))
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

    /// A port below those that the system hands out to connections.
    private static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = UInt16.random(in: 20_000..<32_000)
            if isFree(port) { return Int(port) }
        }
        throw TestFailure("no port between 20000 and 32000 is free")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        #if canImport(Glibc)
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// Gives a suite a PgBouncer in transaction mode for as long as it runs.
struct PgBouncerTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard PostgresServer.isAvailable else { return try await function() }
        let bouncer = try PgBouncer.start(mode: "transaction")
        defer { bouncer.end() }
        try await PgBouncer.$current.withValue(bouncer) { try await function() }
    }
}

extension Trait where Self == PgBouncerTrait {
    static var pgBouncer: Self { Self() }
}
