import Foundation
import MoorageTesting

/// Reads what a server, its cluster and the way to them have used up.
///
/// It is a cluster's: whatever else works in that one counts, too.
final class Meter {
    /// Whose database is measured.
    private let world: CostWorld
    /// In a database of its own: what it asks for is no part of what it reads.
    private let link: PostgresLink
    private let postmaster: Int
    private let countsStatements: Bool

    init(_ world: CostWorld, reading url: String) throws {
        self.world = world
        link = try PostgresLink(url)
        guard let postmaster = ProcessorTime.parent(of: link.backend), postmaster > 1 else {
            throw BenchmarkFailure("PostgreSQL does not run on this machine, in sight of /proc.")
        }
        self.postmaster = postmaster
        let libraries = try link.rows("SELECT current_setting('shared_preload_libraries')")
        countsStatements = libraries.first?.first?.contains("pg_stat_statements") == true
        if countsStatements { try link.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements") }
    }

    /// What one of several operations takes.
    ///
    /// - Parameters:
    ///   - aside: Connections of this program whose processor time is no part of it.
    ///   - flush: Makes the backends tell of what they have done: they do so once a second at most, at the
    ///     end of a transaction. What it takes is counted in transactions, blocks and tuples.
    func measure(
        _ times: Int, aside: [PostgresLink] = [], flush: () async throws -> Void = {},
        _ work: () async throws -> Void
    ) async throws -> Counters {
        try await waitForStatistics(flush)
        let told = try toldByDatabase()
        let before = try readAtOnce(aside)
        try await work()
        var used = try readAtOnce(aside) - before
        try await waitForStatistics(flush)
        let database = try toldByDatabase() - told
        used.transactions = database.transactions
        used.blocksHit = database.blocksHit
        used.blocksRead = database.blocksRead
        used.tuplesWritten = database.tuplesWritten
        return used / Double(times)
    }

    private func waitForStatistics(_ flush: () async throws -> Void) async throws {
        try await Task.sleep(for: .milliseconds(1_200))
        try await flush()
        try await Task.sleep(for: .milliseconds(100))
    }

    private func readAtOnce(_ aside: [PostgresLink]) throws -> Counters {
        var counters = Counters()
        counters.server = ProcessorTime.seconds(of: world.server.process)
        let others = (aside + [link]).reduce(0) { $0 + ProcessorTime.seconds(of: $1.backend) }
        counters.postgres = try ProcessorTime.secondsOfFamily(postmaster) - others
        counters.walBytes = try number("pg_current_wal_insert_lsn() - '0/0'")
        if countsStatements {
            counters.statements = try number(
                """
                (SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements AS s
                 JOIN pg_database AS d ON d.oid = s.dbid WHERE d.datname = '\(world.database)')
                """)
        }
        let bytes = world.bytes.count
        counters.bytesUp = Double(bytes.up)
        counters.bytesDown = Double(bytes.down)
        return counters
    }

    private func toldByDatabase() throws -> Counters {
        let found = try link.rows(
            """
            SELECT xact_commit + xact_rollback, blks_hit, blks_read,
                   tup_inserted + tup_updated + tup_deleted
            FROM pg_stat_database WHERE datname = '\(world.database)'
            """)
        let numbers = (found.first ?? []).compactMap { Double($0) }
        guard numbers.count == 4 else { throw BenchmarkFailure("The database is not there.") }
        var counters = Counters()
        counters.transactions = numbers[0]
        counters.blocksHit = numbers[1]
        counters.blocksRead = numbers[2]
        counters.tuplesWritten = numbers[3]
        return counters
    }

    private func number(_ expression: String) throws -> Double {
        try link.rows("SELECT \(expression)").first?.first.flatMap { Double($0) } ?? 0
    }
}
