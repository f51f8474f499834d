import Foundation
import TestSupport
import Testing

/// Eight writers beside four replicas, two of which see a part of the rows (docs/design.md, 5.2): no
/// change is missed, and every state that a replica caught up with really was.
@Suite(.ownThreads, .serialized) struct `Concurrency` {
    private static let plan = TorturePlan(ProcessInfo.processInfo.environment)

    @Test(arguments: CentreKind.available.filter(plan.includes))
    func `writers and replicas at once miss nothing and see whole transactions`(
        kind: CentreKind
    ) async throws {
        let plan = Self.plan
        let commits = try await withThrowingTaskGroup(of: Int.self) { group in
            var commits = 0
            for run in 0..<plan.runs {
                if run >= plan.atOnce { commits += try await group.next() ?? 0 }
                group.addTask { try await Self.torture(kind, seed: plan.seed(run)) }
            }
            for try await count in group { commits += count }
            return commits
        }
        print(
            "tortured: \(kind.rawValue): \(plan.runs) runs of \(Int(plan.seconds)) s, \(plan.atOnce) at once, \(commits) commits"
        )
    }

    /// - Returns: How many transactions the writers committed.
    private static func torture(_ kind: CentreKind, seed: UInt64) async throws -> Int {
        print("torture: \(kind.rawValue): MOORAGE_SEED=\(seed)")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let centre = try kind.make()
        let commits: Int
        do {
            let torture = try await Torture(seed: seed, centre: centre, folder: folder)
            let problems = try await torture.run(seconds: plan.seconds)
            #expect(problems.isEmpty, "MOORAGE_SEED=\(seed)")
            let differences = try await torture.differences()
            #expect(differences.isEmpty, "MOORAGE_SEED=\(seed)")
            print(torture.report)
            if plan.expectsProgress { #expect(torture.idle == [], "MOORAGE_SEED=\(seed)") }
            commits = torture.totals.commits
        } catch {
            try centre.close()
            throw error
        }
        try centre.close()
        return commits
    }
}

/// How often, for how long, and how many at once.
private struct TorturePlan {
    let runs: Int
    let atOnce: Int
    let seconds: Double
    /// In ten seconds beside other tests a replica may wait for one lock all the time.
    let expectsProgress: Bool
    /// The one kind that is asked for.
    private let database: String?
    private let firstSeed: UInt64?

    init(_ environment: [String: String]) {
        let isNightly = environment["MOORAGE_NIGHTLY"] == "1"
        func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
        runs = max(1, number("MOORAGE_TORTURE_RUNS") ?? 1)
        atOnce = max(1, number("MOORAGE_TORTURE_AT_ONCE") ?? 1)
        let asked = number("MOORAGE_TORTURE_SECONDS")
        seconds = Double(max(1, asked ?? (isNightly ? 60 : 10)))
        expectsProgress = seconds >= 60 && atOnce == 1
        database = environment["MOORAGE_TORTURE_DATABASE"]
        firstSeed = environment["MOORAGE_SEED"].flatMap { UInt64($0) }
    }

    func includes(_ kind: CentreKind) -> Bool { database.map { $0 == kind.rawValue } ?? true }

    func seed(_ run: Int) -> UInt64 {
        firstSeed.map { $0 &+ UInt64(run) } ?? .random(in: 1...1_000_000)
    }
}
