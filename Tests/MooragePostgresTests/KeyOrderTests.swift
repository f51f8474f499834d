import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

/// A scan in key order costs what its page has, wherever it is: counted by the server.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `A scan in key order on PostgreSQL` {
    @Test func `reads what a page holds, and no more`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE t (id integer PRIMARY KEY, n integer NOT NULL);
                INSERT INTO t SELECT i, 0 FROM generate_series(0, 9999) AS i
                """)
            try subject.attach()
            let table = try subject.table("t")
            try owner.execute("VACUUM ANALYZE")
            try subject.postgres.perform { connection in
                let middle = RowKey([.integer(4_000)])
                try connection.begin(.snapshot)
                defer { connection.rollback() }
                let checkpoint = try connection.currentCheckpoint()
                func check(_ name: String, _ read: () throws -> Int) throws {
                    let before = try Self.entries(connection)
                    #expect(try read() == 100, "\(name)")
                    let cost = try Self.entries(connection) - before
                    #expect(cost < 2_000, "\(name)")
                }
                try check("comparing") {
                    try connection.rows(
                        table, after: middle, limit: 100,
                        in: ComparedScopes(
                            authorized: [.everything], read: [.everything], whole: [.everything]),
                        beyond: checkpoint
                    ).count
                }
                let queries: [TrackingQuery] = [
                    .fromNothing(copiedAt: nil, within: checkpoint),
                    .fromNothing(copiedAt: checkpoint, within: nil),
                    .revoke(goneAfter: nil, lostAt: nil),
                ]
                for query in queries {
                    let after = TrackingPosition(version: 0, key: middle)
                    try check("\(query)") {
                        try connection.content(
                            table, columns: [0, 1], in: .everything, query, after: after, limit: 100
                        ).count
                    }
                }
            }
        }
    }

    /// Entries of tables and indexes that the transaction has read.
    private static func entries(_ connection: any CentralConnection) throws -> Int64 {
        let rows = try connection.run(
            """
            SELECT sum(pg_stat_get_xact_tuples_returned(c.oid))::bigint FROM pg_class AS c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i')
            """, [])
        guard case .integer(let count)? = rows.first?.first else {
            throw TestFailure("the statistics are no number")
        }
        return count
    }
}
