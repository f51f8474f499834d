import Foundation
import MoorageSupport
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

extension Night {
    /// Six programs move rows, the rows below them, and their members at the same time.
    @Suite(
        "Scopes beside six writers", .ownThreads, .enabled(if: PostgresServer.isAvailable),
        .night(.torture))
    struct ScopeTorture {
        private static let transactions = 100

        @Test func `stay what the rules say, also above READ COMMITTED`() async {
            let name = "scopes on PostgreSQL"
            var (attached, plain) = (ScopeWriter.Outcomes(), ScopeWriter.Outcomes())
            let rounds = await NightPlan.rounds(of: name) { seed in
                let (outcomes, problems) = try write(seed, isAttached: true)
                attached += outcomes
                plain += try write(seed, isAttached: false).outcomes
                return problems
            }
            NightPlan.figures(
                """
                \(name): \(rounds) rounds from seed \(NightPlan.current.seed), \(attached); \
                without Moorage: \(plain)
                """)
        }

        /// - Returns: What became of the transactions, and what is wrong with the attached tables.
        private func write(
            _ seed: UInt64, isAttached: Bool
        ) throws -> (outcomes: ScopeWriter.Outcomes, problems: [String]) {
            try PostgresServer.withDatabase { subject in
                let world = try ScopedWorld(subject, seed: seed, isAttached: isAttached)
                let outcomes = Locked(ScopeWriter.Outcomes())
                let writers = try (0..<6).map {
                    try ScopeWriter(subject, seed: seed &* 100 &+ UInt64($0))
                }
                let group = DispatchGroup()
                for writer in writers {
                    group.enter()
                    Thread.detachNewThread {
                        var writer = writer
                        for _ in 0..<Self.transactions { writer.transact() }
                        outcomes.withLock { $0 += writer.outcomes }
                        group.leave()
                    }
                }
                group.wait()
                let all = outcomes.withLock { $0 }
                return try (all, isAttached ? problems(in: world, after: all) : [])
            }
        }

        private func problems(
            in world: ScopedWorld, after outcomes: ScopeWriter.Outcomes
        ) throws -> [String] {
            var problems = outcomes.unexpected
            if outcomes.committed <= Self.transactions {
                problems.append("only \(outcomes.committed) transactions were committed")
            }
            do {
                try world.check()
            } catch let failure as ConformanceFailure {
                problems.append(failure.description)
            }
            return problems
        }
    }
}
