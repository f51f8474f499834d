#if Server
    import MoorageWire
    import ServiceLifecycle
    import TestSupport

    @testable import MoorageServer

    /// A server on a free port of the loopback, for as long as the test runs.
    struct RunningServer: Sendable {
        let port: Int
        let group: ServiceGroup
        let log: LogLines

        static func run<Result: Sendable>(
            _ hub: any HubConnection = ScriptedHub(), limits: HubServer.Limits = .init(),
            signIn: SignIn? = nil, tls: TLSFiles? = nil, trustedProxies: [AddressRange] = [],
            renewal: Duration = .seconds(10), answersREST: Bool = false,
            crossOrigins: [WebOrigin] = [],
            health: @escaping @Sendable () async -> HealthReport = {
                HealthReport(isReachable: true)
            },
            _ test: @Sendable (RunningServer) async throws -> Result
        ) async throws -> Result {
            let (addresses, continuation) = AsyncStream.makeStream(of: ListenAddress.self)
            let log = LogLines()
            let logger = log.logger
            var configuration = HubServer.Configuration(
                // Over TLS on every address, as only then it may.
                listen: ListenAddress(host: tls == nil ? "127.0.0.1" : "0.0.0.0", port: 0),
                signIn: try signIn ?? SignIn(secret: SharedSecret(Sample.secret)), limits: limits,
                tls: tls, trustedProxies: trustedProxies)
            configuration.answersREST = answersREST
            configuration.crossOrigins = crossOrigins
            var server = try HubServer(
                hub: hub, health: health, configuration: configuration, logger: logger
            ) { continuation.yield($0) }
            server.renewalInterval = renewal
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: [server], logger: logger))
            return try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { continuation.finish() }
                    try await group.run()
                }
                var iterator = addresses.makeAsyncIterator()
                guard let address = await iterator.next() else {
                    // It never listened, and says why.
                    try await tasks.waitForAll()
                    throw CancellationError()
                }
                let result = try await test(
                    RunningServer(port: address.port, group: group, log: log))
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return result
            }
        }

        /// Begins a graceful stop, and does not wait for its end.
        func stop() async { await group.triggerGracefulShutdown() }

        func connect(receiveBuffer: Int32? = nil) throws -> RawConnection {
            try RawConnection(port: port, receiveBuffer: receiveBuffer)
        }

        /// Sends one request on a connection of its own and reads the answer to its end.
        func ask(
            _ method: String, _ path: String, secret: String? = Sample.secret,
            fields: [String] = [], body: [UInt8] = []
        ) async throws -> RawAnswer {
            let connection = try connect()
            var fields = fields
            // Otherwise the server waits for another request, and the answer's end does not come.
            if !fields.contains(where: { $0.hasPrefix("Connection") }) {
                fields.append("Connection: close")
            }
            await connection.send(
                Self.request(method, path, secret: secret, fields: fields, body: body))
            return RawAnswer(await connection.readToEnd())
        }

        static func request(
            _ method: String, _ path: String, secret: String? = Sample.secret,
            fields: [String] = ["Connection: close"], body: [UInt8] = []
        ) -> [UInt8] {
            var lines = ["\(method) \(path) HTTP/1.1", "Host: hub"]
            if let secret { lines.append("Authorization: Bearer \(secret)") }
            if !fields.contains(where: { $0.hasPrefix("Transfer-Encoding") }) {
                lines.append("Content-Length: \(body.count)")
            }
            lines += fields.isEmpty ? ["Connection: close"] : fields
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        }
    }
#endif
