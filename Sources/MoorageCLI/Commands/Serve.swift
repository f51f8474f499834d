#if Server
    import ArgumentParser
    import Logging
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageWire
    import ServiceLifecycle
    import UnixSignals

    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Serves a central database to replicas over HTTP.",
            discussion: """
                It listens on the loopback unless told otherwise. TLS is ended by a proxy in front, or \
                by the server itself (`tls`). \
                SIGTERM and SIGINT stop it gracefully.
                """)

        @OptionGroup var options: DatabaseOptions

        @Option(help: "Where to listen, such as 127.0.0.1:8080; port 0 takes a free one.")
        var listen: String?

        @Flag(help: "Print all settings with their defaults, without secrets, and stop.")
        var printConfig = false

        @Option(help: "How much the log tells.")
        var logLevel = LogLevel.info

        func run() async throws {
            var settings = try options.configuration.load()
            if let database = options.database {
                settings.database = try DatabaseSetting(
                    argument: database, environment: options.configuration.environment)
            }
            if let listen { settings.listen = try Self.address(listen) }
            let console = Console(showsProgress: false)
            if printConfig { return console.print(String(settings.yaml.dropLast())) }
            guard let address = settings.database?.address else {
                throw CommandFailure.noDatabaseNamed
            }
            let configuration = try await serverConfiguration(settings)
            var logger = Logger(label: "moorage") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = logLevel.level
            let database = try CentralAccess.open(
                address, connections: settings.centralConnections)
            let hub = Hub(database: database, configuration: settings.hub, logger: logger)
            let summary = try await checked(hub, settings)
            let health = CentralHealth(database: database, hub: hub, logger: logger)
            let server = try HubServer(
                hub: hub, health: { await health.report() }, configuration: configuration,
                logger: logger
            ) { [logger] address in
                logger.info("\(summary)")
                console.print("Listening on \(configuration.scheme)://\(address)")
            }
            var services: [any Service] = [server]
            if let webhook = settings.webhook?.webhook {
                services.append(WebhookService(webhook, of: hub, logger: logger))
            }
            var group = ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
            group.maximumGracefulShutdownDuration = .seconds(60)
            try await ServiceGroup(configuration: group).run()
        }

        /// A server that could answer nothing does not start.
        ///
        /// - Returns: What it serves, for the log.
        private func checked(
            _ hub: Hub, _ settings: MoorageConfiguration
        ) async throws -> String {
            try await hub.checkConfiguration()
            let schema = try await hub.schema()
            let tables = settings.tables ?? []
            let forgotten = schema.schema.tables.map(\.name).filter { name in
                !tables.contains { $0.name.hasSameBytes(as: name) }
            }
            if let name = forgotten.first, tables.contains(where: \.isRestricted) {
                throw CommandFailure.tableNotConfigured(name)
            }
            let ways = [
                ("the shared secret", settings.secret != nil),
                ("API keys", !settings.signIn.apiKeys.isEmpty),
                ("tokens", settings.signIn.tokens != nil),
            ].filter(\.1).map(\.0).joined(separator: ", ")
            return "Serving \(schema.schema.tables.count) tables; sign-in by \(ways)"
        }

        private func serverConfiguration(
            _ settings: MoorageConfiguration
        ) async throws -> HubServer.Configuration {
            guard settings.secret != nil || settings.signIn != SignInSettings() else {
                throw CommandFailure.nobodyCanSignIn
            }
            var configuration = HubServer.Configuration(
                listen: settings.listen,
                signIn: try await settings.signIn.signIn(secret: settings.secret),
                limits: settings.serverLimits, tls: settings.tls,
                trustedProxies: settings.trustedProxies, allowPlainHTTP: settings.allowPlainHTTP)
            configuration.answersREST = settings.answersREST
            configuration.crossOrigins = settings.crossOrigins
            try configuration.validate()
            return configuration
        }

        private static func address(_ text: String) throws -> ListenAddress {
            do {
                return try ListenAddress(text)
            } catch {
                throw CommandFailure(error.message, exit: .usage)
            }
        }
    }

    enum LogLevel: String, CaseIterable, ExpressibleByArgument {
        case trace, debug, info, notice, warning, error

        var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
    }
#endif
