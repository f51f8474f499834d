#if Server
    import Foundation
    import Logging
    import ServiceLifecycle
    import UnixSignals

    /// Receives a hub's webhook, and sends push notifications by APNs and FCM.
    @main
    enum PushRelayProgram {
        static func main() async {
            // The file with the push tokens is for this user alone.
            umask(0o077)
            do {
                let settings = try RelaySettings(
                    environment: ProcessInfo.processInfo.environment)
                try await serve(settings)
            } catch let error as SettingsError {
                fail("\(error)", code: 78)
            } catch {
                fail("\(error)", code: 1)
            }
        }

        private static func serve(_ settings: RelaySettings) async throws {
            let logger = Logger(label: "push-relay") { StreamLogHandler.standardError(label: $0) }
            let server = try RelayServer(settings, logger: logger) { port in
                logger.info("Listening on port \(port)")
            }
            var group = ServiceGroupConfiguration(
                services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
            group.maximumGracefulShutdownDuration = .seconds(20)
            try await ServiceGroup(configuration: group).run()
        }

        private static func fail(_ text: String, code: Int32) {
            FileHandle.standardError.write(Data("PushRelay: \(text)\n".utf8))
            exit(code)
        }
    }
#endif
