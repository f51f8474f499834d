#if Server
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageSupport
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    extension Night {
        /// This uses the real clock and the system's buffers. The gate tests the same on the hub:
        /// `A live stream`.
        @Suite("Live streams that a server ends", .ownThreads, .night(.soak))
        struct LiveStreamsThatAServerEnds {
            @Test func `for who takes nothing, and misses nothing when it comes back`() async throws
            {
                let rounds = await NightPlan.rounds(of: "streams whose client takes nothing") { _ in
                    let bench = try await LiveServerBench { $0.heartbeat = .milliseconds(20) }
                    let limits = HubServer.Limits(idleTimeout: .milliseconds(300))
                    return try await RunningServer.run(bench.hub, limits: limits) { server in
                        let pages = Locked<[Page]>([])
                        let first = try ExchangeRequest(decoding: LiveServerBench.body(1)).ending
                        try await bench.hub.exchange(first) { frame in
                            if case .page(let page) = frame { pages.withLock { $0.append(page) } }
                        }
                        let cursor = try #require(pages.withLock { $0.last?.cursor })
                        let connection = try await bench.open(
                            server, 1, cursor: cursor, receiveBuffer: 4_096)
                        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
                        // More than all buffers on the way can take.
                        for number in 1...10 {
                            try bench.central.execute(
                                "INSERT INTO note VALUES (\(number), hex(zeroblob(500000)))")
                        }
                        try await eventually("it was dropped") {
                            bench.hub.liveFigures.streams == 0
                        }
                        _ = await connection.readToEnd()
                        // The client continues from the cursor that it had.
                        let request = try ExchangeRequest(
                            decoding: LiveServerBench.body(1, cursor: cursor)
                        ).ending
                        let rows = Locked<[Value]>([])
                        try await bench.hub.exchange(request) { frame in
                            guard case .page(let page) = frame else { return }
                            rows.withLock { $0 += page.tables.flatMap(\.rows).map { $0[0] } }
                        }
                        let got = rows.withLock { $0 }
                        let committed: [Value] = (1...10).map { .integer($0) }
                        return got == committed ? [] : ["it got \(got)"]
                    }
                }
                NightPlan.figures("live streams whose client took nothing: \(rounds)")
            }
        }
    }
#endif
