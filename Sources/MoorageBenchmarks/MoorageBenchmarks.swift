import Foundation
import MoorageTesting

/// First figures, as ratios measured in one run (docs/development/performance.md).
///
/// `MoorageBenchmarks [--repetitions N] [--rows N] [--cache-mb N] [--seconds N] [part …]`; the
/// parts that need PostgreSQL run when `MOORAGE_TEST_POSTGRES` names a server. Without parts all are measured.
/// `MoorageBenchmarks guards …` counts instead (Scripts/guards).
@main
struct MoorageBenchmarks {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == ServerProcess.argument {
            return try await ServerProcess.serve()
        }
        #if Server
            if arguments.first == MemoryBenchmark.argument {
                return try await MemoryBenchmark.clone(Array(arguments.dropFirst()))
            }
        #endif
        if arguments.first == GuardRun.argument {
            await GuardRun.carryOut(Array(arguments.dropFirst()))
        }
        var plan = Plan()
        plan.read(&arguments)
        try await FileManager.withTemporaryFolder("bench") { @Sendable [plan] folder in
            let report = Report()
            if plan.includes("local") {
                try await TrackingBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("wire") {
                try await WireBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("clone") {
                try await CloneBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("verify") {
                try await VerifyBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("tables") {
                try await IdleTablesBenchmark(folder: folder).run(report)
            }
            if plan.includes("push") {
                try await PushBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("central") { try await CentralBenchmark(plan: plan).run(report) }
            if plan.includes("tenants") {
                try await TenantsBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("subscriptions") {
                try await SubscriptionsBenchmark(plan: plan, folder: folder).run(report)
                try await PriorityBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("pull") {
                try await PullBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("attach") { try await AttachBenchmark(plan: plan).run(report) }
            #if Server
                if plan.includes("idle") { try await IdleBenchmark(plan: plan).run(report) }
                if plan.includes("live") {
                    try await LiveBenchmark(plan: plan, folder: folder).run(report)
                }
                if plan.includes("streams") { try await StreamsBenchmark(plan: plan).run(report) }
                if plan.includes("costs") {
                    try await CostsBenchmark(folder: folder).run(report)
                }
                if plan.includes("memory") {
                    try await MemoryBenchmark(plan: plan, folder: folder).run(report)
                }
            #endif
        }
    }
}
