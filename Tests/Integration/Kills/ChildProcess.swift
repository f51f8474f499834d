import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A real process of the command `moorage`, with its words in a file.
final class ChildProcess: @unchecked Sendable {
    // `@unchecked`: `Process` is told apart from its termination handler by the lock.
    private let process = Process()
    private let output: URL
    private let lock = NSLock()
    private var hasEnded = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// The command, beside the test bundle or where `MOORAGE_BIN` says; `nil` when it is not built.
    static let command: URL? = {
        let found = program("moorage", place: "MOORAGE_BIN")
        if found == nil {
            print("kills: the command `moorage` is not built (MOORAGE_BIN): they do not run.")
        }
        return found
    }()

    /// A program of this package, beside the test bundle or where a variable says.
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
        guard FileManager.default.createFile(atPath: output.path, contents: nil) else {
            throw Failure(description: "no file for the output")
        }
        let file = try FileHandle(forWritingTo: output)
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = file
        process.standardError = file
        process.standardInput = FileHandle.nullDevice
        process.terminationHandler = { [weak self] _ in self?.ended() }
        try process.run()
    }

    private func ended() {
        let waiting = lock.withLock {
            hasEnded = true
            defer { waiters = [] }
            return waiters
        }
        for waiter in waiting { waiter.resume() }
    }

    var identifier: Int32 { process.processIdentifier }
    var isRunning: Bool { lock.withLock { !hasEnded } }

    var text: String {
        FileManager.default.contents(atPath: output.path).map {
            String(decoding: $0, as: UTF8.self)
        } ?? ""
    }

    /// Ends the process where it stands.
    ///
    /// - Returns: Whether it was still running.
    func killNow() async -> Bool {
        let wasRunning = isRunning && kill(identifier, SIGKILL) == 0
        await wait()
        return wasRunning && process.terminationReason == .uncaughtSignal
    }

    /// Waits for the end.
    @discardableResult
    func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            let isOver = lock.withLock {
                if !hasEnded { waiters.append(continuation) }
                return hasEnded
            }
            if isOver { continuation.resume() }
        }
        return process.terminationStatus
    }

    func stop() async {
        process.terminate()
        await wait()
    }

    /// Forgets its words.
    func removeOutput() throws { try FileManager.default.removeItem(at: output) }

    /// A server for a central database, on a port of its own.
    static func serve(
        _ database: String, environment: [String: String], folder: URL
    ) async throws -> (process: ChildProcess, url: String) {
        let process = try ChildProcess(
            ["serve", database, "--listen", "127.0.0.1:0", "--log-level", "error"],
            environment: environment, folder: folder)
        while process.isRunning {
            let mark = "Listening on "
            if let line = process.text.split(separator: "\n").first(where: { $0.hasPrefix(mark) }) {
                return (process, String(line.dropFirst(mark.count)))
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Failure(description: "the server did not start: \(process.text)")
    }
}
