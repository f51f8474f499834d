#if Server
    import Hummingbird
    import HummingbirdCore
    import Logging
    import NIOCore

    /// A server of a test, on a free port of the loopback.
    enum LocalServer {
        /// Serves for as long as the test runs.
        static func run(
            _ router: Router<BasicRequestContext>,
            _ test: @Sendable (_ url: String) async throws -> Void
        ) async throws {
            let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
            let app = Application(
                router: router,
                configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
                logger: Logger(label: "local") { _ in SwiftLogNoOpLogHandler() })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { continuation.finish() }
                    try await app.runService(gracefulShutdownSignals: [])
                }
                var iterator = ports.makeAsyncIterator()
                guard let port = await iterator.next() else { throw CancellationError() }
                try await test("http://127.0.0.1:\(port)")
                group.cancelAll()
            }
        }
    }
#endif
