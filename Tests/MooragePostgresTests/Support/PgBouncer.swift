import Foundation
import Testing

@testable import MooragePostgres

/// A PgBouncer of the test's own in front of the server, with two server sessions for each database.
final class PgBouncer: @unchecked Sendable {
    // `@unchecked`: nothing changes once it runs, and the suite that started it ends it.
    private let process = Process()
    private let folder: URL
    let port: Int

    /// Where the program is; `nil`, with a printed reason, where it is not installed.
    static let program: URL? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        let found = places.map { $0 + "/pgbouncer" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        if found == nil, PostgresServer.isAvailable {
            print("Tests behind a pooler did not run: pgbouncer is not installed.")
        }
        return found.map { URL(fileURLWithPath: $0) }
    }()

    /// The one of the suite that runs, in transaction mode.
    @TaskLocal static var current: PgBouncer?

    static var isAvailable: Bool { PostgresServer.isAvailable && program != nil }

    /// - Parameter mode: `transaction`, `session` or `statement`.
    init(mode: String) throws {
        guard let program = Self.program, let url = PostgresServer.url,
            let server = URLComponents(string: url), let host = server.host
        else { throw TestFailure("there is no pgbouncer") }
        folder = FileManager.default.temporaryDirectory
            .appending(path: "moorage-pgbouncer-\(UUID().uuidString)")
        port = try Self.freePort()
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
        """.write(to: settings, atomically: true, encoding: .utf8)
        process.executableURL = program
        // As root it runs as somebody who may do nothing.
        process.arguments = ["-q"] + (geteuid() == 0 ? ["-u", "nobody"] : []) + [settings.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500 {
            if process.isRunning, (try? session("postgres").cell("SELECT 1")) == "1" { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        end()
        throw TestFailure("pgbouncer did not start")
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

    private static func freePort() throws -> Int {
        #if canImport(Glibc)
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw TestFailure("no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// Gives a suite a PgBouncer in transaction mode for as long as it runs.
struct PgBouncerTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard PgBouncer.isAvailable else { return try await function() }
        let bouncer = try PgBouncer(mode: "transaction")
        defer { bouncer.end() }
        try await PgBouncer.$current.withValue(bouncer) { try await function() }
    }
}

extension Trait where Self == PgBouncerTrait {
    static var pgBouncer: Self { Self() }
}
