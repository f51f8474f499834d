#if Server
    import Foundation
    package import MoorageServer
    import MoorageWire

    /// Keys out of what the configuration says of them.
    extension SignInSettings {
        /// - Throws: ``CommandFailure`` for a file that cannot be read; ``HubError`` for what is no key.
        package func signIn(secret: MoorageConfiguration.SecretText?) async throws -> SignIn {
            var signIn = SignIn(secret: try secret.map { try SharedSecret($0.text) })
            for key in apiKeys {
                signIn.apiKeys.append(
                    APIKey(
                        name: key.name, key: try SharedSecret(key.key.text), subject: key.subject,
                        claims: key.claims))
            }
            guard let tokens else { return signIn }
            var rules = TokenRules(
                issuer: tokens.issuer, audience: tokens.audience, keySet: tokens.keySet?.source,
                leeway: tokens.leeway)
            for key in tokens.keys { rules.keys.append(try await key.tokenKey()) }
            signIn.tokens = rules
            return signIn
        }
    }

    extension SignInSettings.Key {
        package func tokenKey() async throws -> TokenKey {
            switch source {
            case .secret(let secret): return try await TokenKey(id: id, secret: secret.text)
            case .file(let path):
                guard let data = FileManager.default.contents(atPath: path),
                    let pem = String(bytes: data, encoding: .utf8)
                else {
                    throw CommandFailure.unreadableTokenKey(path)
                }
                do {
                    return try await TokenKey(id: id, algorithm: algorithm, pem: pem)
                } catch {
                    throw CommandFailure(error.message, at: path, exit: .configuration)
                }
            }
        }
    }
#endif
