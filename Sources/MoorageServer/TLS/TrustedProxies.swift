#if Server
    import Hummingbird
    import NIOCore

    /// The owner's proxies, which end TLS before the server.
    struct TrustedProxies: Sendable {
        let ranges: [AddressRange]

        /// Whether a connection may come from there. Where proxies are named, whoever goes past them goes
        /// past their TLS.
        func mayConnect(_ address: SocketAddress?) -> Bool {
            ranges.isEmpty || Self.isOfThisMachine(address) || isProxy(address)
        }

        /// Whether a request came over https as far as anybody can tell: a proxy that says nothing cannot.
        func isGuarded(_ fields: HTTPFields, from address: SocketAddress?) -> Bool {
            guard let name = HTTPFields.Element.Name("x-forwarded-proto") else { return false }
            let values = fields[values: name]
            if !isProxy(address) { return true }
            return values.count == 1 && values[0].lowercased() == "https"
        }

        private func isProxy(_ address: SocketAddress?) -> Bool {
            guard let text = address?.ipAddress else { return false }
            return ranges.contains { $0.contains(text) }
        }

        private static func isOfThisMachine(_ address: SocketAddress?) -> Bool {
            guard let text = address?.ipAddress else { return false }
            return loopback.contains { $0.contains(text) }
        }

        private static let loopback = ["127.0.0.0/8", "::1"].compactMap { try? AddressRange($0) }
    }
#endif
