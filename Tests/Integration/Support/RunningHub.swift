import Foundation
import Logging
import MoorageServer
import MoorageWire

/// A hub behind a real server on a free port of the loopback, as long as the test runs.
enum RunningHub {
    #if Server
        static func run(
            _ hub: any HubConnection, secret: String = World.secret,
            limits: HubServer.Limits = HubServer.Limits(),
            _ test: @escaping @Sendable (URL) async throws -> Void
        ) async throws {
            let (addresses, continuation) = AsyncStream.makeStream(of: ListenAddress.self)
            let server = try HubServer(
                hub: hub, health: { HealthReport(isReachable: true) },
                configuration: HubServer.Configuration(
                    listen: ListenAddress(host: "127.0.0.1", port: 0),
                    secret: SharedSecret(secret), limits: limits),
                logger: Logger(label: "integration") { _ in SwiftLogNoOpLogHandler() }
            ) { continuation.yield($0) }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    // The end of the test cancels the server.
                    do { try await server.run() } catch is CancellationError {}
                }
                var iterator = addresses.makeAsyncIterator()
                guard let address = await iterator.next(),
                    let url = URL(string: "http://127.0.0.1:\(address.port)")
                else { throw CancellationError() }
                defer { tasks.cancelAll() }
                try await test(url)
            }
        }
    #else
        struct NoServer: Error {}

        static func run(
            _ hub: any HubConnection, secret: String = World.secret,
            _ test: @escaping @Sendable (URL) async throws -> Void
        ) async throws {
            throw NoServer()
        }
    #endif
}
