#if Server
    import Foundation
    import Moorage
    import MoorageAsyncHTTP

    /// A server, and what it is shown: for a command that makes connections of its own.
    struct ServerAccess: Sendable {
        let url: URL
        let secret: String
        let trust: ServerTrust

        /// A transport with connections of its own. Nothing of a load run may hang for long.
        func transport() -> AsyncHTTPTransport {
            AsyncHTTPTransport(trust: trust, totalTimeout: .seconds(60))
        }

        func connection(_ transport: any HTTPTransport) -> HTTPHubConnection {
            HTTPHubConnection(url: url, secret: secret, transport: transport)
        }
    }

    extension HubOptions {
        /// - Throws: ``CommandFailure`` for a hub that is a database, too.
        func server(_ hub: String) throws -> ServerAccess {
            let address = try HubAddress(
                argument: hub, environment: configuration.environment,
                allowPlainHTTP: allowPlainHttp)
            guard case .server(let url) = address else {
                throw CommandFailure.loadOnDatabase
            }
            return ServerAccess(
                url: url, secret: try HubAccess.secret(of: configuration.load(), for: url),
                trust: try trust())
        }
    }
#endif
