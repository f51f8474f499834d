#if Server
    import MoorageServer
    import MoorageWire

    /// What `moorage.yaml` says of who may come in.
    extension MoorageConfiguration {
        static func readTokens(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> SignInSettings.Tokens {
            let members = try reading.members(["issuer", "audience", "leeway", "keys", "keySet"])
            guard let issuer = members["issuer"], let audience = members["audience"] else {
                throw reading.failure(
                    "Tokens need an `issuer` and an `audience`.",
                    next: "Write the `iss` and the `aud` that your sign-in puts into its tokens.")
            }
            var tokens = SignInSettings.Tokens(
                issuer: try issuer.text(), audience: try audience.text(),
                leeway: try members["leeway"]?.duration() ?? .seconds(30))
            guard tokens.leeway <= TokenLimits.maximumLeeway else {
                throw reading.failure("The leeway for tokens is 5 minutes at most.")
            }
            if let keys = members["keys"] {
                for element in try keys.elements() { tokens.keys.append(try readKey(element)) }
            }
            if let keySet = members["keySet"] { tokens.keySet = try readKeySet(keySet) }
            guard !tokens.keys.isEmpty || tokens.keySet != nil else {
                throw reading.failure(
                    "There is no key to check tokens with.",
                    next: "Write `keySet: https://…`, or `keys:`.")
            }
            return tokens
        }

        private static func readKey(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> SignInSettings.Key {
            let members = try reading.members(["kid", "algorithm", "secret", "file"])
            guard let named = members["algorithm"] else {
                throw reading.failure("A key is for one `algorithm`.", next: known)
            }
            let algorithm = try readAlgorithm(named)
            let source: SignInSettings.Key.Source
            switch (algorithm, members["secret"], members["file"]) {
            case (.hs256, let secret?, nil):
                let text = try secret.text()
                guard text.utf8.count >= TokenLimits.minimumSecretBytes else {
                    throw secret.failure(
                        "The secret is shorter than \(TokenLimits.minimumSecretBytes) bytes.",
                        next: "Make one with `openssl rand -base64 32`.")
                }
                source = .secret(SecretText(text: text))
            case (.rs256, nil, let file?), (.es256, nil, let file?), (.edDSA, nil, let file?):
                source = .file(try file.text())
            default:
                throw reading.failure(
                    "HS256 has a `secret`, every other algorithm a `file` with a public key.")
            }
            return SignInSettings.Key(
                id: try members["kid"]?.text(), algorithm: algorithm, source: source)
        }

        private static func readKeySet(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> SignInSettings.KeySet {
            var url = reading
            var algorithm: TokenAlgorithm?
            if !reading.isScalar {
                let members = try reading.members(["url", "algorithm"])
                guard let named = members["url"] else {
                    throw reading.failure("The key set has no `url`.")
                }
                url = named
                if let named = members["algorithm"] { algorithm = try readAlgorithm(named) }
            }
            let text = try url.substitutedText()
            do {
                return SignInSettings.KeySet(
                    source: try KeySetSource(url: text.text, algorithm: algorithm),
                    written: text.written(hiding: []))
            } catch {
                throw url.failure(error.message)
            }
        }

        private static func readAlgorithm(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> TokenAlgorithm {
            guard let algorithm = TokenAlgorithm(rawValue: try reading.text()) else {
                throw reading.failure("This is no algorithm that is taken.", next: known)
            }
            return algorithm
        }

        private static var known: String {
            "Algorithms are: \(TokenAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))."
        }

        static func readAPIKeys(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> [SignInSettings.APIKeySettings] {
            var keys: [SignInSettings.APIKeySettings] = []
            for (name, settings) in try reading.named() {
                let members = try settings.members(["key", "subject", "claims"])
                guard let key = members["key"] else {
                    throw settings.failure(
                        "An API key has a `key`.", next: "Write `\(name): {key: \"${NAME}\"}`.")
                }
                let text = try key.text()
                do {
                    _ = try SharedSecret(text)
                } catch {
                    throw key.failure(error.message)
                }
                var claims: [String: [String]] = [:]
                for (claim, value) in try members["claims"]?.named() ?? [] {
                    claims[claim] = try value.isScalar ? [value.text()] : value.texts()
                }
                keys.append(
                    SignInSettings.APIKeySettings(
                        name: name, key: SecretText(text: text),
                        subject: try members["subject"]?.text(), claims: claims))
            }
            return keys
        }
    }
#endif
