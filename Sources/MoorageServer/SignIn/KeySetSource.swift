#if Server
    public import MoorageWire

    /// Where an issuer publishes its keys (a JWK set, RFC 7517).
    public struct KeySetSource: Hashable, Sendable {
        /// The address of the key set: `https`, or `http` on this machine.
        public let url: String
        /// The algorithm of keys that name none; without it such a key is not used.
        public let algorithm: TokenAlgorithm?

        /// - Throws: ``HubError`` `configuration` unless the address is `https`, or of this
        ///   machine, and has no password.
        public init(url: String, algorithm: TokenAlgorithm? = nil) throws(HubError) {
            guard Self.isSafe(url) || Self.isLoopback(url) else {
                throw HubError.unsafeKeySet
            }
            self.url = url
            self.algorithm = algorithm
        }

        private static func isSafe(_ url: String) -> Bool {
            guard url.hasPrefix("https://") else { return false }
            let host = url.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" }
            return !host.isEmpty && !host.contains("@") && !host.hasPrefix(":")
        }

        private static func isLoopback(_ url: String) -> Bool {
            guard url.hasPrefix("http://") else { return false }
            let rest = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
            guard !rest.contains("@") else { return false }
            let address = rest.last == "]" || !rest.contains(":") ? "\(rest):80" : String(rest)
            return (try? ListenAddress(address))?.isLoopback ?? false
        }
    }
#endif
