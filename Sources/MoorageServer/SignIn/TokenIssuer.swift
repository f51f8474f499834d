#if Server
    public import MoorageCore
    public import MoorageWire

    /// Makes tokens for development and tests, where there is no sign-in yet.
    public struct TokenIssuer: Sendable {
        private let key: TokenKey
        private let issuer: String
        private let audience: String

        /// - Parameter key: A secret, or the private part of a pair.
        public init(key: TokenKey, issuer: String, audience: String) {
            self.key = key
            self.issuer = issuer
            self.audience = audience
        }

        /// - Parameters:
        ///   - claims: Further claims. They cannot replace `iss`, `aud`, `sub`, `iat` and `exp`.
        ///   - now: Seconds since 1970.
        ///   - life: Seconds.
        /// - Throws: ``HubError`` `configuration` for a key that cannot sign.
        public func token(
            subject: String, claims: [(name: String, value: JSON)] = [], now: Int64, life: Int64
        ) throws(HubError) -> String {
            var header: [(name: String, value: JSON)] = [
                ("alg", .string(key.algorithm.rawValue)), ("typ", .string("JWT")),
            ]
            if let id = key.id { header.append(("kid", .string(id))) }
            let own: [(name: String, value: JSON)] = [
                ("iss", .string(issuer)), ("aud", .string(audience)), ("sub", .string(subject)),
                ("iat", .number(String(now))), ("exp", .number(String(now + life))),
            ]
            let others = claims.filter { claim in
                !own.contains { $0.name.utf8.elementsEqual(claim.name.utf8) }
            }
            return try Self.signed(header: .object(header), payload: .object(own + others), by: key)
        }

        static func signed(
            header: JSON, payload: JSON, by key: TokenKey
        ) throws(HubError) -> String {
            let text = [header, payload].map { document in
                var writer = JSONWriter()
                writer.json(document)
                return Base64.encode(urlSafe: writer.bytes)
            }.joined(separator: ".")
            do {
                return try text + "." + Base64.encode(urlSafe: key.sign(Array(text.utf8)))
            } catch {
                throw HubError.publicKeyCannotSign
            }
        }
    }
#endif
