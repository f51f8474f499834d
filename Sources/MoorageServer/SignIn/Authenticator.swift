#if Server
    import Foundation
    import Hummingbird
    import Logging
    import MoorageHub
    import MoorageWire

    /// Says of a request who sent it, before anything of it is read.
    struct Authenticator: Sendable {
        private let signIn: SignIn
        private let verifier: TokenVerifier?

        init(_ signIn: SignIn, logger: Logger) {
            self.signIn = signIn
            let start = ContinuousClock.now
            verifier = signIn.tokens.map { rules in
                let keySet = rules.keySet.map { source in
                    KeySet(
                        source, logger: logger,
                        now: { start.duration(to: .now) / .seconds(1) },
                        fetch: KeySetDownload.fetch)
                }
                return TokenVerifier(rules, keySet: keySet) { Date().timeIntervalSince1970 }
            }
        }

        /// Until it is cancelled.
        func keepKeysFresh() async { await verifier?.keySet?.keepFresh() }

        /// Who sent a request.
        struct Sender {
            /// `nil` for who came with the shared secret, and is no user.
            var principal: Principal?
            /// How long the credential is good; `nil` for one that has no end.
            var life: Duration?
        }

        /// - Throws: ``HubError`` `unauthorized`, the same for every reason.
        func sender(_ fields: HTTPFields, _ log: Logger) async throws -> Sender {
            let values = fields[values: .authorization]
            guard values.count == 1 else { throw HubError.notSignedIn }
            let parts = values[0].split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else {
                throw HubError.notSignedIn
            }
            let credential = parts[1]
            // All of them, whichever is right: how long it takes must not tell.
            let isSecret = signIn.secret?.matches(credential) ?? false
            let key = signIn.apiKeys.filter { $0.matches(credential) }.first
            if isSecret { return Sender() }
            if let key { return Sender(principal: key.principal) }
            guard let verifier else { throw HubError.notSignedIn }
            do {
                let token = try await verifier.token(credential)
                return Sender(principal: token.principal, life: token.life)
            } catch let error as TokenRefusal {
                log.info("A token was not taken: \(error.reason)")
                throw HubError.notSignedIn
            }
        }
    }
#endif
