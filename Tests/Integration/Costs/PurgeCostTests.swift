import GRDB
import MoorageCore
import MoorageSQLite
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageHub

/// How much SQLite works to forget old batches, beside few new ones and beside many. The test
/// counts steps of its virtual machine, not time.
@Suite(.ownThreads) struct `The cost of forgetting` {
    private static let old = 300

    private func steps(beside fresh: Int) throws -> Int {
        let queue = try DatabaseQueue()
        try queue.write {
            try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY NOT NULL)")
        }
        let database = SQLiteDatabase(queue: queue)
        try database.perform { connection in
            _ = try Attachment(on: connection, makeID: { "id" }).attach(tables: nil)
        }
        try queue.write {
            try $0.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (
                      SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.old + fresh))
                    INSERT INTO moorage_batch (replica, number, nonce, taken_at)
                    SELECT 'replica ' || i % 7, i, 'nonce', CASE WHEN i <= \(Self.old) THEN i ELSE 1000000 + i END
                    FROM n
                    """)
        }
        let steps = try StepCounter.steps(of: queue) {
            try database.perform { connection in
                let forgotten = try Metadata(connection: connection)
                    .forgetBatches(before: 1_000_000, limit: 200)
                #expect(forgotten == 200)
            }
        }
        // The oldest batches are gone.
        let left = try queue.read {
            try Int.fetchAll(
                $0, sql: "SELECT taken_at FROM moorage_batch ORDER BY taken_at LIMIT 101")
        }
        #expect(left == Array(201...300) + [1_000_301])
        try database.perform { connection in
            let metadata = Metadata(connection: connection)
            let counts = try (0..<2).map { _ in
                try metadata.forgetBatches(before: 1_000_000, limit: 200)
            }
            #expect(counts == [100, 0])
        }
        return steps
    }

    @Test func `does not depend on what is kept`() throws {
        let few = try steps(beside: 100)
        let many = try steps(beside: 20_000)
        // The index of a larger table may have one more level, but no more than that.
        #expect(few > 0 && many <= few + few / 10, "\(few), then \(many)")
    }
}
