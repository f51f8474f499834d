import Foundation
import TestSupport
import Testing

extension Night {
    /// Eight writers beside four replicas, two of which see only some rows (docs/reference/hub.md,
    /// Versions and checkpoints). The replicas miss no change. Each time that one caught up, its
    /// rows are a state that the database really had.
    @Suite("Concurrency", .ownThreads, .night(.torture)) struct Concurrency {
        /// How long the writers of a round write. Many short rounds test more beginnings than few
        /// long ones.
        private static let seconds = 10.0
        /// In one round a replica may wait for one lock all the time, but not in so many rounds.
        private static let roundsOfProgress = 6

        @Test(arguments: CentreKind.available)
        func `writers and replicas at once miss nothing and see whole transactions`(
            kind: CentreKind
        ) async throws {
            let name = "torture on \(kind.rawValue)"
            var totals = Writer.Counts()
            // What a replica did in none of the rounds.
            var idle: Set<String>?
            let rounds = await NightPlan.rounds(of: name) { seed in
                let (torture, problems) = try await Self.torture(kind, seed: seed)
                totals.add(torture.totals)
                idle = (idle ?? Set(torture.idle)).intersection(torture.idle)
                if !problems.isEmpty { print(torture.report) }
                return problems
            }
            NightPlan.figures(
                """
                \(name): \(rounds) rounds of \(Int(Self.seconds)) s, \(totals.commits) commits, \
                \(totals.rollbacks) rolled back, \(totals.collisions) collisions, \
                \(totals.heldOpen) held open
                """)
            if rounds >= Self.roundsOfProgress { #expect(idle == []) }
        }

        /// - Returns: The finished round, and the invariants that failed in it.
        private static func torture(
            _ kind: CentreKind, seed: UInt64
        ) async throws -> (Torture, [String]) {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let centre = try kind.make()
            let torture: Torture
            let problems: [String]
            do {
                torture = try await Torture(seed: seed, centre: centre, folder: folder)
                problems = try await torture.run(seconds: seconds) + torture.differences()
            } catch {
                try centre.close()
                throw error
            }
            try centre.close()
            return (torture, problems)
        }
    }
}
