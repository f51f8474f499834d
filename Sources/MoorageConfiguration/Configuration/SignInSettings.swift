#if Server
    import MoorageServer

    /// The settings of `moorage.yaml` for tokens and API keys, before keys are made from them.
    package struct SignInSettings: Hashable, Sendable {
        package struct Tokens: Hashable, Sendable {
            package var issuer: String
            package var audience: String
            var leeway: Duration
            package var keys: [Key] = []
            var keySet: KeySet?
        }

        struct KeySet: Hashable {
            let source: KeySetSource
            /// The address as it was written: a variable in it may contain a secret.
            let written: String
        }

        /// A key of the configuration.
        package struct Key: Hashable, Sendable {
            enum Source: Hashable {
                case secret(MoorageConfiguration.SecretText)
                /// A PEM file.
                case file(String)
            }

            package let id: String?
            let algorithm: TokenAlgorithm
            let source: Source
        }

        package struct APIKeySettings: Hashable, Sendable {
            let name: String
            let key: MoorageConfiguration.SecretText
            let subject: String?
            let claims: [String: [String]]
        }

        package var tokens: Tokens?
        package var apiKeys: [APIKeySettings] = []

        package init() {}
    }
#endif
