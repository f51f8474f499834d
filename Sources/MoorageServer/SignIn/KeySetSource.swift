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
            guard SafeAddress.isSafe(url) else {
                throw HubError.unsafeKeySet
            }
            self.url = url
            self.algorithm = algorithm
        }
    }
#endif
