import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// A real replica that was away for longer than the hub remembers deletions.
@Suite(.ownThreads) struct `A replica that was away for too long` {
    private let bench: HubBench
    private let file: DatabaseQueue

    init() throws {
        bench = try HubBench(retention: RetentionPolicy(time: .seconds(10 * 86_400), steps: 2))
        try bench.sql(
            """
            INSERT INTO customer (id, name) VALUES ('a', 'A'), ('b', 'B'), ('c', 'C'), ('d', 'D');
            INSERT INTO purchase VALUES (1, 'a', NULL), (2, 'b', NULL);
            """)
        file = try DatabaseQueue()
        try file.write { try $0.execute(sql: HubBench.schema) }
    }

    private func replica() async throws -> Replica {
        try await Replica(
            database: file, hub: .direct(bench.hub),
            tables: [.table("customer"), .table("purchase"), .table("line")])
    }

    /// Lets thirty days pass, in which another replica syncs.
    private func passDays() throws {
        let busy = try ScriptedReplica(bench, 2)
        for _ in 0..<6 {
            try bench.pass(days: 5)
            try busy.exchange()
        }
        let tombstones = try bench.rows(
            "SELECT sum(n) FROM (SELECT count(*) AS n FROM \(track("customer")) WHERE NOT live)")
        #expect(tombstones == [[.integer(0)]], "the deletions are forgotten")
    }

    private func track(_ table: String) throws -> String {
        let names = try bench.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'moorage_track_%_\(table)'"
        )
        guard case .text(let name)? = names.first?.first else { return "missing" }
        return name
    }

    private func local(_ sql: String) throws -> [String] {
        try file.read { try String.fetchAll($0, sql: sql) }
    }

    @Test func `sends its edits, loses what was deleted, and pushes nothing of it`() async throws {
        let replica = try await replica()
        try await replica.sync()
        try await file.write { db in
            try db.execute(
                sql: """
                    UPDATE customer SET city = 'here' WHERE id = 'b';
                    UPDATE customer SET city = 'lost' WHERE id = 'd';
                    INSERT INTO customer (id, name) VALUES ('e', 'E');
                    """)
        }
        try bench.sql(
            """
            UPDATE customer SET name = 'BB' WHERE id = 'b';
            DELETE FROM purchase WHERE id = 1; DELETE FROM customer WHERE id IN ('a', 'd');
            """)
        try passDays()
        let summary = try await replica.sync()
        #expect(summary.isCaughtUp && summary.changesRefused == 1)
        let expected = ["b|BB|here", "c|C|-", "e|E|-"]
        let query =
            "SELECT id || '|' || name || '|' || coalesce(city, '-') FROM customer ORDER BY id"
        let rows = try local(query)
        #expect(rows == expected)
        #expect(try bench.rows(query).map(\.first) == expected.map { .text($0) })
        #expect(try local("SELECT id || '' FROM purchase") == ["2"])
        // The refused edit, and the two rows that the replica has and the hub no longer has.
        let refused = try await replica.refusedChanges.fetch()
        #expect(refused.filter { $0.code == .recovered }.count >= 2)
        #expect(refused.contains { $0.after["city"] == .text("lost") })
        #expect(try await replica.verify() == [])
    }

    @Test func `what it pushed before the history was renewed stays with it`() async throws {
        let replica = try await replica()
        try await replica.sync()
        try await file.write {
            try $0.execute(sql: "INSERT INTO customer (id, name) VALUES ('e', 'E')")
        }
        try await replica.sync()
        try bench.attach(newEpoch: true)
        try await file.write {
            try $0.execute(sql: "INSERT INTO customer (id, name) VALUES ('f', 'F')")
        }
        try await replica.sync()
        #expect(try local("SELECT id FROM customer") == ["a", "b", "c", "d", "e", "f"])
        #expect(try await replica.refusedChanges.fetch() == [])
        #expect(try await replica.verify() == [])
    }

    @Test func `its triggers were gone too: the hub's rows stand, its own are listed`()
        async throws
    {
        let replica = try await replica()
        try await replica.sync()
        try await file.write { db in
            try db.execute(
                sql: """
                    DROP TRIGGER _moorage_update_customer;
                    UPDATE customer SET city = 'away' WHERE id = 'c';
                    """)
        }
        try bench.sql(
            "DELETE FROM customer WHERE id = 'd'; UPDATE customer SET name = 'CC' WHERE id = 'c'")
        try passDays()
        try await replica.sync()
        #expect(
            try local("SELECT name || coalesce(city, '-') FROM customer WHERE id = 'c'") == ["CC-"])
        #expect(try bench.rows("SELECT count(*) FROM customer WHERE id = 'd'") == [[.integer(0)]])
        #expect(try local("SELECT id FROM customer") == ["a", "b", "c"])
        let refused = try await replica.refusedChanges.fetch()
        #expect(refused.contains { $0.after["city"] == .text("away") })
        #expect(try await replica.verify() == [])
    }
}
