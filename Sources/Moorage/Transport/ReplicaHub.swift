public import Foundation
public import MoorageWire

/// Where a replica finds its hub: behind a server, or in the same process.
public struct ReplicaHub: Sendable {
    package let connection: any HubConnection

    /// A server. The call connects to nothing yet.
    ///
    /// - Parameters:
    ///   - url: Its address, such as `https://sync.example.com`. It has a path only where a proxy
    ///     removes that path. Beyond this machine it must be `https`, or the replica throws
    ///     `configuration` and sends nothing.
    ///   - credentials: What the replica shows to the server; `nil` for a server that asks for
    ///     nothing.
    ///   - transport: What carries the requests. On Linux, `MoorageAsyncHTTP` has one that the
    ///     server's other clients use too.
    ///   - allowsPlainHTTP: Lets secret and rows go unencrypted over a network. Set it only for
    ///     development, on a network that is private.
    public static func http(
        _ url: URL, credentials: HubCredentials? = nil,
        transport: any HTTPTransport = URLSessionTransport(), allowsPlainHTTP: Bool = false
    ) -> ReplicaHub {
        ReplicaHub(
            connection: HTTPHubConnection(
                url: url, credentials: credentials, transport: transport,
                allowsPlainHTTP: allowsPlainHTTP))
    }

    /// A server that always gets the same secret. The call connects to nothing yet.
    ///
    /// - Parameters:
    ///   - url: Its address, such as `https://sync.example.com`. Beyond this machine it must be
    ///     `https`, or the replica throws `configuration` and sends nothing.
    ///   - secret: The secret that the operator gave the app; `nil` for a server without one.
    ///   - allowsPlainHTTP: Lets secret and rows go unencrypted over a network. Set it only for
    ///     development, on a network that is private.
    public static func http(
        _ url: URL, secret: String?, allowsPlainHTTP: Bool = false
    ) -> ReplicaHub {
        .http(url, credentials: secret.map { .secret($0) }, allowsPlainHTTP: allowsPlainHTTP)
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

    /// - Throws: ``ReplicaError`` `configuration` if nothing may be sent to its address.
    func checkedConnection() throws(ReplicaError) -> any HubConnection {
        do {
            try connection.checkAddress()
            return connection
        } catch {
            // The app gave the address. Elsewhere the code is about the hub's configuration.
            throw ReplicaError(
                .hub(error.code), error.message, recovery: .choose, cause: error)
        }
    }
}
