#if Server
    import MoorageTesting
    import TestSupport
    import Testing

    @testable import MoorageServer

    /// Three users with real replicas over HTTP, an office that also writes, and requests made by
    /// hand. Every value and key is marked. No answer may contain one that its user could never
    /// see.
    @Suite(.ownThreads) struct `What goes over the wire` {
        /// The night uses fresh seeds.
        private static let seeds: ClosedRange<UInt64> = {
            let first = isNightly ? NightPlan.current.seed : 1
            return first...first + (isNightly ? 99 : 1)
        }()

        @Test(arguments: seeds)
        func `is of rows that its user holds`(seed: UInt64) async throws {
            let exchanges = isNightly ? 1_000 : 300
            let world = try await RecordedWorld(seed: seed)
            let limits = HubServer.Limits(requestsPerMinute: 1_000_000)
            let counted = try await RunningServer.run(
                world.hub, limits: limits, signIn: try RecordedWorld.signIn()
            ) { server in
                try await world.open(server.port)
                while await world.exchanges < exchanges { try await world.step() }
                try await world.finish()
                let leaks = await world.leaks
                #expect(leaks.isEmpty, "\(leaks)")
                #expect(await world.accepted > 10)
                #expect(await world.compared > 5)
                return await world.figures
            }
            print("Recorded, seed \(seed): \(counted)")
        }

        @Test func `is seen when it is not`() async throws {
            let world = try await RecordedWorld(seed: 1, leaving: "memo")
            try await RunningServer.run(world.hub, signIn: try RecordedWorld.signIn()) { server in
                try await world.open(server.port)
                while await world.exchanges < 100, await world.leaks.isEmpty {
                    try await world.step()
                }
            }
            #expect(await !world.leaks.isEmpty)
        }
    }
#endif
