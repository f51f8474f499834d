#if Server
    import MoorageHub
    import MoorageSupport
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `How often a user may come` {
        @Test func `is a minute's worth at once, and then one after the other`() throws {
            let time = Locked(1_000.0)
            let rate = UserRate(perMinute: 60) { time.withLock { $0 } }
            for _ in 0..<60 { try rate.admit("ada") }
            let error = #expect(throws: HubError.self) { try rate.admit("ada") }
            #expect(error?.code == .tooMany && error?.retryAfter == .seconds(1))
            #expect(error?.isTransient == true)
            // The others go on.
            try rate.admit("bob")
            time.withLock { $0 += 1 }
            try rate.admit("ada")
            #expect(throws: HubError.self) { try rate.admit("ada") }
            // A clock that goes back gives nothing and takes nothing.
            time.withLock { $0 -= 500 }
            #expect(throws: HubError.self) { try rate.admit("ada") }
            time.withLock { $0 += 1_000 }
            for _ in 0..<60 { try rate.admit("ada") }
            #expect(throws: HubError.self) { try rate.admit("ada") }
        }

        @Test func `is forgotten of those who were not here for a while`() throws {
            let time = Locked(0.0)
            let rate = UserRate(perMinute: 1) { time.withLock { $0 } }
            for number in 0..<25_000 {
                try rate.admit("user \(number)")
                time.withLock { $0 += 0.1 }
            }
            #expect(rate.count <= 10_001)
            #expect(throws: HubError.self) { try rate.admit("user 24999") }
        }

        @Test func `is told with the time to wait`() async throws {
            let key = try await TestKeys.signing(.hs256)
            var limits = HubServer.Limits()
            // The next one may come in a minute: no machine is so slow.
            limits.requestsPerMinute = 1
            let signIn = SignIn(
                secret: try SharedSecret(Sample.secret),
                apiKeys: [APIKey(name: "a", key: try SharedSecret("an-api-key-of-a-program"))],
                tokens: TokenRules(issuer: "i", audience: "a", keys: [key]))
            try await RunningServer.run(UserlessHub(), limits: limits, signIn: signIn) { server in
                func ask(_ secret: String) async throws -> RawAnswer {
                    try await server.ask("GET", "/v1/schema", secret: secret)
                }
                #expect(try await ask("an-api-key-of-a-program").status == 200)
                let answer = try await ask("an-api-key-of-a-program")
                #expect(answer.status == 429 && answer.body.contains("tooMany"))
                #expect(answer.fields["retry-after"].flatMap { Int($0) }.map { $0 <= 60 } == true)
                for _ in 0..<10 { #expect(try await ask(Sample.secret).status == 200) }
            }
        }
    }

    /// A hub that is the same to every user.
    private struct UserlessHub: UserHub {
        private let hub = ScriptedHub()

        func asSeen(by principal: Principal) -> any HubConnection { hub }

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws { try await hub.exchange(request, receive: receive) }

        func schema() async throws -> SchemaAnswer { try await hub.schema() }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }
#endif
