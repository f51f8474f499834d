import Foundation

/// The `moorage` command beside this program, run as users run it.
final class ServeProcess {
    let url: URL
    var process: Int { Int(running.processIdentifier) }
    private let running: Process

    static var program: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "moorage")
    }

    static func attach(database: String, configuration: URL) throws {
        let process = try start(["attach", database, "--config", configuration.path]).process
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure("moorage attach failed.")
        }
    }

    init(database: String, configuration: URL) throws {
        let (process, output) = try Self.start([
            "serve", database, "--config", configuration.path, "--log-level", "error",
        ])
        running = process
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let address = words.last, let url = URL(string: String(address)),
            url.scheme == "http"
        else {
            process.terminate()
            throw BenchmarkFailure("moorage serve did not start.")
        }
        self.url = url
    }

    func stop() {
        running.terminate()
        running.waitUntilExit()
    }

    private static func start(_ arguments: [String]) throws -> (process: Process, output: Pipe) {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        // It would override the configuration's own secret.
        environment["MOORAGE_SECRET"] = nil
        process.environment = environment
        process.standardOutput = output
        try process.run()
        return (process, output)
    }
}
