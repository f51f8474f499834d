import CSpawn
import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A real process of the command `moorage`, which writes its output to a file.
///
/// Foundation's `Process` watches each child through a socket of its own, and traps in programs
/// that start thousands. Here a thread waits for each child.
final class ChildProcess: @unchecked Sendable {
    // `@unchecked`: the lock guards what the waiting thread sets.
    let identifier: Int32
    private let output: URL
    private let lock = NSLock()
    private var end: End?
    private var waiters: [CheckedContinuation<End, Never>] = []

    private enum End {
        case exit(Int32)
        case signal(Int32)
    }

    /// The command, beside the test bundle or where `MOORAGE_BIN` points; `nil` when it is not
    /// built.
    static let command: URL? = {
        let found = program("moorage", place: "MOORAGE_BIN")
        if found == nil {
            print("kills: the command `moorage` is not built (MOORAGE_BIN): they do not run.")
        }
        return found
    }()

    /// A program of this package, beside the test bundle or where a variable points.
    static func program(_ name: String, place variable: String? = nil) -> URL? {
        var places: [URL] = []
        if let place = variable.flatMap({ ProcessInfo.processInfo.environment[$0] }) {
            places.append(URL(fileURLWithPath: place))
        }
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            places.append(
                URL(fileURLWithPath: argument).deletingLastPathComponent().appending(path: name))
        }
        places.append(
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
                .deletingLastPathComponent().appending(path: name))
        return places.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter program: `nil` for the command.
    init(
        _ arguments: [String], environment: [String: String] = [:], folder: URL,
        program: URL? = nil
    ) throws {
        guard let program = program ?? Self.command else {
            throw Failure(description: "no command")
        }
        output = folder.appending(path: "output-\(UUID().uuidString).txt")
        identifier = try Self.spawn(
            [program.path] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            folder: folder, output: output)
        let identifier = identifier
        Thread.detachNewThread {
            var information = siginfo_t()
            while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0,
                errno == EINTR
            {}
            self.reap()
        }
    }

    /// Starts a program that has no open files but its output and an empty input.
    private static func spawn(
        _ arguments: [String], environment: [String: String], folder: URL, output: URL
    ) throws -> Int32 {
        #if canImport(Glibc)
            var files = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #else
            var files: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let flags =
                POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        posix_spawn_file_actions_init(&files)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&files)
            posix_spawnattr_destroy(&attributes)
        }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &files, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&files, 1, 2)
        // Without this, the child would keep connections open that this process has closed.
        spawn_add_close_from(&files, 3)
        spawn_add_folder(&files, folder.path)
        var argv = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + variables { free(text) } }
        var identifier: Int32 = 0
        let result = posix_spawn(&identifier, arguments[0], &files, &attributes, &argv, &variables)
        guard result == 0 else {
            throw Failure(
                description: "\(arguments[0]) does not start: \(String(cString: strerror(result)))")
        }
        return identifier
    }

    /// After this call the system may give the identifier to another process.
    private func reap() {
        let (how, waiting) = lock.withLock {
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
            let signal = status & 0x7f
            let how: End = signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
            end = how
            defer { waiters = [] }
            return (how, waiters)
        }
        for waiter in waiting { waiter.resume(returning: how) }
    }

    var isRunning: Bool { lock.withLock { end == nil } }

    var text: String {
        FileManager.default.contents(atPath: output.path).map {
            String(decoding: $0, as: UTF8.self)
        } ?? ""
    }

    /// Kills the process.
    ///
    /// - Returns: Whether it was still running.
    func killNow() async -> Bool {
        send(SIGKILL)
        if case .signal(SIGKILL) = await ending() { return true }
        return false
    }

    /// Waits for the end.
    ///
    /// - Returns: The status that it ended with, or the signal that ended it.
    @discardableResult
    func wait() async -> Int32 {
        switch await ending() {
        case .exit(let status): status
        case .signal(let signal): signal
        }
    }

    func stop() async {
        send(SIGTERM)
        await wait()
    }

    private func send(_ signal: Int32) {
        lock.withLock { if end == nil { _ = kill(identifier, signal) } }
    }

    private func ending() async -> End {
        await withCheckedContinuation { continuation in
            let how = lock.withLock {
                if end == nil { waiters.append(continuation) }
                return end
            }
            if let how { continuation.resume(returning: how) }
        }
    }

    /// Removes the file with the output.
    func removeOutput() throws { try FileManager.default.removeItem(at: output) }

    /// Starts a server for a central database.
    ///
    /// - Parameter port: 0 for a free port.
    static func serve(
        _ database: String, port: Int = 0, environment: [String: String], folder: URL
    ) async throws -> (process: ChildProcess, url: String) {
        let process = try ChildProcess(
            ["serve", database, "--listen", "127.0.0.1:\(port)", "--log-level", "error"],
            environment: environment, folder: folder)
        let banner = "Listening on "
        var url: String?
        do {
            try await eventually("the server listens, or has ended") {
                let isRunning = process.isRunning
                // The text after the last line break may be half a line.
                let lines = process.text.split(separator: "\n", omittingEmptySubsequences: false)
                let line = lines.dropLast().first { $0.hasPrefix(banner) }
                url = line.map { String($0.dropFirst(banner.count)) }
                return url != nil || !isRunning
            }
        } catch {
            _ = await process.killNow()
            throw error
        }
        guard let url else {
            throw Failure(description: "the server did not start: \(process.text)")
        }
        return (process, url)
    }
}
