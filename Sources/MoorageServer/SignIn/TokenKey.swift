#if Server
    import JWTKit
    import MoorageCore
    public import MoorageWire

    /// A key that checks tokens with one algorithm, whatever algorithm a token names.
    ///
    /// JWTKit's own collection of keys falls back to another key for an unknown `kid`. It also lets
    /// a token choose the algorithm of a key that names no algorithm. Here it only makes the key.
    public struct TokenKey: Sendable {
        /// The `kid` of tokens that it signs; `nil` for tokens without one.
        public let id: String?
        /// The only algorithm for which the key checks tokens.
        public let algorithm: TokenAlgorithm
        private let signer: any JWTAlgorithm

        /// A secret that both sides know, for `HS256`.
        ///
        /// - Throws: ``HubError`` `configuration` for a secret that is too short.
        public init(id: String?, secret: String) async throws(HubError) {
            guard secret.utf8.count >= TokenLimits.minimumSecretBytes else {
                throw HubError.tokenSecretTooShort(
                    secret.utf8.count, minimum: TokenLimits.minimumSecretBytes)
            }
            let keys = JWTKeyCollection()
            await keys.add(hmac: HMACKey(from: Array(secret.utf8)), digestAlgorithm: .sha256)
            try await self.init(id: id, .hs256, of: keys)
        }

        /// A public key as PEM, or a private key, whose public part checks tokens.
        ///
        /// - Throws: ``HubError`` `configuration` for a key that does not fit the algorithm.
        public init(id: String?, algorithm: TokenAlgorithm, pem: String) async throws(HubError) {
            let keys = JWTKeyCollection()
            let isPrivate = pem.contains("PRIVATE KEY")
            do {
                switch algorithm {
                case .hs256: throw HubError.pemForHS256
                case .rs256:
                    if isPrivate {
                        let key = try Insecure.RSA.PrivateKey(pem: pem)
                        await keys.add(rsa: key, digestAlgorithm: .sha256)
                    } else {
                        let key = try Insecure.RSA.PublicKey(pem: pem)
                        await keys.add(rsa: key, digestAlgorithm: .sha256)
                    }
                case .es256:
                    if isPrivate {
                        await keys.add(ecdsa: try ES256PrivateKey(pem: pem))
                    } else {
                        await keys.add(ecdsa: try ES256PublicKey(pem: pem))
                    }
                case .edDSA:
                    if isPrivate {
                        await keys.add(eddsa: try EdDSA.PrivateKey(pem: pem))
                    } else {
                        await keys.add(eddsa: try EdDSA.PublicKey(pem: pem))
                    }
                }
            } catch let error as HubError {
                throw error
            } catch {
                // The library's message may quote the key.
                throw HubError.noKeyInPEM(algorithm.rawValue)
            }
            try await self.init(id: id, algorithm, of: keys)
        }

        /// A public key of a key set.
        ///
        /// - Parameter standard: The algorithm of keys that name no algorithm.
        /// - Returns: `nil` for a key that is not for signing, that no token could name, or whose
        ///   algorithm the server does not support.
        init?(jwk: JSON, standard: TokenAlgorithm?) async {
            func text(_ name: String) -> String? {
                if case .string(let text)? = jwk[name] { text } else { nil }
            }
            guard let id = text("kid"), !id.isEmpty,
                jwk["use"] == nil || text("use") == "sig", Self.mayVerify(jwk["key_ops"]),
                let algorithm = jwk["alg"] == nil
                    ? standard : text("alg").flatMap(TokenAlgorithm.init)
            else { return nil }
            let name = JWKIdentifier(string: id)
            let key: JWK
            switch (algorithm, text("kty"), text("crv")) {
            case (.rs256, "RSA", _):
                key = .rsa(
                    .rs256, identifier: name, modulus: text("n"), exponent: text("e"))
            case (.es256, "EC", "P-256"):
                key = .ecdsa(.es256, identifier: name, x: text("x"), y: text("y"), curve: .p256)
            case (.edDSA, "OKP", "Ed25519"):
                key = .octetKeyPair(
                    .eddsa, identifier: name, x: text("x"), y: nil, curve: .ed25519)
            default: return nil
            }
            let keys = JWTKeyCollection()
            do {
                try await keys.add(jwk: key)
                try await self.init(id: id, algorithm, of: keys)
            } catch { return nil }
        }

        private static func mayVerify(_ operations: JSON?) -> Bool {
            guard let operations else { return true }
            guard case .array(let list) = operations else { return false }
            return list.contains { if case .string("verify") = $0 { true } else { false } }
        }

        private init(
            id: String?, _ algorithm: TokenAlgorithm, of keys: JWTKeyCollection
        ) async throws(HubError) {
            do {
                signer = try await keys.getKey(alg: algorithm.rawValue)
            } catch {
                throw HubError.keyOfAnotherAlgorithm(algorithm.rawValue)
            }
            self.id = id
            self.algorithm = algorithm
        }

        func isSignature(_ signature: [UInt8], of text: some Collection<UInt8>) -> Bool {
            // The library throws for a signature of the wrong form. Here it is just an invalid
            // signature.
            (try? signer.verify(signature, signs: Array(text))) ?? false
        }

        func sign(_ text: [UInt8]) throws -> [UInt8] { try signer.sign(text) }
    }
#endif
