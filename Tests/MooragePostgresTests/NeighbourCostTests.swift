import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

/// How much PostgreSQL reads for one tenant's change and the page that brings it, beside few
/// tenants and beside many. The test counts entries of tables and indexes, not time.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `What a tenant's change reads`
{
    @Test func `does not depend on the others`() throws {
        let few = try reads(tenants: 4)
        let many = try reads(tenants: 80)
        for (name, entries) in few {
            let others = try #require(many[name])
            // Neighbours on the server decide which dead entries are still there, and these are the
            // tenant's own. They are a row's version from before the large statements and one from
            // after. Both are in the index of the row's table and of the tracking table, for two
            // tables.
            let own = 2 * 2 * 2 * Self.rowsEach
            #expect(entries > 0 && others <= entries + own, "\(name): \(entries), then \(others)")
        }
    }

    private static let rowsEach = 30

    private func reads(tenants: Int) throws -> [String: Int] {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE item (
                  id bigint PRIMARY KEY, tenant bigint NOT NULL, code text UNIQUE, note text);
                CREATE TABLE line (
                  item bigint REFERENCES item ON UPDATE CASCADE ON DELETE CASCADE, number integer, note text,
                  PRIMARY KEY (item, number));
                INSERT INTO item SELECT i, i % \(tenants), 'c' || i, 'note'
                  FROM generate_series(0, \(tenants * Self.rowsEach - 1)) AS i;
                INSERT INTO line SELECT id, 1, 'note' FROM item;
                """)
            let scopes = ScopeSettings(
                rules: [
                    "item": [ScopeRule(.column(kind: "tenant", "tenant"))],
                    "line": [ScopeRule(.through(["item"]))],
                ], holdings: ["tenant": .claim("tenant")])
            try subject.attach(scopes: scopes)
            let tables = try ["item", "line"].map(subject.table)
            try owner.execute("VACUUM ANALYZE")
            return try subject.postgres.perform { connection in
                // The session's first statement is a large one. Its plans also serve the small
                // ones.
                for change in ["UPDATE item SET note = 'n'", "UPDATE line SET note = 'n'"] {
                    try connection.begin(.write)
                    _ = try connection.run(change, [])
                    try connection.commit()
                }
                return try reads(tenants, tables, on: connection)
            }
        }
    }

    private func reads(
        _ tenants: Int, _ tables: [AttachedTable], on connection: any CentralConnection
    ) throws -> [String: Int] {
        // The tenant's rows are at the end: a full scan would read all the others first.
        func id(_ number: Int) -> Int { tenants * (Self.rowsEach - 1 - number) }
        let changes = [
            "UPDATE item SET note = 'changed' WHERE id = \(id(1))",
            "UPDATE item SET id = -1 WHERE id = \(id(0))",
            "INSERT INTO item VALUES (-2, 0, 'd', 'new')",
            "INSERT INTO line VALUES (-2, 1, 'new')",
            "UPDATE line SET note = 'changed' WHERE item = \(id(2))",
            "UPDATE line SET item = \(id(3)), number = 2 WHERE item = \(id(2))",
            "UPDATE item SET tenant = 1 WHERE id = \(id(3))",
            "UPDATE item SET tenant = 0 WHERE id = \(id(3))",
            "DELETE FROM line WHERE item = \(id(4))",
            "DELETE FROM item WHERE id = \(id(5))",
        ]
        let scope = Scope("tenant/0")
        var reads: [String: Int] = [:]
        for (place, change) in changes.enumerated() {
            let kind = "\(place) \(change.prefix { $0 != "=" && $0 != "(" })"
            try connection.begin(.snapshot)
            let checkpoint = try connection.currentCheckpoint()
            connection.rollback()
            try connection.begin(.write)
            reads[kind] = try counted(on: connection) { _ = try connection.run(change, []) }
            try connection.commit()
            try connection.begin(.snapshot)
            reads["the page after \(kind)"] = try counted(on: connection) {
                for table in tables {
                    let tracked = try connection.trackedRows(
                        table, in: scope, .beyond(since: checkpoint, within: nil), after: nil,
                        limit: 1_000)
                    _ = try connection.rows(
                        table, keys: tracked.filter(\.isLive).map(\.key), in: [scope])
                }
            }
            connection.rollback()
        }
        return reads
    }

    /// How many entries of tables and indexes the transaction reads during the work.
    private func counted(
        on connection: any CentralConnection, _ work: () throws -> Void
    ) throws -> Int {
        func entries() throws -> Int64 {
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
        let before = try entries()
        try work()
        return Int(try entries() - before)
    }
}
