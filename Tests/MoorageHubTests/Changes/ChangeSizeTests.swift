import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `The size of a page of changes` {
    /// How many rows of each table were read at once at most.
    private final class Counting: ForwardingConnection {
        private let most: Box<[String: Int]>

        init(_ base: any CentralConnection, _ most: Box<[String: Int]>) {
            self.most = most
            super.init(base)
        }

        override func rows(
            _ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>
        ) throws -> [[Value]] {
            most.change { $0[table.name] = max($0[table.name] ?? 0, keys.count) }
            return try super.rows(table, keys: keys, in: scopes)
        }
    }

    /// 400 small rows come before 100 documents of 10,000 bytes.
    @Test func `counts for each table by itself what is read at once`() async throws {
        let most = Box<[String: Int]>([:])
        let bench = try HubBench(
            schema: """
                CREATE TABLE small (id INTEGER NOT NULL PRIMARY KEY);
                CREATE TABLE document (id INTEGER NOT NULL PRIMARY KEY
                  REFERENCES small(id), bytes BLOB NOT NULL);
                """, lending: { Counting($0, most) })
        try bench.sql(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
            INSERT INTO small SELECT i FROM n;
            INSERT INTO document SELECT id, zeroblob(10000) FROM small WHERE id <= 100;
            """)
        var program = FeedProgram(bench.hub)
        program.maximumBytes = 200_000
        let first = try await program.read()
        #expect(first.changes.count { $0.table.name == "small" } == 400)
        #expect(first.changes.count { $0.table.name == "document" } == 20)
        #expect(first.hasMore)
        #expect(most.value["small"] ?? 0 >= 300)
        #expect(most.value["document"] ?? .max <= 20)
        try await program.readAll()
        #expect(program.rows.count == 500)
        #expect(try await program.rows == program.visible())
    }
}
