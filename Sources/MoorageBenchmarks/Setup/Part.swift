import Foundation

/// What is measured under one name of the command line.
struct Part: Sendable {
    let name: String
    /// - Parameter folder: A folder of the part's own.
    let run: @Sendable (_ plan: Plan, _ folder: URL, _ report: Report) async throws -> Void

    /// All parts, in the order in which they run.
    static let all = onFiles + withServer

    private static let onFiles = [
        Part(name: "local") { try await TrackingBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "states") { try await RowStatesBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "wire") { try await WireBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "clone") { try await CloneBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "verify") { try await VerifyBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "tables") { try await IdleTablesBenchmark(folder: $1).run($2) },
        Part(name: "push") { try await PushBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "central") { plan, _, report in
            try await CentralBenchmark(plan: plan).run(report)
        },
        Part(name: "tenants") { try await TenantsBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "subscriptions") { plan, folder, report in
            try await SubscriptionsBenchmark(plan: plan, folder: folder).run(report)
            try await PriorityBenchmark(plan: plan, folder: folder).run(report)
        },
        Part(name: "screen") { try await FirstScreenBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "pull") { try await PullBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "rest") { try await RESTBenchmark(plan: $0, folder: $1).run($2) },
        Part(name: "attach") { plan, _, report in
            try await AttachBenchmark(plan: plan).run(report)
        },
    ]

    #if Server
        private static let withServer = [
            Part(name: "idle") { plan, _, report in
                try await IdleBenchmark(plan: plan).run(report)
            },
            Part(name: "feed") { plan, _, report in
                try await FeedBenchmark(plan: plan).run(report)
            },
            Part(name: "live") { try await LiveBenchmark(plan: $0, folder: $1).run($2) },
            Part(name: "streams") { plan, _, report in
                try await StreamsBenchmark(plan: plan).run(report)
            },
            Part(name: "costs") { try await CostsBenchmark(folder: $1).run($2) },
            Part(name: "memory") { try await MemoryBenchmark(plan: $0, folder: $1).run($2) },
        ]
    #else
        private static let withServer: [Part] = []
    #endif
}
