import Foundation
import TestSupport
import Testing

@testable import MoorageTesting

@Suite(.ownThreads) struct `Random histories` {
    /// How many, and from which seed: `MOORAGE_HISTORIES` and `MOORAGE_SEED` choose others.
    static let campaign: Campaign = {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["MOORAGE_HISTORIES"].flatMap { Int($0) } ?? (isNightly ? 100 : 16)
        let first = environment["MOORAGE_SEED"].flatMap { UInt64($0) } ?? 1
        return Campaign(firstSeed: first, count: max(1, count), size: 100, threads: 2)
    }()

    @Test func `of random worlds, users, other programs and faults keep every promise`()
        async throws
    {
        let campaign = Self.campaign
        let report = try await Threads.run { campaign.run() }
        for failure in report.failures {
            Issue.record(
                """
                \(failure.violation)
                moorage-dev simulate --seed \(failure.seed) --histories 1 --steps \(campaign.size) --shrink
                """)
        }
        guard campaign.count >= 16 else { return }
        // What the histories are for must have happened, or they show nothing. `Scripts/simulate` asks
        // for every fault.
        for (what, least) in Self.expected {
            #expect(report.reached[what, default: 0] >= least, "\(what.rawValue)")
        }
    }

    @Test func `of the plain world keep every promise`() async throws {
        let campaign = Campaign(firstSeed: 1, count: 3, size: 100, profile: .plain, threads: 2)
        let report = try await Threads.run { campaign.run() }
        for failure in report.failures {
            Issue.record(
                "\(failure.violation)\nmoorage-dev simulate --seed \(failure.seed) --histories 1 --steps 100 --world plain --shrink"
            )
        }
        #expect(report.reached[.caughtUp, default: 0] > 30)
    }

    @Test func `of worlds whose tables change on both sides keep every promise`() async throws {
        let campaign = Campaign(
            firstSeed: 1, count: isNightly ? 400 : 24, size: 100, profile: .migrating, threads: 2)
        let report = try await Threads.run { campaign.run() }
        for failure in report.failures {
            Issue.record(
                "\(failure.violation)\nmoorage-dev simulate --seed \(failure.seed) --histories 1 --steps 100 --world migrating --shrink"
            )
        }
        let expected: [(Reached, Int)] = [(.altered, 10), (.upgraded, 40), (.caughtUp, 150)]
        for (what, least) in expected {
            #expect(report.reached[what, default: 0] >= least, "\(what.rawValue)")
        }
    }

    private static let expected: [(Reached, Int)] = [
        (.localCommit, 300), (.exchange, 300), (.caughtUp, 150), (.scanned, 150), (.conflict, 5),
        (.refused, 5), (.lost, 3), (.crash, 3), (.editBetween, 3), (.officeBetween, 3),
    ]
}
