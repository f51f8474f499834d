import MoorageWire

/// The address of the hub, as the app gives it.
extension HubError {
    init(_ fault: AddressFault) {
        switch fault {
        case .notServer: self = .notServerAddress
        case .plainHTTP(let host): self = .plainHTTP(to: host)
        }
    }

    /// It does not repeat the address, which may contain a password.
    private static let notServerAddress = HubError(
        .configuration,
        """
        The hub's URL is no address of a server. Nothing was sent. Write `https://host` or \
        `http://localhost:8080`, without a user, a query or a fragment.
        """)

    private static func plainHTTP(to host: String) -> HubError {
        HubError(
            .configuration,
            """
            Plain HTTP would send secret and rows unencrypted to \(host). Nothing was sent. Use \
            https://, or `allowsPlainHTTP` of `ReplicaHub.http` on a network that is private.
            """)
    }

    /// - Parameter path: The path of the address that the app gave.
    static func nothingBelow(_ path: String) -> HubError {
        HubError(
            .notFound,
            """
            The hub has nothing below \(path), the path of the address. Nothing changed. Leave \
            \(path) out of the hub's URL, or let the proxy before the hub remove it.
            """)
    }
}
