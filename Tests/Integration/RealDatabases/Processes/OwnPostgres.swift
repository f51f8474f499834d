import Foundation
import TestSupport

/// A PostgreSQL server for one test, which may kill it and start it again. It syncs to disk like a
/// real one, so it must still have every commit that it acknowledged.
final class OwnPostgres: @unchecked Sendable {
    // `@unchecked`: one test uses it, from one task.
    let server: ServerProcess
    private let programs: URL
    private let password: String
    private(set) var port = 0

    /// The folder with the newest `initdb` and its companions; `nil` where there is no such folder.
    static let programs: URL? = {
        let files = FileManager.default
        let parent = URL(fileURLWithPath: "/usr/lib/postgresql")
        var places = ((try? files.contentsOfDirectory(atPath: parent.path)) ?? [])
            .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
            .map { parent.appending(path: $0).appending(path: "bin") }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        places += path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
        let found = places.first {
            files.isExecutableFile(atPath: $0.appending(path: "initdb").path)
        }
        if found == nil { print("There is no initdb: the real databases under fire do not run.") }
        return found
    }()

    /// Runs work with a server, and removes the server afterwards.
    static func with<Result>(
        _ work: (OwnPostgres) async throws -> Result
    ) async throws -> Result {
        let own = try await make()
        return try await own.server.removed(after: { try await work(own) })
    }

    /// Makes a server in a new folder and starts it.
    ///
    /// - Parameter prepare: May mount something at the data folder.
    static func make(
        prepare: (_ data: URL) async throws -> Void = { _ in }
    ) async throws -> OwnPostgres {
        guard let programs else { throw ChildProcess.Failure(description: "no initdb") }
        let folder = try ScratchFolder.make("own-postgres")
        let data = folder.appending(path: "data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: false)
        try await prepare(data)
        let server = OwnPostgres(folder: folder, programs: programs)
        do {
            try await server.initialize()
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

    private init(folder: URL, programs: URL) {
        server = ServerProcess(
            folder: folder, user: "postgres",
            identity: folder.appending(path: "data").appending(path: "postmaster.pid"),
            // The server ends its sessions too.
            farewell: SIGINT)
        self.programs = programs
        password = UUID().uuidString.replacing("-", with: "")
    }

    var data: URL { server.folder.appending(path: "data") }
    func url(_ database: String) -> String {
        "postgres://moorage:\(password)@127.0.0.1:\(port)/\(database)"
    }

    // MARK: Starting and ending

    private func initialize() async throws {
        let file = server.folder.appending(path: "password")
        try Data((password + "\n").utf8).write(to: file)
        try await server.own()
        try await server.run("/bin/chmod", ["700", data.path])
        try await server.runAsUser(
            programs.appending(path: "initdb"),
            [
                "--no-sync", "-D", data.path, "-U", "moorage", "-E", "UTF8", "--locale=C",
                "--auth=scram-sha-256", "--pwfile=\(file.path)", "--wal-segsize=1",
            ])
        let settings = """
            listen_addresses = '127.0.0.1'
            max_connections = 60
            shared_buffers = 16MB
            min_wal_size = 2MB
            max_wal_size = 16MB
            timezone = 'UTC'
            log_min_messages = fatal
            """
        let configuration = try FileHandle(
            forWritingTo: data.appending(path: "postgresql.conf"))
        try configuration.seekToEnd()
        try configuration.write(contentsOf: Data(("\n" + settings + "\n").utf8))
        try configuration.close()
    }

    /// Starts the server. After a crash it recovers first.
    func start(attempts: Int = 20) async throws {
        try await server.start(
            programs.appending(path: "postgres"),
            ["-D", data.path, "-p", String(port), "-k", server.folder.path], attempts: attempts
        ) { (try? WriterLink(url("postgres"))) != nil }
    }

    /// Kills one of its sessions. The server then ends all others and recovers.
    func killSession(_ session: Int32) {
        guard server.process != nil, session > 1 else { return }
        kill(session, SIGKILL)
    }
}
