#if Server
    import MoorageCore
    import MoorageHub

    /// Why a token was not taken: for the server's log, never for who sent it.
    struct TokenRefusal: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// Reads tokens and says whose they are. Nothing in a token decides how it is checked: its key does,
    /// which its `kid` may only name.
    struct TokenVerifier: Sendable {
        let rules: TokenRules
        let keySet: KeySet?
        /// Seconds since 1970.
        let now: @Sendable () -> Double

        init(_ rules: TokenRules, keySet: KeySet?, now: @escaping @Sendable () -> Double) {
            self.rules = rules
            self.keySet = keySet
            self.now = now
        }

        /// - Throws: ``TokenRefusal``; ``HubError`` `busy` when the issuer's keys cannot be had.
        func principal(of token: some StringProtocol) async throws -> Principal {
            try await self.token(token).principal
        }

        /// Whose a token is, and how long it is good.
        func token(_ token: some StringProtocol) async throws -> (
            principal: Principal, life: Duration
        ) {
            guard token.utf8.count <= TokenLimits.maximumBytes else {
                throw TokenRefusal("It is longer than \(TokenLimits.maximumBytes) bytes.")
            }
            let parts = token.utf8.split(
                separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 3 else { throw TokenRefusal("It has not three parts.") }
            func decoded(_ part: Int, _ name: String) throws -> [UInt8] {
                let text = String(decoding: parts[part], as: UTF8.self)
                guard let bytes = Base64.decode(urlSafe: text), !bytes.isEmpty else {
                    throw TokenRefusal("Its \(name) is not Base64 for URLs.")
                }
                return bytes
            }
            let header = try Self.object(decoded(0, "header"), "header")
            let payload = try decoded(1, "payload")
            let signature = try decoded(2, "signature")
            let key = try await key(header)
            let signed = token.utf8.prefix(parts[0].count + 1 + parts[1].count)
            guard key.isSignature(signature, of: signed) else {
                throw TokenRefusal("Its signature is wrong.")
            }
            let claims = TokenClaims(try Self.object(payload, "payload"))
            let now = now()
            try claims.check(rules, now: now)
            return (try claims.principal(), try claims.life(at: now))
        }

        private static func object(_ bytes: [UInt8], _ name: String) throws -> JSON {
            guard let json = try? JSON(parsing: bytes), case .object = json else {
                throw TokenRefusal("Its \(name) is no JSON object.")
            }
            return json
        }

        private func key(_ header: JSON) async throws -> TokenKey {
            guard header["crit"] == nil else {
                throw TokenRefusal("Its header asks for an extension.")
            }
            guard case .string(let algorithm)? = header["alg"] else {
                throw TokenRefusal("Its header names no algorithm.")
            }
            let id: String?
            switch header["kid"] {
            case nil: id = nil
            case .string(let text): id = text
            default: throw TokenRefusal("Its `kid` is no text.")
            }
            var found = rules.keys.first { TokenRules.isSame($0.id, id) }
            if found == nil, let id, let keySet { found = try await keySet.key(id) }
            guard let found else {
                throw TokenRefusal(
                    id == nil ? "It names no key." : "It names a key that is unknown.")
            }
            guard algorithm.utf8.elementsEqual(found.algorithm.rawValue.utf8) else {
                throw TokenRefusal("Its algorithm is not its key's.")
            }
            return found
        }
    }
#endif
