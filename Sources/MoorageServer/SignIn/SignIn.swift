#if Server
    import MoorageHub
    import MoorageWire

    /// Whom a server lets in, and as whom (docs/security.md, Sign-in).
    public struct SignIn: Sendable {
        /// Lets devices and programs in without saying who uses them: they hold what is everyone's.
        public var secret: SharedSecret?
        /// Keys of the owner's other programs, each of which comes as one user.
        public var apiKeys: [APIKey]
        /// Tokens of users; `nil` when none are taken.
        public var tokens: TokenRules?

        public init(
            secret: SharedSecret? = nil, apiKeys: [APIKey] = [], tokens: TokenRules? = nil
        ) {
            self.secret = secret
            self.apiKeys = apiKeys
            self.tokens = tokens
        }

        /// Whether anybody comes as a user.
        var hasUsers: Bool { tokens != nil || !apiKeys.isEmpty }

        /// - Throws: ``HubError`` `configuration` for a server that nobody could enter, or whose rules
        ///   would let in whom they do not mean.
        func validate() throws(HubError) {
            guard secret != nil || hasUsers else {
                throw HubError(
                    .configuration,
                    "Nobody could sign in. Set a shared secret, API keys, or rules for tokens.")
            }
            var names: Set<String> = []
            for key in apiKeys where !names.insert(key.name).inserted {
                throw HubError(
                    .configuration, "There are two API keys \(key.name). Rename one of them.")
            }
            for key in apiKeys where !Principal.isSubject(key.principal.subject) {
                throw HubError(
                    .configuration,
                    "The API key \(key.name) stands for no user: a name has 1 to 255 bytes, without NUL."
                )
            }
            let secrets = [secret].compactMap { $0 } + apiKeys.map(\.key)
            for (place, secret) in secrets.enumerated() {
                guard !secret.isToken else {
                    throw HubError(
                        .configuration,
                        """
                        The shared secret, or an API key, is a user's token: it would let anyone who has it \
                        in for ever. Give the server a secret of its own.
                        """)
                }
                guard !secrets[..<place].contains(where: { $0.isSame(as: secret) }) else {
                    throw HubError(
                        .configuration,
                        "Two API keys, or one and the shared secret, are the same. Make another one."
                    )
                }
            }
            try tokens?.validate()
        }
    }
#endif
