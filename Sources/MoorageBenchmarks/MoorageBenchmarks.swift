import Foundation

/// First figures, as ratios measured in one run (docs/performance.md).
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
        try await Scratch.with { [plan] folder in
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
            if plan.includes("push") {
                try await PushBenchmark(plan: plan, folder: folder).run(report)
            }
            if plan.includes("central") { try await CentralBenchmark(plan: plan).run(report) }
            if plan.includes("tenants") {
                try await TenantsBenchmark(plan: plan, folder: folder).run(report)
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

/// How much is measured, and what.
struct Plan: Sendable {
    var repetitions = 5
    var rows = 100_000
    /// Transactions of one row each.
    var singles = 5_000
    var changes = 10_000
    /// How long many streams are written to.
    var seconds = 300
    /// Pages that an app's own connection keeps; SQLite's own size without it.
    var cacheMegabytes: Int?
    private var parts: Set<String> = []

    func includes(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }

    mutating func read(_ arguments: inout [String]) {
        while let argument = arguments.first {
            arguments.removeFirst()
            let number = arguments.first.flatMap { Int($0) }
            switch (argument, number) {
            case ("--repetitions", let number?): repetitions = max(1, number)
            case ("--rows", let number?): rows = max(1, number)
            case ("--seconds", let number?): seconds = max(1, number)
            case ("--cache-mb", let number?): cacheMegabytes = max(1, number)
            default:
                parts.insert(argument)
                continue
            }
            arguments.removeFirst()
        }
    }
}

/// A folder that is removed at the end.
enum Scratch {
    static func with(_ body: @Sendable (URL) async throws -> Void) async throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "moorage-bench-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try await body(folder)
        } catch {
            try files.removeItem(at: folder)
            throw error
        }
        try files.removeItem(at: folder)
    }
}
