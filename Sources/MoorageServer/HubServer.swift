#if Server
    import Foundation
    import Hummingbird
    import HummingbirdCore
    public import Logging
    public import MoorageHub
    import MoorageREST
    import MoorageSupport
    public import MoorageWire
    import NIOCore
    public import ServiceLifecycle

    /// Puts a hub on HTTP: `POST /v1/exchange`, `POST /v1/compare`, `GET /v1/schema` and
    /// `GET /health` (docs/reference/protocol.md).
    ///
    /// It is a service: run it in a `ServiceGroup`. A graceful stop refuses new exchanges, and lets
    /// each running one end after its current page. It ends live streams, and then closes the
    /// connections. Connections run on NIO's shared event loops.
    public struct HubServer: Service {
        /// The version that `GET /health` tells.
        public static let version = libraryVersion

        private let handler: RequestHandler
        private let configuration: Configuration
        private let logger: Logger
        private let onRunning: (@Sendable (ListenAddress) async -> Void)?
        /// How often the files of the certificate are looked at.
        var renewalInterval = Duration.seconds(10)

        /// - Parameters:
        ///   - hub: Whom the requests are for.
        ///   - health: How the hub is. It must come back soon, and say nothing that is not for
        ///     everyone. The server calls it at most once a second.
        ///   - configuration: Where it listens, who may sign in, and its limits.
        ///   - logger: Gets one line a request, without row contents and secrets.
        ///   - onRunning: Called with the address once the server listens.
        /// - Throws: ``HubError`` `configuration` for settings that would not be safe.
        public init(
            hub: Hub, health: @escaping @Sendable () async -> HealthReport,
            configuration: Configuration, logger: Logger,
            onRunning: (@Sendable (ListenAddress) async -> Void)? = nil
        ) throws(HubError) {
            try self.init(
                hub: hub as any HubConnection, health: health, configuration: configuration,
                logger: logger, onRunning: onRunning)
        }

        /// For tests, whose hubs are not always ours.
        package init(
            hub: any HubConnection, health: @escaping @Sendable () async -> HealthReport,
            configuration: Configuration, logger: Logger,
            onRunning: (@Sendable (ListenAddress) async -> Void)? = nil
        ) throws(HubError) {
            try configuration.validate()
            guard !configuration.signIn.hasUsers || hub is any UserHub else {
                throw HubError.hubWithoutUsers
            }
            let limits = configuration.limits
            // Not the wall clock, which may be set back.
            let start = ContinuousClock.now
            handler = RequestHandler(
                hub: hub,
                rest: configuration.answersREST
                    ? (hub as? any RowHub & ChangeHub).map {
                        RESTService(hub: $0, timeLimit: limits.restTimeout)
                    } : nil,
                crossOrigins: CrossOrigins(configuration.crossOrigins),
                health: HealthMonitor(health),
                authenticator: Authenticator(configuration.signIn, logger: logger),
                userRate: UserRate(perMinute: limits.requestsPerMinute) {
                    start.duration(to: .now) / .seconds(1)
                },
                proxies: TrustedProxies(ranges: configuration.trustedProxies, telling: logger),
                strictTransport: configuration.tls?.strictTransport,
                limits: limits, admission: Admission(limits: limits),
                streams: StreamSlots(limits: limits),
                connections: ConnectionCounter(limit: limits.maximumConnections),
                departures: Departures(), logger: logger)
            self.configuration = configuration
            self.logger = logger
            self.onRunning = onRunning
        }

        /// Listens until a graceful stop or cancellation.
        ///
        /// - Throws: ``HubError`` `configuration` when the address cannot be listened on, or the
        ///   files of the certificate cannot be used.
        public func run() async throws {
            var certificate: CurrentCertificate?
            if let files = configuration.tls {
                certificate = try await CurrentCertificate(files, logger: logger)
            }
            let isRunning = Locked(false)
            let host = configuration.listen.host
            let server = channel(certificate).server(
                configuration: ServerConfiguration(
                    address: .hostname(host, port: configuration.listen.port)),
                onServerRunning: { [configuration, onRunning] channel in
                    isRunning.withLock { $0 = true }
                    let port = channel.localAddress?.port ?? configuration.listen.port
                    await onRunning?(ListenAddress(host: host, port: port))
                },
                eventLoopGroup: EventLoopGroupProvider.singleton.eventLoopGroup,
                logger: quiet(logger))
            let keys = Task { await handler.authenticator.keepKeysFresh() }
            let renewal = Task { [certificate, renewalInterval] in
                await certificate?.keepFresh(every: renewalInterval)
            }
            defer {
                keys.cancel()
                renewal.cancel()
            }
            do {
                try await withGracefulShutdownHandler {
                    try await server.run()
                } onGracefulShutdown: {
                    handler.admission.stop()
                    handler.streams.stop()
                }
            } catch  where !isRunning.withLock({ $0 }) && !(error is CancellationError) {
                throw Self.cannotListen(on: configuration.listen.description, error)
            }
        }

        private static func cannotListen(on address: String, _ error: any Error) -> HubError {
            guard let error = error as? IOError else {
                return HubError.cannotListen(on: address, "\(type(of: error))")
            }
            return switch error.errnoCode {
            case EADDRINUSE: HubError.addressInUse(address)
            case EACCES: HubError.portNotAllowed(address)
            case EADDRNOTAVAIL: HubError.addressOfAnotherMachine(address)
            default: HubError.cannotListen(on: address, String(cString: strerror(error.errnoCode)))
            }
        }

        private func channel(_ certificate: CurrentCertificate?) -> GuardedChannel {
            let limits = configuration.limits
            let idleTimeout = TimeAmount(limits.idleTimeout)
            // The address counts as a header, and that of a list may have a long position.
            let headerBytes = max(
                limits.maximumHeaderBytes, configuration.answersREST ? RESTService.headerBytes : 0)
            return GuardedChannel(
                http: HTTP1Channel(
                    responder: { [handler] request, writer, channel in
                        try await handler.respond(to: request, writer: writer, channel: channel)
                    },
                    configuration: HTTP1Channel.Configuration(
                        idleTimeout: idleTimeout,
                        httpDecoderConfiguration: .init(
                            maxHeaderFieldSize: headerBytes,
                            maxHeaderListSize: headerBytes,
                            maxHeaderFieldCount: 100))),
                counter: handler.connections, departures: handler.departures,
                proxies: handler.proxies, idleTimeout: idleTimeout, certificate: certificate)
        }

        /// Hummingbird tells of every start; the one line of ours is enough.
        private func quiet(_ logger: Logger) -> Logger {
            var logger = logger
            logger.logLevel = max(logger.logLevel, .warning)
            return logger
        }
    }
#endif
