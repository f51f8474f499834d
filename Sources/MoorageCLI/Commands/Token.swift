#if Server
    import ArgumentParser
    import Foundation
    import MoorageConfiguration
    import MoorageCore
    import MoorageServer

    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a token for development, signed by a key of the configuration.",
            discussion: """
                The server takes it like one of your sign-in's: it needs a key under `signIn.keys` that \
                can sign, a secret or the private part of a pair. Give it to client commands in \
                MOORAGE_SECRET. In production your own sign-in makes tokens, and the server holds no \
                private key.
                """)

        @Option(help: "The user: `sub`.")
        var subject: String

        @Option(
            name: .customLong("claim"),
            help: """
                A claim, as name=value; several of one name make a list. A value that is a whole number \
                is one in the token.
                """)
        var claims: [String] = []

        @Option(help: "How long it is good.")
        var minutes = 60

        @Option(help: "The key's `kid`; without it the first key of the configuration.")
        var kid: String?

        @OptionGroup var configuration: ConfigurationOptions

        func validate() throws {
            guard (1...500_000).contains(minutes) else {
                throw ValidationError("--minutes must be from 1 to 500000.")
            }
            for claim in claims {
                guard claim.dropFirst().contains("="), !claim.hasPrefix("=") else {
                    throw ValidationError("--claim takes name=value.")
                }
                let name = claim.prefix { $0 != "=" }
                guard !["iss", "aud", "sub", "iat", "exp"].contains(name) else {
                    throw ValidationError("--claim cannot set \(name): the token has its own.")
                }
            }
        }

        func run() async throws {
            let settings = try configuration.load()
            guard let tokens = settings.signIn.tokens else { throw CommandFailure.noTokens }
            guard let key = tokens.keys.first(where: { kid == nil || $0.id == kid }) else {
                throw kid == nil ? CommandFailure.keySetAlone : CommandFailure.unknownKeyID
            }
            let issuer = TokenIssuer(
                key: try await key.tokenKey(), issuer: tokens.issuer, audience: tokens.audience)
            let token = try issuer.token(
                subject: subject, claims: members, now: Int64(Date().timeIntervalSince1970),
                life: Int64(minutes) * 60)
            Console(showsProgress: false).print(token)
        }

        private var members: [(name: String, value: JSON)] {
            var members: [(name: String, values: [JSON])] = []
            for claim in claims {
                guard let equals = claim.firstIndex(of: "=") else { continue }
                let name = String(claim[..<equals])
                let text = String(claim[claim.index(after: equals)...])
                // A code such as 007 is no number.
                let isNumber = Int64(text).map { String($0) == text } ?? false
                let value: JSON = isNumber ? .number(text) : .string(text)
                if let place = members.firstIndex(where: { $0.name == name }) {
                    members[place].values.append(value)
                } else {
                    members.append((name, [value]))
                }
            }
            return members.map {
                ($0.name, $0.values.count == 1 ? $0.values[0] : .array($0.values))
            }
        }
    }
#endif
