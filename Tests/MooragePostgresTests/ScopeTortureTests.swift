import Foundation
import MoorageSupport
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

extension Night {
    /// Six programs move rows, what hangs below them, and their members at once.
    @Suite(
        "Scopes beside six writers", .ownThreads, .enabled(if: PostgresServer.isAvailable),
        .night(.torture))
    struct ScopeTorture {
        private static let transactions = 100

        @Test func `stay what the rules say, also above READ COMMITTED`() throws {
            let first = NightPlan.current.seed
            var rounds = 0
            var (attached, plain) = (ScopeWriter.Outcomes(), ScopeWriter.Outcomes())
            repeat {
                let seed = first &+ UInt64(rounds)
                let outcomes = try write(seed, isAttached: true)
                #expect(outcomes.committed > Self.transactions, "MOORAGE_SEED=\(seed)")
                #expect(
                    outcomes.unexpected.isEmpty,
                    "MOORAGE_SEED=\(seed): \(outcomes.unexpected.prefix(3))")
                attached += outcomes
                plain += try write(seed, isAttached: false)
                rounds += 1
            } while attached.unexpected.isEmpty && !NightPlan.current.isOver
            NightPlan.figures(
                """
                scopes on PostgreSQL: \(rounds) rounds from seed \(first), \(attached); \
                without Moorage: \(plain)
                """)
        }

        private func write(_ seed: UInt64, isAttached: Bool) throws -> ScopeWriter.Outcomes {
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
                if isAttached {
                    do { try world.check() } catch {
                        throw TestFailure("MOORAGE_SEED=\(seed): \(error)")
                    }
                }
                return outcomes.withLock { $0 }
            }
        }
    }
}
