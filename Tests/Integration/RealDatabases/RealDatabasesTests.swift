import Foundation
import MoorageTesting
import TestSupport
import Testing

extension Night {
    /// Client processes sync over HTTP, through a proxy that breaks connections, with real servers
    /// on a real database. Processes end and start again at random. At rest all copies are equal,
    /// nothing is lost, nothing is doubled, and nothing is left over.
    ///
    /// The tests run in parallel, each on a server of its own.
    @Suite(
        "Real databases under fire", .ownThreads, .night(.fire),
        .enabled(if: ChildProcess.command != nil && FireDevice.program != nil))
    struct RealDatabases {
        @Test(.enabled(if: OwnPostgres.programs != nil)) func `on PostgreSQL`() async throws {
            try await OwnPostgres.with { server in
                var histories = FireReport()
                var clients = FireReport()
                var servers = FireReport()
                var open = FireReport()
                var disks = FireReport()
                await NightPlan.rounds(of: "fire on PostgreSQL") { seed in
                    var problems = try await FireHistory.run(seed, &histories) { _ in
                        try ServerCentre(server)
                    }
                    problems += try await KillCycles.ofClients(seed, &clients, on: server)
                    problems += try await KillCycles.ofServers(seed, &servers, on: server)
                    problems += try await OpenTransaction.run(seed, &open, on: server)
                    problems += try await FullDisk.run(seed, &disks)
                    return problems
                }
                NightPlan.figures("histories on PostgreSQL: \(histories)")
                NightPlan.figures("kill cycles of clients: \(clients)")
                NightPlan.figures("kill cycles of servers: \(servers)")
                NightPlan.figures("a transaction stays open: \(open)")
                NightPlan.figures("disk full under PostgreSQL: \(disks)")
            }
        }

        @Test(.enabled(if: OwnMariaDB.program != nil)) func `on MariaDB`() async throws {
            try await OwnMariaDB.with { server in
                var histories = FireReport()
                await NightPlan.rounds(of: "fire on MariaDB") { seed in
                    try await FireHistory.run(seed, &histories) { _ in try MariaDBCentre(server) }
                }
                NightPlan.figures("histories on MariaDB: \(histories)")
            }
        }

        @Test func `on a SQLite file`() async throws {
            var histories = FireReport()
            await NightPlan.rounds(of: "fire on a SQLite file") { seed in
                try await FireHistory.run(seed, &histories) { FileCentre(folder: $0) }
            }
            NightPlan.figures("histories on a SQLite file: \(histories)")
        }
    }
}
