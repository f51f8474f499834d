import Foundation
import MoorageTesting
import TestSupport
import Testing

extension Night {
    /// Kills processes in the middle of their work. After a restart everything converges, nothing
    /// is doubled and nothing is lost.
    @Suite("Kills", .ownThreads, .night(.kills), .enabled(if: ChildProcess.command != nil))
    struct Kills {
        /// How often a round kills each victim.
        private static let kills = 10

        @Test(arguments: CentreKind.available)
        func `of clients and servers lose nothing and double nothing`(
            kind: CentreKind
        ) async throws {
            var clients = KillHarness.Report()
            var servers = KillHarness.Report()
            let name = "kills on \(kind.rawValue)"
            let rounds = await NightPlan.rounds(of: name) { seed in
                var problems = try await Self.kill(kind, seed, &clients) {
                    try await $0.killClient($1)
                }
                problems += try await Self.kill(kind, seed, &servers) {
                    try await $0.killServer($1)
                }
                problems += try await Self.inWorld(kind) { try await LiveKill.run($0, $1) }
                return problems
            }
            NightPlan.figures(
                """
                \(name): \(rounds) rounds; of a client \(clients); of a server \(servers); \
                \(rounds * LiveKill.kills) kills of a server with live replicas
                """)
            #expect(clients.atWork > 0 && servers.atWork > 0, "every kill came too late")
        }

        /// Kills until an invariant fails.
        ///
        /// - Parameter victim: Kills once, and returns the invariant that fails afterwards.
        private static func kill(
            _ kind: CentreKind, _ seed: UInt64, _ report: inout KillHarness.Report,
            _ victim: (KillHarness, Int) async throws -> String?
        ) async throws -> [String] {
            var problems: [String] = []
            let killed = try await inWorld(kind) { central, folder in
                try await KillHarness.run(central, seed: seed, folder: folder) { harness in
                    for number in 1...Self.kills where problems.isEmpty {
                        guard let problem = try await victim(harness, number) else { continue }
                        problems.append("kill \(number): \(problem)")
                    }
                }
            }
            report.add(killed)
            return problems
        }

        /// Runs work with a central database, and with a folder for its files.
        private static func inWorld<Result>(
            _ kind: CentreKind, _ body: (any KillableCentral, URL) async throws -> Result
        ) async throws -> Result {
            try await FileManager.withTemporaryFolder("kills") { folder in
                switch kind {
                case .sqlite: return try await body(KillableSQLite(folder: folder), folder)
                case .postgres:
                    return try await WriterDatabase.with { database in
                        try await body(KillablePostgres(database), folder)
                    }
                case .mariadb:
                    return try await KillableMariaDB.with { central in
                        try await body(central, folder)
                    }
                }
            }
        }
    }
}
