import Foundation

#if Server
    import Logging
    import MoorageHub
    import MooragePostgres
    import MoorageServer
    import ServiceLifecycle
    import UnixSignals
#endif

/// Runs this program a second time, as the server, so that its processor time is not the replica's.
final class ServerProcess {
    static let argument = "--serve"
    static let secret = "0123456789abcdef0123456789abcdef"
    let url: URL
    private let process: Process

    #if Server
        static func serve() async throws {
            guard let url = ProcessInfo.processInfo.environment["MOORAGE_BENCH_DATABASE"] else {
                throw BenchmarkFailure("MOORAGE_BENCH_DATABASE is not set.")
            }
            var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = .error
            var configuration = try HubServer.Configuration(
                listen: ListenAddress(host: "127.0.0.1", port: 0), secret: SharedSecret(secret),
                limits: ServerLimits(maximumConnections: 4_000))
            configuration.answersREST = true
            let server = try HubServer(
                hub: Hub(database: try PostgresDatabase(url: url)),
                health: { HealthReport(isReachable: true) },
                configuration: configuration,
                logger: logger
            ) { address in
                FileHandle.standardOutput.write(Data("\(address.port)\n".utf8))
            }
            try await ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [server], gracefulShutdownSignals: [.sigterm], logger: logger)
            ).run()
        }
    #else
        static func serve() async throws { throw BenchmarkFailure("Built without a server.") }
    #endif

    init(database: String) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [Self.argument]
        var environment = ProcessInfo.processInfo.environment
        environment["MOORAGE_BENCH_DATABASE"] = database
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let url = URL(string: "http://127.0.0.1:\(port)"), !port.isEmpty else {
            throw BenchmarkFailure("The server did not start.")
        }
        self.url = url
    }

    /// The server's memory in bytes; `nil` where the system does not report it.
    var memory: Int? { ProcessMemory.bytes("VmRSS", of: "\(process.processIdentifier)") }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
