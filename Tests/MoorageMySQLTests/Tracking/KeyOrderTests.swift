import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// A scan in key order costs what its page has, wherever it is: counted by the server.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `A scan in key order` {
    @Test(arguments: MySQLServer.all)
    func `reads what a page holds, and no more`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            let digits =
                "SELECT 0 AS n UNION ALL "
                + (1...9).map { "SELECT \($0)" }
                .joined(separator: " UNION ALL ")
            try owner.plain(
                """
                CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL) ENGINE = InnoDB;
                INSERT INTO t SELECT a.n * 1000 + b.n * 100 + c.n * 10 + d.n, 0
                FROM (\(digits)) AS a, (\(digits)) AS b, (\(digits)) AS c, (\(digits)) AS d
                """)
            try subject.attach()
            try owner.rows("ANALYZE TABLE moorage_track_1_t, t").forEach { _ in }
            try subject.inConnection { connection in
                let table = try #require(try connection.attachedTables().first)
                let middle = RowKey([.integer(4_000)])
                try connection.begin(.snapshot)
                defer { connection.rollback() }
                let checkpoint = try connection.currentCheckpoint()
                func cost(_ read: () throws -> Int) throws -> Int {
                    // Statements are prepared, and the unnumbered rows are read, by the first of the two.
                    _ = try read()
                    let before = try Self.reads(connection)
                    #expect(try read() == 100)
                    return try Self.reads(connection) - before
                }
                let compared = try cost {
                    try connection.rows(
                        table, after: middle, limit: 100,
                        in: ComparedScopes(
                            authorized: [.everything], read: [.everything], whole: [.everything]),
                        beyond: checkpoint
                    ).count
                }
                #expect(compared < 2_000, "comparing")
                let queries: [TrackingQuery] = [
                    .fromNothing(copiedAt: nil, within: checkpoint),
                    .fromNothing(copiedAt: checkpoint, within: nil),
                    .revoke(goneAfter: nil, lostAt: nil),
                ]
                for query in queries {
                    let after = TrackingPosition(version: 0, key: middle)
                    let cost = try cost {
                        try connection.content(
                            table, columns: [0, 1], in: .everything, query, after: after, limit: 100
                        ).count
                    }
                    #expect(cost < 2_000, "\(query)")
                }
            }
        }
    }

    /// Rows that the session has read so far, of tables and of indexes.
    private static func reads(_ connection: MySQLConnection) throws -> Int {
        let answer = try connection.link.query(
            "SHOW SESSION STATUS LIKE 'Handler_read%'", isKept: false)
        return (0..<answer.rowCount).reduce(0) { $0 + (Int(answer.text($1, 1) ?? "") ?? 0) }
    }
}
