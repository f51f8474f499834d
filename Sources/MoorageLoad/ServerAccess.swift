#if Server
    import Foundation
    import Moorage
    import MoorageAsyncHTTP
    package import MoorageConfiguration

    /// A server, and what a load run shows to it.
    package struct ServerAccess: Sendable {
        let url: URL
        let secret: String
        let trust: ServerTrust

        /// A transport with connections of its own. Nothing of a load run may hang for long.
        func transport() -> AsyncHTTPTransport {
            AsyncHTTPTransport(trust: trust, totalTimeout: .seconds(60))
        }

        func connection(_ transport: any HTTPTransport) -> HTTPHubConnection {
            // The address was refused already unless `--allow-plain-http` allows it.
            HTTPHubConnection(
                url: url, secret: secret, transport: transport, allowsPlainHTTP: true)
        }
    }

    extension HubOptions {
        /// - Throws: ``CommandFailure`` for a hub that is a database, too.
        package func server(_ hub: String) throws -> ServerAccess {
            guard case .server(let url) = try address(hub) else {
                throw CommandFailure.loadOnDatabase
            }
            return ServerAccess(
                url: url, secret: try configuration.load().clientSecret(for: url),
                trust: try trust())
        }
    }
#endif
