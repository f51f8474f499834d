#if Server
    import TestSupport
    import Testing

    extension Night {
        @Suite("A server among thousands of connections", .ownThreads, .night(.soak))
        struct AServerAmongThousandsOfConnections {
            @Test func `serves others while they say nothing`() async throws {
                let count = min(10_000, max(100, (RawConnection.maximumDescriptors - 2_000) / 2))
                try await SilentConnections(count: count, limit: 500).run()
                NightPlan.figures("half-open connections: \(count)")
            }
        }
    }
#endif
