#if Server
    public import MoorageWire

    extension HubServer {
        /// Where a server listens, whom it lets in, and how much it takes.
        public struct Configuration: Sendable {
            /// Where the server listens. Beyond the loopback interface it also needs ``tls``,
            /// ``trustedProxies`` or ``allowPlainHTTP``.
            public var listen: ListenAddress
            /// Who may sign in, and as which user.
            public var signIn: SignIn
            /// How much the server accepts at once.
            public var limits: Limits
            /// Where the server ends TLS itself; `nil` for plain HTTP.
            public var tls: TLSFiles?
            /// The owner's proxies. With any, only they and this machine may connect. They must say
            /// with `X-Forwarded-Proto` that a request came to them over https.
            public var trustedProxies: [AddressRange]
            /// Whether programs may read and write rows by plain HTTP, without being replicas
            /// (docs/reference/rest.md). They have the same rights as replicas of their user.
            public var answersREST = false
            /// The sites whose web pages may use the server; none without any.
            public var crossOrigins: [WebOrigin] = []
            /// Plain HTTP off the loopback shows secret and rows to everyone on the way; only for a
            /// server behind a proxy that ends TLS.
            public var allowPlainHTTP: Bool

            /// Nothing is checked here: see ``validate()``, which `HubServer` calls.
            public init(
                listen: ListenAddress, signIn: SignIn, limits: Limits = Limits(),
                tls: TLSFiles? = nil, trustedProxies: [AddressRange] = [],
                allowPlainHTTP: Bool = false
            ) {
                self.listen = listen
                self.signIn = signIn
                self.limits = limits
                self.tls = tls
                self.trustedProxies = trustedProxies
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

            /// `https` where the server ends TLS itself.
            public var scheme: String { tls == nil ? "http" : "https" }

            /// - Throws: ``HubError`` `configuration` that names the setting and what to do.
            public func validate() throws(HubError) {
                try limits.validate()
                try signIn.validate()
                try tls?.validate()
                let isGuarded = tls != nil || !trustedProxies.isEmpty
                guard listen.isLoopback || isGuarded || allowPlainHTTP else {
                    throw HubError.plainHTTP(on: listen.description)
                }
            }
        }

        /// How much the server accepts at once.
        public typealias Limits = ServerLimits
    }
#endif
