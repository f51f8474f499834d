#if Server
    import MoorageCore
    import MoorageHub
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `Tokens` {
        private static let now: Int64 = 1_800_000_000

        private func verifier(_ keys: [TokenKey]) -> TokenVerifier {
            let rules = TokenRules(issuer: "https://id.example", audience: "moorage", keys: keys)
            return TokenVerifier(rules, keySet: nil) { Double(Self.now) }
        }

        /// What a token says, and how it is written.
        struct Draft: Sendable {
            var header: [(name: String, value: JSON)] = [
                ("alg", .string("HS256")), ("kid", .string("k")),
            ]
            var payload: [(name: String, value: JSON)] = [
                ("iss", .string("https://id.example")), ("aud", .string("moorage")),
                ("sub", .string("ada")), ("exp", .number("1800003600")),
            ]
            /// What is done to the finished text.
            var finish: @Sendable (String) -> String = { $0 }

            static func header(_ name: String, _ value: JSON?) -> Draft {
                var draft = Draft()
                draft.header = Draft.replaced(draft.header, name, value)
                return draft
            }

            static func claim(_ name: String, _ value: JSON?) -> Draft {
                var draft = Draft()
                draft.payload = Draft.replaced(draft.payload, name, value)
                return draft
            }

            static func text(_ finish: @escaping @Sendable (String) -> String) -> Draft {
                var draft = Draft()
                draft.finish = finish
                return draft
            }

            private static func replaced(
                _ members: [(name: String, value: JSON)], _ name: String, _ value: JSON?
            ) -> [(name: String, value: JSON)] {
                members.filter { $0.name != name } + (value.map { [(name, $0)] } ?? [])
            }

            func token(_ key: TokenKey) throws -> String {
                finish(
                    try TokenIssuer.signed(
                        header: .object(header), payload: .object(payload), by: key))
            }
        }

        /// The parts of a token, one of them changed; the signature is not made again.
        private static func changing(
            _ part: Int, _ change: @escaping @Sendable (String) -> String
        ) -> Draft {
            .text { token in
                var parts = token.split(separator: ".", omittingEmptySubsequences: false)
                    .map(String.init)
                parts[part] = change(parts[part])
                return parts.joined(separator: ".")
            }
        }

        private static func encoded(_ text: String) -> String {
            Base64.encode(urlSafe: Array(text.utf8))
        }

        static let refused: [(String, Draft)] = [
            // The algorithm.
            ("alg none", .header("alg", .string("none"))),
            ("alg None", .header("alg", .string("None"))),
            ("alg NONE, unsigned", changing(0) { _ in encoded(#"{"alg":"none","kid":"k"}"#) }),
            (
                "alg none, without a signature",
                .text { _ in
                    encoded(#"{"alg":"none","kid":"k"}"#) + "." + encoded(#"{"sub":"ada"}"#) + "."
                }
            ),
            ("alg in lower case", .header("alg", .string("hs256"))),
            ("alg of more bits", .header("alg", .string("HS512"))),
            ("alg of another family", .header("alg", .string("RS256"))),
            ("alg empty", .header("alg", .string(""))),
            ("alg missing", .header("alg", nil)),
            ("alg null", .header("alg", .null)),
            ("alg a list", .header("alg", .array([.string("HS256")]))),
            ("alg with a space", .header("alg", .string("HS256 "))),
            // The key.
            ("kid missing", .header("kid", nil)),
            ("kid unknown", .header("kid", .string("other"))),
            ("kid empty", .header("kid", .string(""))),
            ("kid a number", .header("kid", .number("1"))),
            ("kid null", .header("kid", .null)),
            ("kid a path", .header("kid", .string("../../dev/null"))),
            ("kid SQL", .header("kid", .string("k' OR '1'='1"))),
            ("kid with NUL", .header("kid", .string("k\0"))),
            ("kid of other bytes", .header("kid", .string("K"))),
            ("crit", .header("crit", .array([.string("exp")]))),
            ("crit, empty", .header("crit", .array([]))),
            // The form.
            ("nothing", .text { _ in "" }),
            ("a word", .text { _ in "token" }),
            ("two parts", .text { $0.split(separator: ".").dropLast().joined(separator: ".") }),
            ("two dots", .text { _ in ".." }),
            ("four parts", .text { $0 + ".x" }),
            ("a dot at the end", .text { $0 + "." }),
            ("no signature", changing(2) { _ in "" }),
            ("no payload", changing(1) { _ in "" }),
            ("no header", changing(0) { _ in "" }),
            ("a signature cut short", changing(2) { String($0.dropLast(4)) }),
            (
                "a signature of zeros",
                changing(2) { _ in encoded(String(repeating: "\0", count: 32)) }
            ),
            ("a signature that is too long", changing(2) { $0 + "AAAA" }),
            ("padding", changing(2) { $0 + "=" }),
            ("the other alphabet", changing(2) { _ in "++//" + String(repeating: "A", count: 39) }),
            ("Unicode in Base64", changing(1) { $0 + "é" }),
            ("a line break", changing(1) { $0 + "\n" }),
            ("bits left over", changing(2) { String($0.dropLast()) + "_" }),
            ("another payload", changing(1) { _ in encoded(#"{"sub":"eve"}"#) }),
            ("a header that is a list", changing(0) { _ in encoded("[]") }),
            ("a header that is no JSON", changing(0) { _ in encoded("{") }),
            (
                "two members of one name",
                changing(0) { _ in encoded(#"{"alg":"HS256","kid":"k","kid":"k"}"#) }
            ),
            ("a huge token", .claim("fill", .string(String(repeating: "x", count: 100_000)))),
            ("deep nesting", changing(1) { _ in encoded(String(repeating: "[", count: 5_000)) }),
            ("Bearer twice", .text { "Bearer " + $0 }),
            // The time.
            ("exp missing", .claim("exp", nil)),
            ("exp over", .claim("exp", .number("1799999960"))),
            ("exp long over", .claim("exp", .number("0"))),
            ("exp negative", .claim("exp", .number("-1"))),
            ("exp as text", .claim("exp", .string("1800003600"))),
            ("exp null", .claim("exp", .null)),
            ("exp in milliseconds", .claim("exp", .number("1800003600000"))),
            ("exp beyond every number", .claim("exp", .number("1e999"))),
            ("nbf to come", .claim("nbf", .number("1800000060"))),
            ("nbf as text", .claim("nbf", .string("0"))),
            // Whose it is, and for whom.
            ("iss missing", .claim("iss", nil)),
            ("iss of another", .claim("iss", .string("https://id.example.evil"))),
            ("iss with a slash more", .claim("iss", .string("https://id.example/"))),
            ("iss a list", .claim("iss", .array([.string("https://id.example")]))),
            ("aud missing", .claim("aud", nil)),
            ("aud of another", .claim("aud", .string("payroll"))),
            ("aud a list without us", .claim("aud", .array([.string("payroll")]))),
            ("aud an empty list", .claim("aud", .array([]))),
            ("aud an object", .claim("aud", .object([("moorage", .bool(true))]))),
            ("aud in capitals", .claim("aud", .string("Moorage"))),
            ("sub missing", .claim("sub", nil)),
            ("sub empty", .claim("sub", .string(""))),
            ("sub a number", .claim("sub", .number("42"))),
            ("sub with NUL", .claim("sub", .string("ada\0"))),
            ("sub too long", .claim("sub", .string(String(repeating: "a", count: 256)))),
            ("sub of a program", .claim("sub", .string("apiKey:reports"))),
        ]

        @Test(arguments: refused.indices)
        func `are refused`(index: Int) async throws {
            let (name, draft) = Self.refused[index]
            let key = try await TestKeys.signing(.hs256)
            let token = try draft.token(key)
            let verifier = verifier([key])
            await #expect(throws: TokenRefusal.self, "\(name)") {
                _ = try await verifier.principal(of: token)
            }
            // The same verifier takes a good one, before and after.
            #expect(try await verifier.principal(of: Draft().token(key)).subject == "ada")
        }

        @Test(arguments: TokenAlgorithm.allCases)
        func `of each algorithm are taken with its key, and with no other`(
            algorithm: TokenAlgorithm
        ) async throws {
            var draft = Draft.header("alg", .string(algorithm.rawValue))
            draft.payload.append(("employee", .number("5")))
            let token = try draft.token(await TestKeys.signing(algorithm))
            let principal = try await verifier([TestKeys.checking(algorithm)])
                .principal(of: token)
            #expect(principal.claims["employee"] == ["5"])
            for other in TokenAlgorithm.allCases where other != algorithm {
                let verifier = try await verifier([TestKeys.checking(other)])
                await #expect(throws: TokenRefusal.self) {
                    _ = try await verifier.principal(of: token)
                }
            }
        }

        @Test(arguments: [TokenAlgorithm.rs256, .es256, .edDSA])
        func `signed with a public key as the secret are refused`(
            algorithm: TokenAlgorithm
        ) async throws {
            let text =
                switch algorithm {
                case .rs256: TestKeys.rsaPublic
                case .es256: TestKeys.ecPublic
                default: TestKeys.edPublic
                }
            for secret in [text, text + "\n"] {
                let confused = try await TokenKey(id: "k", secret: secret)
                let key = try await TestKeys.checking(algorithm)
                for name in ["HS256", algorithm.rawValue] {
                    let token = try Draft.header("alg", .string(name)).token(confused)
                    let verifier = verifier([key])
                    await #expect(throws: TokenRefusal.self) {
                        _ = try await verifier.principal(of: token)
                    }
                }
            }
        }

        @Test func `of another key of the same algorithm are refused`() async throws {
            let other = try await TokenKey(id: "k", secret: TestKeys.secret + "!")
            let token = try Draft().token(other)
            let verifier = try await verifier([TestKeys.signing(.hs256)])
            await #expect(throws: TokenRefusal.self) { _ = try await verifier.principal(of: token) }
        }

        @Test func `without a kid are for a key without one alone`() async throws {
            let named = try await TestKeys.signing(.hs256)
            let unnamed = try await TestKeys.signing(.hs256, id: nil)
            let token = try Draft.header("kid", nil).token(unnamed)
            #expect(try await verifier([named, unnamed]).principal(of: token).subject == "ada")
            let verifier = verifier([unnamed])
            let withName = try Draft().token(named)
            await #expect(throws: TokenRefusal.self) {
                _ = try await verifier.principal(of: withName)
            }
        }

        @Test func `may be a little early or late`() async throws {
            let key = try await TestKeys.signing(.hs256)
            for draft in [
                Draft.claim("exp", .number("1799999971")), .claim("nbf", .number("1800000030")),
                .claim("exp", .number("1800000000.5")),
                .claim("aud", .array([.string("payroll"), .string("moorage")])),
                .header("typ", .string("at+jwt")),
            ] {
                #expect(try await verifier([key]).principal(of: draft.token(key)).subject == "ada")
            }
        }

        @Test(arguments: [
            ("1800003600", Duration.seconds(3_600)), ("1800000000.5", Duration.milliseconds(500)),
            ("1800000000", Duration.zero), ("1799999971", Duration.zero),
        ])
        func `are good until their end, the leeway apart`(
            end: String, life: Duration
        ) async throws {
            let key = try await TestKeys.signing(.hs256)
            let token = try Draft.claim("exp", .number(end)).token(key)
            #expect(try await verifier([key]).token(token).life == life)
        }

        @Test func `give their claims as text, lists and objects flat`() async throws {
            let key = try await TestKeys.signing(.hs256)
            var draft = Draft()
            draft.payload += [
                ("employee", .array([.number("5"), .string("6"), .null, .number("7.5")])),
                ("isAdmin", .bool(true)), ("nothing", .null),
                (
                    "realm",
                    .object([("roles", .array([.string("clerk")])), ("id", .number("1e3"))])
                ),
                ("realm.roles", .string("boss")),
            ]
            let claims = try await verifier([key]).principal(of: draft.token(key)).claims
            #expect(claims["employee"] == ["5", "6"])
            #expect(claims["isAdmin"] == ["true"])
            #expect(claims["nothing"] == nil && claims["realm.id"] == nil)
            #expect(claims["realm.roles"] == ["boss"])
        }

        @Test func `keys that are none are refused with what is wrong`() async throws {
            await #expect(throws: HubError.self) {
                _ = try await TokenKey(id: "k", secret: "short")
            }
            for algorithm in TokenAlgorithm.allCases {
                for pem in ["", "no PEM", TestKeys.ecPublic, TestKeys.rsaPublic, TestKeys.ed] {
                    if algorithm == .es256, pem == TestKeys.ecPublic { continue }
                    if algorithm == .rs256, pem == TestKeys.rsaPublic { continue }
                    if algorithm == .edDSA, pem == TestKeys.ed { continue }
                    await #expect(throws: HubError.self) {
                        _ = try await TokenKey(id: "k", algorithm: algorithm, pem: pem)
                    }
                }
            }
        }

        @Test func `a key that only checks makes none`() async throws {
            let key = try await TestKeys.checking(.es256)
            #expect(throws: HubError.self) {
                _ = try TokenIssuer(key: key, issuer: "i", audience: "a")
                    .token(subject: "ada", now: 0, life: 1)
            }
        }

        @Test func `are made with what they must say, whatever else is asked for`() async throws {
            let key = try await TestKeys.signing(.edDSA)
            let issuer = TokenIssuer(
                key: key, issuer: "https://id.example", audience: "moorage")
            let token = try issuer.token(
                subject: "ada", claims: [("sub", .string("eve")), ("employee", .number("5"))],
                now: Self.now, life: 60)
            let principal = try await verifier([TestKeys.checking(.edDSA)]).principal(of: token)
            #expect(principal.subject == "ada" && principal.claims["employee"] == ["5"])
        }
    }
#endif
