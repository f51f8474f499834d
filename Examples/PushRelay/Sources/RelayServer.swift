#if Server
    import Foundation
    import Hummingbird
    import HummingbirdCore
    import Logging
    import NIOCore
    import ServiceLifecycle

    /// The relay as a service: it serves until a graceful stop, or until its task is cancelled.
    struct RelayServer: Service {
        private static let maximumConnections = 256
        private static let idleTimeout = TimeAmount.seconds(30)

        private let settings: RelaySettings
        private let tokens: PushTokens
        private let logger: Logger
        private let onRunning: @Sendable (_ port: Int) -> Void

        /// - Parameters:
        ///   - logger: Gets counts and reasons, and neither secrets nor push tokens.
        ///   - onRunning: Called once, when it listens.
        /// - Throws: If the file with the push tokens cannot be read or written.
        init(
            _ settings: RelaySettings, logger: Logger,
            onRunning: @escaping @Sendable (_ port: Int) -> Void
        ) throws(SettingsError) {
            self.settings = settings
            tokens = try PushTokens(file: settings.tokenFile)
            self.logger = logger
            self.onRunning = onRunning
        }

        /// A request that is under way ends first.
        ///
        /// - Throws: ``SettingsError`` if it cannot listen.
        func run() async throws {
            let client = PushClient()
            do {
                try await serve(client)
            } catch {
                await close(client)
                throw error
            }
            await close(client)
        }

        private func serve(_ client: PushClient) async throws {
            var services: [PushToken.Service: any PushService] = [:]
            if let settings = settings.apns { services[.apns] = await APNs(settings) }
            if let settings = settings.fcm { services[.fcm] = await FCM(settings) }
            let routes = RelayRoutes(
                relay: Relay(
                    tokens: tokens, services: services, refusal: settings.refusal, client: client,
                    logger: logger),
                tokens: tokens, signature: WebhookSignature(secret: settings.webhookSecret),
                signIn: AppSignIn(secret: settings.appSecret), logger: logger)
            let application = Application(
                router: routes.router(),
                server: .http1(configuration: .init(idleTimeout: Self.idleTimeout)),
                configuration: ApplicationConfiguration(
                    address: .hostname(settings.host, port: settings.port),
                    availableConnectionsDelegate: MaximumAvailableConnections(
                        Self.maximumConnections)),
                onServerRunning: { [onRunning] in onRunning($0.localAddress?.port ?? 0) },
                logger: logger)
            do {
                try await application.run()
            } catch {
                throw cannotListen(error) ?? error
            }
        }

        /// - Returns: `nil` for an error that is not about the address.
        private func cannotListen(_ error: any Error) -> SettingsError? {
            let host = SettingsError(
                variable: "PUSH_HOST",
                advice: "Set an address of this machine, not \(settings.host).")
            if error is SocketAddressError.UnknownHost { return host }
            return switch (error as? IOError)?.errnoCode {
            case EADDRINUSE:
                SettingsError(
                    variable: "PUSH_PORT",
                    advice: "Set another port, or stop what listens on \(settings.port).")
            case EACCES:
                SettingsError(
                    variable: "PUSH_PORT",
                    advice: "Set a port that this user may listen on, not \(settings.port).")
            case EADDRNOTAVAIL: host
            default: nil
            }
        }

        private func close(_ client: PushClient) async {
            do {
                try await client.shutdown()
            } catch {
                logger.warning("A connection did not close: \(type(of: error)).")
            }
        }
    }
#endif
