#if Server
    import Logging
    import MoorageCore
    import MoorageHub
    import MoorageSupport
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `An issuer's key set` {
        /// The issuer's document and the time, as the test sets them.
        private final class Issuer: Sendable {
            struct State {
                var document: String? = ""
                var asked = 0
                var now = 1_000_000.0
            }
            let state = Locked(State())

            func publish(_ keys: String...) {
                state.withLock { $0.document = #"{"keys":[\#(keys.joined(separator: ","))]}"# }
            }

            func set(_ document: String?) { state.withLock { $0.document = document } }
            func wait(_ seconds: Double) { state.withLock { $0.now += seconds } }
            var asked: Int { state.withLock { $0.asked } }

            func keySet(_ algorithm: TokenAlgorithm? = nil) throws -> KeySet {
                KeySet(
                    try KeySetSource(url: "https://id.example/keys", algorithm: algorithm),
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                    now: { [state] in state.withLock { $0.now } }
                ) { [state] _ in
                    let document = state.withLock { state in
                        state.asked += 1
                        return state.document
                    }
                    guard let document else { throw KeySetDownload.Failure(reason: "it is away") }
                    return Array(document.utf8)
                }
            }
        }

        @Test func `is asked once, and again for a new key`() async throws {
            let issuer = Issuer()
            issuer.publish(TestKeys.jwk(.es256, id: "old"))
            let set = try issuer.keySet()
            for _ in 0..<100 { #expect(try await set.key("old")?.algorithm == .es256) }
            #expect(issuer.asked == 1)
            issuer.publish(TestKeys.jwk(.es256, id: "old"), TestKeys.jwk(.rs256, id: "new"))
            issuer.wait(11)
            #expect(try await set.key("new")?.algorithm == .rs256)
            #expect(issuer.asked == 2)
        }

        @Test func `is not asked again and again for keys that nobody has`() async throws {
            let issuer = Issuer()
            issuer.publish(TestKeys.jwk(.edDSA))
            let set = try issuer.keySet()
            for number in 0..<1_000 {
                #expect(try await set.key("made-up-\(number)") == nil)
                #expect(try await set.key("k") != nil)
            }
            #expect(issuer.asked == 1)
            issuer.wait(11)
            for number in 0..<1_000 { #expect(try await set.key("more-\(number)") == nil) }
            #expect(issuer.asked == 2)
        }

        @Test func `goes on while the issuer is away, for an hour`() async throws {
            let issuer = Issuer()
            issuer.publish(TestKeys.jwk(.es256))
            let set = try issuer.keySet()
            #expect(try await set.key("k") != nil)
            for document in [nil, "<html>", "{}", #"{"keys":1}"#] as [String?] {
                issuer.set(document)
                issuer.wait(600)
                #expect(try await set.key("k") != nil)
            }
            // Nobody can say now whether an unknown key is a new one.
            let error = await #expect(throws: HubError.self) { _ = try await set.key("new") }
            #expect(error?.code == .busy)
            issuer.wait(1_300)
            await #expect(throws: HubError.self) { _ = try await set.key("k") }
            issuer.publish(TestKeys.jwk(.es256))
            issuer.wait(11)
            #expect(try await set.key("k") != nil)
        }

        @Test func `forgets a key that the issuer withdraws`() async throws {
            let issuer = Issuer()
            issuer.publish(TestKeys.jwk(.es256, id: "a"), TestKeys.jwk(.es256, id: "b"))
            let set = try issuer.keySet()
            #expect(try await set.key("a") != nil)
            issuer.publish(TestKeys.jwk(.es256, id: "b"))
            issuer.wait(301)
            let fresh = Task { await set.keepFresh() }
            defer { fresh.cancel() }
            try await eventually("the key is forgotten") { try await set.key("a") == nil }
            #expect(issuer.asked == 2)
        }

        @Test func `uses no key that is not made for it`() async throws {
            let issuer = Issuer()
            issuer.publish(
                TestKeys.jwk(.rs256, id: "noAlg", named: false),
                TestKeys.jwk(.es256, id: "encrypts", use: "enc"),
                TestKeys.jwk(.hs256, id: "secret"),
                TestKeys.jwk(.es256, id: "twice"), TestKeys.jwk(.rs256, id: "twice"),
                TestKeys.jwk(.es256, id: ""), #"{"kty":"EC"}"#, "1", "null",
                #"{"kid":"mixed","kty":"RSA","alg":"ES256","n":"AQ","e":"AQAB"}"#,
                #"{"kid":"small","kty":"RSA","alg":"RS256","n":"AQAB","e":"AQAB"}"#,
                #"{"kid":"ops","key_ops":["encrypt"],"kty":"EC","crv":"P-256","alg":"ES256","x":"\#(TestKeys.ecX)","y":"\#(TestKeys.ecY)"}"#,
                #"{"kid":"p384","kty":"EC","crv":"P-384","alg":"ES256","x":"AA","y":"AA"}"#,
                TestKeys.jwk(.es256, id: "good", use: "sig"))
            let set = try issuer.keySet()
            for id in ["noAlg", "encrypts", "secret", "twice", "", "mixed", "small", "p384", "ops"]
            {
                #expect(try await set.key(id) == nil, "\(id)")
            }
            #expect(try await set.key("good") != nil)
        }

        @Test func `has the owner's algorithm for keys that name none, and fit it`() async throws {
            let issuer = Issuer()
            issuer.publish(
                TestKeys.jwk(.rs256, id: "rsa", named: false),
                TestKeys.jwk(.es256, id: "ec", named: false))
            let set = try issuer.keySet(.rs256)
            #expect(try await set.key("rsa")?.algorithm == .rs256)
            #expect(try await set.key("ec") == nil)
        }

        @Test func `checks tokens`() async throws {
            let issuer = Issuer()
            issuer.publish(
                TestKeys.jwk(.rs256, id: "r"), TestKeys.jwk(.es256, id: "e"),
                TestKeys.jwk(.edDSA, id: "d"))
            let rules = TokenRules(issuer: "i", audience: "a")
            let verifier = TokenVerifier(rules, keySet: try issuer.keySet()) { 1_000 }
            for (id, algorithm) in [("r", TokenAlgorithm.rs256), ("e", .es256), ("d", .edDSA)] {
                let token = try TokenIssuer(
                    key: await TestKeys.signing(algorithm, id: id), issuer: "i", audience: "a"
                ).token(subject: "ada", now: 1_000, life: 60)
                #expect(try await verifier.principal(of: token).subject == "ada")
            }
        }

        @Test func `is read over HTTPS, or from this machine`() throws {
            for url in [
                "http://id.example/keys", "http://127.0.0.1.evil/keys", "ftp://127.0.0.1/",
                "http://localhost@evil/keys", "file:///keys", "", "https://", "https:///keys",
                "https://user:password@id.example/keys",
            ] {
                #expect(throws: HubError.self) { _ = try KeySetSource(url: url) }
            }
            for url in ["https://id.example/keys", "http://127.0.0.1:81/k", "http://[::1]/keys"] {
                _ = try KeySetSource(url: url)
            }
        }
    }
#endif
