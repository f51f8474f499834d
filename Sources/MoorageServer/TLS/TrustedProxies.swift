#if Server
    import Hummingbird
    import Logging
    import MoorageSupport
    import NIOCore

    /// The owner's proxies, which end TLS in front of the server.
    struct TrustedProxies: Sendable {
        let ranges: [AddressRange]
        /// Called for connections that are cut off, so that the owner finds a forgotten address.
        var onStranger: @Sendable (SocketAddress?) -> Void = { _ in }

        /// Whether a connection may come from this address. A client that bypasses the configured
        /// proxies also bypasses their TLS.
        func mayConnect(_ address: SocketAddress?) -> Bool {
            ranges.isEmpty || Self.isOfThisMachine(address) || isProxy(address)
        }

        /// Whether a request counts as sent over HTTPS. A proxy must say so in `x-forwarded-proto`.
        func isGuarded(_ fields: HTTPFields, from address: SocketAddress?) -> Bool {
            if ranges.isEmpty { return true }
            // A closed connection has no address.
            guard isProxy(address) else { return Self.isOfThisMachine(address) }
            guard let name = HTTPFields.Element.Name("x-forwarded-proto") else { return false }
            let values = fields[values: name]
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

    extension TrustedProxies {
        /// Logs unknown addresses once a minute at most.
        init(ranges: [AddressRange], telling logger: Logger) {
            let last = Locked<ContinuousClock.Instant?>(nil)
            self.init(ranges: ranges) { address in
                let now = ContinuousClock.now
                let isDue = last.withLock { last in
                    if let known = last, known.duration(to: now) < .seconds(60) { return false }
                    last = now
                    return true
                }
                guard isDue else { return }
                logger.warning(
                    "A connection from \(address?.ipAddress ?? "nowhere") was cut off: it is none of trustedProxies"
                )
            }
        }
    }
#endif
