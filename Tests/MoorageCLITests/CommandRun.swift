#if Server
    import ArgumentParser
    import Foundation
    import GRDB
    import MoorageServer
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

    /// Runs commands in a folder of their own.
    struct CommandRun: Sendable {
        let folder: URL

        static func inFolder<Result>(
            _ body: (CommandRun) async throws -> Result
        ) async throws -> Result {
            let files = FileManager.default
            let folder = files.temporaryDirectory.appending(path: "moorage-\(UUID().uuidString)")
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? files.removeItem(at: folder) }
            return try await body(CommandRun(folder: folder))
        }

        /// An attached example and a replica of it.
        static func withReplica(
            _ body: (CommandRun, _ hub: String, _ file: String) async throws -> Void
        ) async throws {
            try await inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                try await run("sample", hub)
                try await run("attach", hub, "--table", "shippers", "--table", "region")
                let cloned = try await run("clone", hub, run.path("a.db"))
                #expect(!cloned.hasSuffix(": 0 rows"))
                try await body(run, hub, run.path("a.db"))
            }
        }

        func path(_ name: String) -> String { folder.appending(path: name).path }

        func write(_ text: String, to name: String) throws -> String {
            try Data(text.utf8).write(to: folder.appending(path: name))
            return path(name)
        }

        func database(_ name: String) throws -> DatabaseQueue {
            // A command may run meanwhile.
            var configuration = Configuration()
            configuration.busyMode = .timeout(60)
            return try DatabaseQueue(path: path(name), configuration: configuration)
        }

        /// What one command prints.
        @discardableResult
        func callAsFunction(_ arguments: String...) async throws -> String {
            try await run(arguments)
        }

        func run(_ arguments: [String]) async throws -> String {
            let lines = PrintedLines()
            try await run(arguments, printing: lines)
            return lines.text
        }

        func run(_ arguments: [String], printing lines: PrintedLines) async throws {
            try await Self.printing(to: { lines.add($0) }) {
                var command = try MoorageCommand.parseAsRoot(arguments)
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            }
        }

        /// What is printed while this works goes to a test.
        static func printing(
            to print: @escaping @Sendable (String) -> Void, _ work: () async throws -> Void
        ) async throws {
            try await Console.$capture.withValue(Console.Capture(print: print), operation: work)
        }
    }

    /// What was printed, also by a command that failed.
    final class PrintedLines: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []

        func add(_ line: String) { lock.withLock { lines.append(line) } }
        var text: String { lock.withLock { lines.joined(separator: "\n") } }
    }
#endif
