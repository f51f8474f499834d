#if Server
    public import MoorageWire

    extension HubServer {
        /// Where a server listens, whom it lets in, and how much it takes.
        public struct Configuration: Sendable {
            public var listen: ListenAddress
            public var signIn: SignIn
            public var limits: Limits
            /// Plain HTTP off the loopback shows secret and rows to everyone on the way; only for a
            /// server behind a proxy that ends TLS.
            public var allowPlainHTTP: Bool

            public init(
                listen: ListenAddress, signIn: SignIn, limits: Limits = Limits(),
                allowPlainHTTP: Bool = false
            ) {
                self.listen = listen
                self.signIn = signIn
                self.limits = limits
                self.allowPlainHTTP = allowPlainHTTP
            }

            /// A server without users.
            public init(
                listen: ListenAddress, secret: SharedSecret, limits: Limits = Limits(),
                allowPlainHTTP: Bool = false
            ) {
                self.init(
                    listen: listen, signIn: SignIn(secret: secret), limits: limits,
                    allowPlainHTTP: allowPlainHTTP)
            }

            /// - Throws: ``HubError`` `configuration` that names the setting and what to do.
            public func validate() throws(HubError) {
                try limits.validate()
                try signIn.validate()
                guard listen.isLoopback || allowPlainHTTP else {
                    throw HubError(
                        .configuration,
                        """
                        Listening on \(listen) would send secret and rows over the network \
                        unencrypted. Listen on 127.0.0.1 behind a proxy that ends TLS; or, when \
                        the network itself is private, set `allowPlainHTTP: true`.
                        """)
                }
            }
        }

        public typealias Limits = ServerLimits
    }
#endif
