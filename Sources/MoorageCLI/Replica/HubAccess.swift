#if Server
    import Moorage
    import MoorageAsyncHTTP
    import MoorageConfiguration
    import MoorageHub
    import MoorageWire

    /// The hub of a client command.
    struct HubAccess {
        let hub: ReplicaHub
        let connection: any HubConnection
        /// The address for people; `nil` for a hub without one.
        let place: String?

        static func connect(
            _ address: HubAddress, _ settings: MoorageConfiguration, trusting trust: ServerTrust
        ) throws -> HubAccess {
            switch address {
            case .server(let url):
                let secret = try settings.clientSecret(for: url)
                // The address was refused already unless `--allow-plain-http` allows it.
                let connection = HTTPHubConnection(
                    url: url, secret: secret, transport: AsyncHTTPTransport(trust: trust),
                    allowsPlainHTTP: true)
                return HubAccess(
                    hub: .direct(connection), connection: connection, place: address.description)
            case .direct(let database):
                return direct(
                    try CentralAccess.hub(database, settings), place: address.description)
            }
        }

        static func direct(_ hub: Hub, place: String? = nil) -> HubAccess {
            HubAccess(hub: .direct(hub), connection: hub, place: place)
        }

        /// For what needs no hub.
        static let none = HubAccess(hub: .direct(NoHub()), connection: NoHub(), place: nil)

        /// Names the hub in the errors of work with it.
        func naming<Result>(_ work: () async throws -> Result) async throws -> Result {
            do {
                return try await work()
            } catch {
                throw CommandFailure(explaining: error, hub: place)
            }
        }
    }

    private struct NoHub: HubConnection {
        private let error = HubError.noHubAsked

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws { throw error }

        func schema() async throws -> SchemaAnswer { throw error }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer { throw error }
    }
#endif
