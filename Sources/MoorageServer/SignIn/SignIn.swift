#if Server
    import MoorageHub
    import MoorageWire

    /// Who may sign in to a server, and as which user (docs/reference/security.md, Sign-in).
    public struct SignIn: Sendable {
        /// Signs in devices and programs without a user: they get the rows that are everyone's.
        public var secret: SharedSecret?
        /// Keys of the owner's other programs. Each key signs in as one user.
        public var apiKeys: [APIKey]
        /// The rules for users' tokens; `nil` when the server accepts no tokens.
        public var tokens: TokenRules?

        /// A server needs at least one of the three, and no two secrets may be the same:
        /// ``HubServer/Configuration/validate()`` checks this.
        public init(
            secret: SharedSecret? = nil, apiKeys: [APIKey] = [], tokens: TokenRules? = nil
        ) {
            self.secret = secret
            self.apiKeys = apiKeys
            self.tokens = tokens
        }

        /// Whether anyone can sign in as a user.
        var hasUsers: Bool { tokens != nil || !apiKeys.isEmpty }

        /// - Throws: ``HubError`` `configuration` for a server that nobody could sign in to, or
        ///   whose rules would let in the wrong users.
        func validate() throws(HubError) {
            guard secret != nil || hasUsers else { throw HubError.nobodyCanSignIn }
            var names: Set<String> = []
            for key in apiKeys where !names.insert(key.name).inserted {
                throw HubError.sameKeyNameTwice(key.name)
            }
            for key in apiKeys where !Principal.isSubject(key.principal.subject) {
                throw HubError.keyWithInvalidUser(key.name)
            }
            let secrets = [secret].compactMap { $0 } + apiKeys.map(\.key)
            for (place, secret) in secrets.enumerated() {
                guard !secret.isToken else { throw HubError.secretIsToken }
                guard !secrets[..<place].contains(where: { $0.isSame(as: secret) }) else {
                    throw HubError.sameSecretTwice
                }
            }
            try tokens?.validate()
        }
    }
#endif
