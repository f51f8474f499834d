import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A PostgreSQL server that belongs to one suite, which may end it without warning and start it
/// again. It syncs to disk like a real one: a commit that was answered must be there afterwards.
final class OwnPostgres: @unchecked Sendable {
    // `@unchecked`: the tests that share it run one after the other.
    let folder: URL
    private let programs: URL
    private let password: String
    private(set) var port = 0
    private var child: ChildProcess?
    private var isEnding = false

    /// It was started and not ended; after a kill its process may still be there for a moment.
    var isUp: Bool { !isEnding && child?.isRunning == true }

    /// The server of the suite that runs.
    @TaskLocal static var current: OwnPostgres?

    /// Where `initdb` and its friends are: the newest version; `nil` where there is none.
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

    static var isRoot: Bool { getuid() == 0 }

    /// Makes a server in a new folder and starts it.
    ///
    /// - Parameter prepare: May mount something at the folder of its data.
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
            try await server.start()
        } catch {
            try await server.remove()
            throw error
        }
        return server
    }

    private init(folder: URL, programs: URL) {
        self.folder = folder
        self.programs = programs
        password = UUID().uuidString.replacing("-", with: "")
    }

    var data: URL { folder.appending(path: "data") }
    func url(_ database: String) -> String {
        "postgres://moorage:\(password)@127.0.0.1:\(port)/\(database)"
    }

    // MARK: Starting and ending

    private func initialize() async throws {
        let file = folder.appending(path: "password")
        try Data((password + "\n").utf8).write(to: file)
        if Self.isRoot { try await run("/bin/chown", ["-R", Self.user, folder.path]) }
        try await run("/bin/chmod", ["700", data.path])
        let (program, arguments) = asUser(
            "initdb",
            [
                "--no-sync", "-D", data.path, "-U", "moorage", "-E", "UTF8", "--locale=C",
                "--auth=scram-sha-256", "--pwfile=\(file.path)", "--wal-segsize=1",
            ])
        try await run(program.path, arguments)
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
        port = try Socket.listening().port
    }

    /// Starts it, after a crash too: then it repairs itself first.
    func start() async throws {
        // The last sessions of the one that was ended hold its memory until they notice.
        await child?.wait()
        var words = ""
        for _ in 0..<20 {
            let child = try startOnce()
            self.child = child
            isEnding = false
            while child.isRunning {
                if (try? WriterLink(url("postgres"))) != nil { return }
                try await Task.sleep(for: .milliseconds(20))
            }
            words = child.text
            try child.removeOutput()
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ChildProcess.Failure(description: "PostgreSQL does not start: \(words.suffix(2_000))")
    }

    private func startOnce() throws -> ChildProcess {
        let (program, arguments) = asUser(
            "postgres", ["-D", data.path, "-p", String(port), "-k", folder.path])
        return try ChildProcess(arguments, folder: folder, program: program)
    }

    /// The process that its own file names, while it runs.
    var process: Int32? {
        let file = data.appending(path: "postmaster.pid")
        guard let text = FileManager.default.contents(atPath: file.path) else { return nil }
        let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first
        guard let process = line.flatMap({ Int32($0) }), process > 1, kill(process, 0) == 0 else {
            return nil
        }
        return process
    }

    /// Ends it where it stands; its sessions end by themselves when they notice.
    func killNow() {
        guard let process else { return }
        isEnding = true
        kill(process, SIGKILL)
    }

    /// Ends one of its sessions where it stands: the server then ends all others and repairs itself.
    func killSession(_ session: Int32) {
        guard process != nil, session > 1 else { return }
        kill(session, SIGKILL)
    }

    /// Ends it in good order.
    func end() async {
        isEnding = true
        if let process { kill(process, SIGINT) }
        await child?.wait()
    }

    /// Ends it, and removes its folder.
    func remove() async throws {
        await end()
        try FileManager.default.removeItem(at: folder)
    }

    // MARK: Programs

    private static let user: String = getpwnam("postgres") == nil ? "nobody" : "postgres"

    /// PostgreSQL refuses root.
    private func asUser(_ name: String, _ arguments: [String]) -> (URL, [String]) {
        let program = programs.appending(path: name)
        guard Self.isRoot else { return (program, arguments) }
        return (
            URL(fileURLWithPath: "/usr/bin/env"),
            ["runuser", "-u", Self.user, "--", program.path] + arguments
        )
    }

    private func run(_ program: String, _ arguments: [String]) async throws {
        let child = try ChildProcess(
            arguments, folder: folder, program: URL(fileURLWithPath: program))
        let status = await child.wait()
        let words = child.text
        try child.removeOutput()
        guard status == 0 else { throw ChildProcess.Failure(description: "\(program): \(words)") }
    }
}
