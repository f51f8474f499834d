#if Server
    import Hummingbird
    import Logging
    import MoorageSupport
    import NIOCore

    /// The owner's proxies, which end TLS before the server.
    struct TrustedProxies: Sendable {
        let ranges: [AddressRange]
        /// Told of connections that are cut off, so that an owner finds the address that he forgot.
        var onStranger: @Sendable (SocketAddress?) -> Void = { _ in }

        /// Whether a connection may come from there. Where proxies are named, whoever goes past them goes
        /// past their TLS.
        func mayConnect(_ address: SocketAddress?) -> Bool {
            ranges.isEmpty || Self.isOfThisMachine(address) || isProxy(address)
        }

        /// Whether a request came over https as far as anybody can tell: a proxy that says nothing cannot.
        func isGuarded(_ fields: HTTPFields, from address: SocketAddress?) -> Bool {
            if ranges.isEmpty { return true }
            // A connection that is closed has no address any more.
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
        /// Tells of strangers once a minute at most.
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
