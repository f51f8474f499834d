import Foundation
import MoorageSupport
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

extension Night {
    /// Writers with transactions of one to eight statements, some rolled back, beside a reader that
    /// goes from checkpoint to checkpoint.
    @Suite(
        "Checkpoints beside many writers", .ownThreads, .enabled(if: PostgresServer.isAvailable),
        .night(.torture))
    struct CheckpointTorture {
        @Test func `show every commit to a reader`() async {
            let name = "checkpoints on PostgreSQL"
            var (commits, readings) = (0, 0)
            let rounds = await NightPlan.rounds(of: name) { seed in
                let round = try Round(seed: seed).run()
                commits += round.commits
                readings += round.readings
                return round.problems
            }
            NightPlan.figures(
                """
                \(name): \(rounds) rounds from seed \(NightPlan.current.seed), \(commits) commits, \
                \(readings) readings
                """)
        }
    }
}

/// One database, eight writers with a number of transactions each, and a reader until they are
/// done.
private struct Round {
    let seed: UInt64

    private static let writers = 8
    private static let transactions = 200

    /// - Returns: How much was written and read, and what was wrong.
    func run() throws -> (commits: Int, readings: Int, problems: [String]) {
        try PostgresServer.withDatabase { subject in
            try subject.session().execute(WrittenItems.schema)
            try subject.attach()
            let reader = CheckpointReader(subject, try subject.table("item"))
            let sessions = try (0..<Self.writers).map { _ -> Loan in
                let session = try subject.session()
                try session.execute("SET deadlock_timeout TO '5ms'")
                return Loan(value: session)
            }
            let commits = Locked(0)
            let failures = Locked<[String]>([])
            let group = DispatchGroup()
            for (number, session) in sessions.enumerated() {
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    write(number, session.value, commits, failures)
                }
            }
            var readings = 0
            var isLast: Bool
            var isWhole: Bool
            repeat {
                isLast = group.wait(timeout: .now()) == .success
                isWhole = try reader.follow()
                readings += 1
            } while isWhole && !isLast
            group.wait()
            let gaps = isWhole ? [] : ["reading \(readings) does not hold what the table does"]
            return (commits.withLock { $0 }, readings, gaps + failures.withLock { $0 })
        }
    }

    private func write(
        _ number: Int, _ session: PostgresSession, _ commits: Locked<Int>,
        _ failures: Locked<[String]>
    ) {
        var random = SeededGenerator(seed: seed &* 100 &+ UInt64(number))
        for _ in 0..<Self.transactions {
            do {
                try session.execute("BEGIN")
                for _ in 0...random.below(8) {
                    try session.execute(
                        WrittenItems.statement(in: 0..<200, by: number, using: &random))
                }
                if random.once(in: 10) {
                    try session.execute("ROLLBACK")
                } else {
                    try session.execute("COMMIT")
                    commits.withLock { $0 += 1 }
                }
            } catch {
                // Deadlocks and unique keys are the writers' own; anything else is ours.
                let state = session.lastState ?? ""
                if state != "40P01", state != "23505" {
                    failures.withLock { $0.append("\(state) \(error)") }
                }
                do { try session.execute("ROLLBACK") } catch {}
            }
        }
    }
}

/// A session handed to the one thread that uses it.
private struct Loan: @unchecked Sendable { let value: PostgresSession }
