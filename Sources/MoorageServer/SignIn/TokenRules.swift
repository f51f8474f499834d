#if Server
    import MoorageWire

    /// Which tokens a server accepts (JWT, RFC 7519).
    public struct TokenRules: Sendable {
        /// The `iss` that a token must have.
        public var issuer: String
        /// One of a token's `aud` values. The server refuses a token for another program of the
        /// same issuer.
        public var audience: String
        /// Keys from the configuration.
        public var keys: [TokenKey]
        /// Where the issuer publishes its keys.
        public var keySet: KeySetSource?
        /// How far the issuer's clock may be off.
        public var leeway: Duration
        /// The server refuses a token that is valid for longer: its `exp` is in another unit.
        public var maximumLife: Duration

        /// The rules need a key or a key set, and a leeway of at most 5 minutes:
        /// ``HubServer/Configuration/validate()`` checks this.
        public init(
            issuer: String, audience: String, keys: [TokenKey] = [], keySet: KeySetSource? = nil,
            leeway: Duration = .seconds(30), maximumLife: Duration = .seconds(366 * 86_400)
        ) {
            self.issuer = issuer
            self.audience = audience
            self.keys = keys
            self.keySet = keySet
            self.leeway = leeway
            self.maximumLife = maximumLife
        }

        func validate() throws(HubError) {
            guard !issuer.isEmpty, !audience.isEmpty else {
                throw HubError.tokensWithoutIssuerOrAudience
            }
            guard !keys.isEmpty || keySet != nil else { throw HubError.tokensWithoutKey }
            var ids: [String?] = []
            for key in keys {
                guard !ids.contains(where: { Self.isSame($0, key.id) }) else {
                    throw HubError.sameKeyIDTwice
                }
                ids.append(key.id)
            }
            guard (.zero)...TokenLimits.maximumLeeway ~= leeway else {
                throw HubError.leewayOutOfRange
            }
        }

        static func isSame(_ id: String?, _ other: String?) -> Bool {
            switch (id, other) {
            case (nil, nil): true
            case (let id?, let other?): id.utf8.elementsEqual(other.utf8)
            default: false
            }
        }
    }
#endif
