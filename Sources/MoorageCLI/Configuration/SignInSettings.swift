#if Server
    import MoorageServer

    /// The settings of `moorage.yaml` for tokens and API keys, before keys are made from them.
    struct SignInSettings: Hashable {
        struct Tokens: Hashable {
            var issuer: String
            var audience: String
            var leeway: Duration
            var keys: [Key] = []
            var keySet: KeySet?
        }

        struct KeySet: Hashable {
            let source: KeySetSource
            /// The address as it was written: a variable in it may contain a secret.
            let written: String
        }

        /// A key of the configuration.
        struct Key: Hashable {
            enum Source: Hashable {
                case secret(MoorageConfiguration.SecretText)
                /// A PEM file.
                case file(String)
            }

            let id: String?
            let algorithm: TokenAlgorithm
            let source: Source
        }

        struct APIKeySettings: Hashable {
            let name: String
            let key: MoorageConfiguration.SecretText
            let subject: String?
            let claims: [String: [String]]
        }

        var tokens: Tokens?
        var apiKeys: [APIKeySettings] = []
    }
#endif
