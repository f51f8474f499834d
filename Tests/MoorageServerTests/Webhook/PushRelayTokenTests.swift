#if Server
    import MoorageSupport
    import NIOCore
    import TestSupport
    import Testing

    @testable import PushRelay

    @Suite(.ownThreads) struct `A token that a relay keeps` {
        @Test func `is made once for callers at the same time`() async throws {
            let (gate, continuation) = AsyncStream.makeStream(of: Void.self)
            defer { continuation.finish() }
            let callers = Locked(0)
            let token = CachedToken {
                callers.withLock { $0 += 1 }
                return .now
            }
            let made = Locked(0)
            @Sendable func make() async -> CachedToken.Made {
                let number = made.withLock { number in
                    number += 1
                    return number
                }
                for await _ in gate {}
                return CachedToken.Made(text: "token-\(number)", life: .seconds(60))
            }
            let tasks = (0..<2).map { _ in Task { try await token.value(make) } }
            try await eventually("both ask") { callers.withLock { $0 } == 2 }
            continuation.finish()
            for task in tasks { #expect(try await task.value == "token-1") }
            #expect(made.withLock { $0 } == 1)
        }

        @Test func `is made again after a failure`() async throws {
            struct Failure: Error {}
            let token = CachedToken()
            await #expect(throws: Failure.self) { _ = try await token.value { throw Failure() } }
            let text = try await token.value {
                CachedToken.Made(text: "token", life: .seconds(60))
            }
            #expect(text == "token")
        }

        /// Apple refuses another token within 20 minutes, and one that is older than an hour.
        @Test func `is renewed for APNs between 20 and 60 minutes`() async throws {
            try await Self.apns { time, authorization, _ in
                let first = try await authorization()
                time.withLock { $0 += .seconds(20 * 60) }
                #expect(try await authorization() == first)
                time.withLock { $0 += .seconds(40 * 60) }
                #expect(try await authorization() != first)
            }
        }

        @Test func `is renewed when APNs does not accept it, but not within 20 minutes`()
            async throws
        {
            try await Self.apns { time, authorization, refuse in
                let first = try await authorization()
                time.withLock { $0 += .seconds(20 * 60 - 1) }
                await refuse()
                #expect(try await authorization() == first)
                time.withLock { $0 += .seconds(1) }
                await refuse()
                #expect(try await authorization() != first)
            }
        }

        /// Runs a test with APNs and a clock that the test moves.
        private static func apns(
            _ test:
                @Sendable (
                    _ time: Locked<ContinuousClock.Instant>,
                    _ authorization: @Sendable () async throws -> String,
                    _ refuse: @Sendable () async -> Void
                ) async throws -> Void
        ) async throws {
            try await PushRelayBench.run { bench in
                let environment = try bench.environment(services: "http://127.0.0.1:1")
                let settings = try #require(try RelaySettings(environment: environment).apns)
                let time = Locked(ContinuousClock.now)
                let apns = await APNs(settings, token: CachedToken { time.withLock { $0 } })
                let client = PushClient()
                do {
                    try await test(
                        time, { try await apns.authorization(client, by: .distantFuture) },
                        {
                            let answer = PushAnswer(status: 403, body: [])
                            _ = await apns.outcome(of: answer)
                        })
                } catch {
                    try await client.shutdown()
                    throw error
                }
                try await client.shutdown()
            }
        }
    }
#endif
