import Foundation
import TestSupport

/// A MariaDB server for one test, which may kill it and start it again. What it committed outlives
/// its process.
final class OwnMariaDB: @unchecked Sendable {
    // `@unchecked`: one test uses it, from one task.
    let server: ServerProcess
    private let program: URL
    private let password: String
    private var port = 0

    /// The path of `mariadbd`; `nil` where there is no such program.
    static let program: URL? = {
        let found = place(of: "mariadbd")
        if found == nil {
            print("There is no mariadbd: the histories on MariaDB do not run.")
        }
        return found
    }()

    private static func place(of name: String) -> URL? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"
        return path.split(separator: ":")
            .map { URL(fileURLWithPath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Runs work with a server, and removes the server afterwards.
    static func with<Result>(
        _ work: (OwnMariaDB) async throws -> Result
    ) async throws -> Result {
        let own = try await make()
        return try await own.server.removed(after: { try await work(own) })
    }

    /// Makes a server in a new folder and starts it.
    private static func make() async throws -> OwnMariaDB {
        guard let program, let install = place(of: "mariadb-install-db") else {
            throw ChildProcess.Failure(description: "no mariadbd")
        }
        let folder = try ScratchFolder.make("own-mariadb")
        let server = OwnMariaDB(folder: folder, program: program)
        do {
            try await server.initialize(install)
            try await FreePort.start { port in
                server.port = port
                try await server.start(attempts: 1)
            }
        } catch {
            try await server.server.remove()
            throw error
        }
        return server
    }

    private init(folder: URL, program: URL) {
        // The server ignores SIGINT.
        server = ServerProcess(
            folder: folder, user: "mysql", identity: folder.appending(path: "process"),
            farewell: SIGTERM)
        self.program = program
        password = UUID().uuidString.replacing("-", with: "")
    }

    /// - Parameter user: `moorage` for the hub, `office` for the owner's programs. Both have all
    ///   rights.
    func url(_ database: String, user: String = "office") -> String {
        "mysql://\(user):\(password)@127.0.0.1:\(port)/\(database)"
    }

    private var data: String { server.folder.appending(path: "data").path }
    private var users: URL { server.folder.appending(path: "users.sql") }
    private var temporary: URL { server.folder.appending(path: "temporary") }

    private func initialize(_ install: URL) async throws {
        let statements = ["moorage", "office"].flatMap { user in
            [
                "CREATE USER IF NOT EXISTS \(user)@'127.0.0.1' IDENTIFIED BY '\(password)';",
                "GRANT ALL ON *.* TO \(user)@'127.0.0.1';",
            ]
        }
        let text = statements.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: users)
        try FileManager.default.createDirectory(
            at: temporary, withIntermediateDirectories: false)
        try await server.own()
        try await server.runAsUser(
            install,
            [
                "--no-defaults", "--datadir=\(data)", "--tmpdir=\(temporary.path)",
                "--skip-test-db", "--auth-root-authentication-method=normal",
            ])
    }

    /// Starts the server. After a crash it recovers first.
    func start(attempts: Int = 20) async throws {
        func path(_ name: String) -> String { server.folder.appending(path: name).path }
        try await server.start(
            program,
            [
                "--no-defaults", "--datadir=\(data)", "--socket=\(path("socket"))",
                // A starting server removes the temporary tables of every server that uses the same
                // folder.
                "--tmpdir=\(temporary.path)",
                "--pid-file=\(path("process"))", "--port=\(port)", "--bind-address=127.0.0.1",
                "--skip-name-resolve", "--init-file=\(users.path)", "--max-connections=200",
                "--character-set-server=utf8mb4", "--innodb-buffer-pool-size=64M",
                // Hands each commit to the operating system, so a killed server loses nothing.
                "--innodb-flush-log-at-trx-commit=2",
            ], attempts: attempts
        ) { (try? MySQLLink(url: url("mysql"))) != nil }
    }
}
