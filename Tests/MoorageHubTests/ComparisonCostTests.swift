import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// What a hub on SQLite does for one page of a comparison.
@Suite(.ownThreads) struct `What a comparison costs the hub` {
    @Test func `a page costs the same however much of the table is left`() async throws {
        func steps(_ rows: Int) async throws -> Int {
            let queue = try DatabaseQueue()
            try await queue.write { db in
                try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
                for row in 0..<rows {
                    try db.execute(sql: "INSERT INTO item VALUES (?, 'one')", arguments: [row])
                }
            }
            let hub = Hub(database: SQLiteDatabase(queue: queue))
            _ = try await hub.attach()
            func page(after: RowKey?) throws -> CompareAnswer {
                try hub.comparison(
                    CompareRequest(
                        replica: "00000000-0000-4000-8000-000000000001",
                        table: TableColumns(name: "item", columns: ["id", "name"]), after: after,
                        maximumRows: 20, cursor: .start, withValues: false))
            }
            // What the hub reads of the schema is known by the second page.
            let first = try page(after: nil)
            return try StepCounter.steps(of: queue) {
                let second = try page(after: first.next)
                #expect(second.rows.map(\.key) == (20..<40).map { RowKey([.integer($0)]) })
            }
        }
        let (few, many) = (try await steps(100), try await steps(2_000))
        #expect(many < 2 * few, "\(few), then \(many)")
    }
}
