public import Foundation
public import MoorageWire

/// Where a replica finds its hub: behind a server, or in the same process.
public struct ReplicaHub: Sendable {
    package let connection: any HubConnection

    /// A server. The call connects to nothing yet.
    ///
    /// - Parameters:
    ///   - url: Its base address, such as `https://example.com/sync`.
    ///   - credentials: What the replica shows to the server; `nil` for a server that asks for
    ///     nothing.
    ///   - transport: What carries the requests. On Linux, `MoorageAsyncHTTP` has one that the
    ///     server's other clients use too.
    public static func http(
        _ url: URL, credentials: HubCredentials? = nil,
        transport: any HTTPTransport = URLSessionTransport()
    ) -> ReplicaHub {
        ReplicaHub(
            connection: HTTPHubConnection(url: url, credentials: credentials, transport: transport))
    }

    /// A server that always gets the same secret. The call connects to nothing yet.
    ///
    /// - Parameters:
    ///   - url: Its base address, such as `https://example.com/sync`.
    ///   - secret: The secret that the operator gave the app; `nil` for a server without one.
    public static func http(_ url: URL, secret: String?) -> ReplicaHub {
        .http(url, credentials: secret.map { .secret($0) })
    }

    /// A hub in this process; `Hub.connection` and `Hub.connection(for:)` of `MoorageHub` make the
    /// connection.
    ///
    /// - Parameter connection: The connection that the hub made.
    public static func direct(_ connection: DirectConnection) -> ReplicaHub {
        ReplicaHub(connection: connection.hub)
    }

    package static func direct(_ connection: any HubConnection) -> ReplicaHub {
        ReplicaHub(connection: connection)
    }
}
