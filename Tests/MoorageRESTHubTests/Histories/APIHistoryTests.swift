import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct `Random histories with an API` {
    /// `MOORAGE_HISTORIES` and `MOORAGE_SEED` choose others. More of them run at night.
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        let isNightly = environment["MOORAGE_NIGHTLY"] == "1"
        let count = environment["MOORAGE_HISTORIES"].flatMap { Int($0) } ?? (isNightly ? 400 : 40)
        let first = environment["MOORAGE_SEED"].flatMap { UInt64($0) } ?? 1
        return (0..<max(1, count)).map { first &+ UInt64($0) }
    }()

    @Test(arguments: seeds)
    func `end with equal rows, and with no edit lost`(seed: UInt64) async throws {
        let history = try await APIHistory(seed: seed)
        try await history.run(steps: 60)
        let problems = try await history.problems()
        #expect(
            problems.isEmpty, "MOORAGE_SEED=\(seed)\n\(history.steps.joined(separator: "\n"))")
    }
}
