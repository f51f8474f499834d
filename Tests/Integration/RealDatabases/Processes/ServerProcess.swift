import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A database server in a folder of its own, which a test may kill and start again. It never runs
/// as root.
final class ServerProcess: @unchecked Sendable {
    // `@unchecked`: one test uses it, from one task.
    let folder: URL
    private let user: String
    private let identity: URL
    private let farewell: Int32
    private var child: ChildProcess?
    private var isEnding = false

    static var isRoot: Bool { getuid() == 0 }

    /// - Parameters:
    ///   - user: The user that it runs as when the tests run as root, or `nobody` if there is no
    ///     such user.
    ///   - identity: The file that begins with its process number while it runs.
    ///   - farewell: The signal that ends it in good order, even with open connections.
    init(folder: URL, user: String, identity: URL, farewell: Int32) {
        self.folder = folder
        self.farewell = farewell
        self.user = getpwnam(user) == nil ? "nobody" : user
        self.identity = identity
    }

    /// Whether it was started and not ended. After a kill its process may still exist for a moment.
    var isUp: Bool { !isEnding && child?.isRunning == true }

    /// Starts it, and waits until it answers.
    ///
    /// - Parameter attempts: How often it may be started until it answers.
    func start(
        _ program: URL, _ arguments: [String], attempts: Int, answers: () -> Bool
    ) async throws {
        // The last sessions of the ended server keep its memory until they notice its end.
        await child?.wait()
        let (program, arguments) = asUser(program, arguments)
        var words = ""
        for attempt in 1...attempts {
            let child = try ChildProcess(arguments, folder: folder, program: program)
            self.child = child
            isEnding = false
            var isAnswering = false
            try await eventually("\(program.lastPathComponent) answers, or has ended") {
                isAnswering = child.isRunning && answers()
                return isAnswering || !child.isRunning
            }
            if isAnswering { return }
            words = child.text
            try child.removeOutput()
            if attempt < attempts { try await Task.sleep(for: .milliseconds(100)) }
        }
        throw ChildProcess.Failure(
            description: "\(program.lastPathComponent) does not start: \(words.suffix(2_000))")
    }

    /// The number of its process, from the identity file, while it runs.
    var process: Int32? {
        guard let text = FileManager.default.contents(atPath: identity.path) else { return nil }
        let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first
        guard let process = line.flatMap({ Int32($0) }), process > 1, kill(process, 0) == 0 else {
            return nil
        }
        return process
    }

    /// Kills it. Its sessions end by themselves when they notice.
    func killNow() {
        guard let process else { return }
        isEnding = true
        kill(process, SIGKILL)
    }

    /// Ends it in good order.
    func end() async {
        isEnding = true
        if let process { kill(process, farewell) }
        await child?.wait()
    }

    /// Ends it, and removes its folder.
    func remove() async throws {
        await end()
        try FileManager.default.removeItem(at: folder)
    }

    /// Runs work, and then removes the server, also after a failure.
    func removed<Result>(after work: () async throws -> Result) async throws -> Result {
        let result: Result
        do {
            result = try await work()
        } catch {
            try await remove()
            throw error
        }
        try await remove()
        return result
    }

    // MARK: Programs

    /// Gives its folder to the user that it runs as.
    func own() async throws {
        if Self.isRoot { try await run("/bin/chown", ["-R", user, folder.path]) }
    }

    private func asUser(_ program: URL, _ arguments: [String]) -> (URL, [String]) {
        guard Self.isRoot else { return (program, arguments) }
        return (
            URL(fileURLWithPath: "/usr/bin/env"),
            ["runuser", "-u", user, "--", program.path] + arguments
        )
    }

    func runAsUser(_ program: URL, _ arguments: [String]) async throws {
        let (program, arguments) = asUser(program, arguments)
        try await run(program.path, arguments)
    }

    func run(_ program: String, _ arguments: [String]) async throws {
        let child = try ChildProcess(
            arguments, folder: folder, program: URL(fileURLWithPath: program))
        let status = await child.wait()
        let words = child.text
        try child.removeOutput()
        guard status == 0 else { throw ChildProcess.Failure(description: "\(program): \(words)") }
    }
}
