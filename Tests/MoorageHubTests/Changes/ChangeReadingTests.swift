import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `Changes for programs` {
    private func bench() throws -> HubBench {
        let bench = try HubBench()
        try bench.sql(
            """
            INSERT INTO customer (id, name) VALUES ('b', 'B'), ('a', 'A');
            INSERT INTO purchase VALUES (2, 'b', NULL), (1, 'a', NULL);
            INSERT INTO line VALUES (1, 2, 5), (1, 1, 5);
            """)
        return bench
    }

    private func problem(_ work: () async throws -> some Sendable) async -> String? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? RowProblem)?.code ?? "\(error)"
        }
    }

    // MARK: Order

    @Test func `begin with every row, parents before children, and go on with what follows`()
        async throws
    {
        let bench = try bench()
        var program = FeedProgram(bench.hub)
        #expect(
            try await program.readAll() == [
                "insert customer a", "insert customer b", "insert purchase 1", "insert purchase 2",
                "insert line 1,1", "insert line 1,2",
            ])
        #expect(try await program.readAll() == [])
        try bench.steps(
            "UPDATE customer SET city = 'X' WHERE id = 'b'", "INSERT INTO line VALUES (2, 1, 7)",
            "DELETE FROM purchase WHERE id = 1")
        #expect(
            try await program.readAll() == [
                "update customer b", "insert line 2,1", "delete line 1,1", "delete line 1,2",
                "delete purchase 1",
            ])
        #expect(try await program.rows == program.visible())
    }

    @Test func `of one transaction are upserts from above, and then deletes from below`()
        async throws
    {
        let bench = try bench()
        var program = FeedProgram(bench.hub)
        try await program.readAll()
        try bench.sql(
            """
            BEGIN;
            DELETE FROM line WHERE number = 1;
            INSERT INTO line VALUES (2, 9, 1);
            DELETE FROM purchase WHERE id = 1;
            UPDATE purchase SET note = 'n';
            INSERT INTO customer (id, name) VALUES ('c', 'C');
            DELETE FROM customer WHERE id = 'a';
            COMMIT;
            """)
        #expect(
            try await program.readAll() == [
                "insert customer c", "update purchase 2", "insert line 2,9", "delete line 1,1",
                "delete line 1,2", "delete purchase 1", "delete customer a",
            ])
    }

    @Test func `of one row are one change, at the place of the last one`() async throws {
        let bench = try bench()
        var program = FeedProgram(bench.hub)
        try await program.readAll()
        try bench.steps(
            "UPDATE customer SET city = 'X' WHERE id = 'a'",
            "INSERT INTO purchase VALUES (3, 'a', '')",
            "INSERT INTO purchase VALUES (4, 'a', '')",
            "UPDATE customer SET city = 'Y' WHERE id = 'a'",
            "DELETE FROM purchase WHERE id = 4")
        #expect(try await program.readAll() == ["insert purchase 3", "update customer a"])
        #expect(try await program.rows == program.visible())
        try bench.steps("DELETE FROM line", "INSERT INTO line VALUES (1, 1, 6)")
        #expect(try await program.readAll() == ["delete line 1,2", "update line 1,1"])
        #expect(try await program.rows == program.visible())
    }

    @Test(arguments: 1...4)
    func `come page by page, none lost`(limit: Int) async throws {
        let bench = try bench()
        var program = FeedProgram(bench.hub, limit: limit)
        var whole = FeedProgram(bench.hub)
        #expect(try await program.readAll() == whole.readAll())
        try bench.sql(
            """
            BEGIN;
            DELETE FROM line;
            INSERT INTO line VALUES (2, 1, 1), (2, 2, 2), (2, 3, 3);
            UPDATE purchase SET note = 'n';
            COMMIT;
            """)
        try bench.number()
        try bench.sql("DELETE FROM line WHERE number = 3; UPDATE customer SET city = 'C'")
        #expect(try await program.readAll() == whole.readAll())
        #expect(try await program.rows == program.visible())
    }

    /// What changes between two pages is beyond the window of the first.
    @Test func `between two pages come afterwards`() async throws {
        let bench = try bench()
        var program = FeedProgram(bench.hub, limit: 1)
        try await program.readAll()
        try bench.steps(
            "UPDATE customer SET city = 'X' WHERE id = 'a'",
            "UPDATE customer SET city = 'X' WHERE id = 'b'",
            "DELETE FROM line WHERE number = 1")
        #expect(try await program.read().changes.map(\.text) == ["update customer a"])
        try bench.steps(
            "DELETE FROM line WHERE number = 2", "UPDATE customer SET city = 'Y' WHERE id = 'b'",
            "INSERT INTO line VALUES (1, 1, 8)")
        #expect(
            try await program.readAll() == [
                "delete line 1,2", "update customer b", "update line 1,1",
            ])
        #expect(try await program.rows == program.visible())
    }

    @Test func `have a limit of bytes, and one change at least`() async throws {
        let bench = try bench()
        try bench.sql("UPDATE customer SET city = '\(String(repeating: "x", count: 900))'")
        var program = FeedProgram(bench.hub)
        program.maximumBytes = 1_000
        #expect(try await program.read().changes.count == 2)
        program.maximumBytes = 0
        let page = try await program.read()
        #expect(page.changes.count == 1 && page.hasMore)
        try await program.readAll()
        #expect(try await program.rows == program.visible())
    }

    // MARK: Where it begins

    @Test func `from now on are those that follow`() async throws {
        let bench = try bench()
        let program = FeedProgram(bench.hub)
        let now = try await program.page(.now)
        #expect(now.changes.isEmpty && !now.hasMore)
        try bench.sql("DELETE FROM line WHERE number = 1; UPDATE line SET amount = 6")
        let next = try await program.page(.after(now.next))
        #expect(next.changes.map(\.text) == ["update line 1,2", "delete line 1,1"])
        // The same position again brings the same.
        #expect(try await program.page(.after(now.next)).changes.map(\.text).count == 2)
    }

    @Test func `say nothing of rows that were gone before`() async throws {
        let bench = try bench()
        try bench.steps("DELETE FROM line WHERE number = 1")
        var program = FeedProgram(bench.hub)
        #expect(try await program.readAll().filter { $0.contains("line") } == ["insert line 1,2"])
        try bench.steps("INSERT INTO line VALUES (2, 2, 2)", "DELETE FROM line WHERE purchase = 2")
        #expect(try await program.readAll() == [])
    }

    @Test func `are of the tables that were asked for`() async throws {
        let bench = try bench()
        var program = FeedProgram(bench.hub, tables: ["line", "customer", "line"])
        #expect(
            try await program.readAll() == [
                "insert customer a", "insert customer b", "insert line 1,1", "insert line 1,2",
            ])
        try bench.steps("UPDATE purchase SET note = ''", "UPDATE line SET amount = 1")
        #expect(try await program.readAll() == ["update line 1,1", "update line 1,2"])
        let unknown = FeedProgram(bench.hub, tables: ["nothing"])
        #expect(await problem { try await unknown.page(.beginning).next } == "unknownTable")
    }

    @Test func `are of tables that the user may read`() async throws {
        let bench = try HubBench(rights: RightSettings(tables: ["line": ["boss": .all]]))
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        try bench.sql("INSERT INTO purchase VALUES (1, 'a', ''); INSERT INTO line VALUES (1, 1, 1)")
        var user = FeedProgram(bench.hub, as: Principal(subject: "u"))
        #expect(try await user.readAll() == ["insert customer a", "insert purchase 1"])
        try bench.sql("UPDATE line SET amount = 2; UPDATE purchase SET note = 'n'")
        #expect(try await user.readAll() == ["update purchase 1"])
        var boss = FeedProgram(bench.hub, as: Principal(subject: "b", claims: ["roles": ["boss"]]))
        #expect(try await boss.readAll().last == "insert line 1,1")
    }

    // MARK: Expiry

    @Test func `have positions that only the hub makes, for one user and some tables`()
        async throws
    {
        let bench = try bench()
        let ann = FeedProgram(bench.hub, as: Principal(subject: "ann"))
        let position = try await ann.page(.now).next
        #expect(await problem { try await ann.page(.after(position)).next } == nil)
        let others = [
            FeedProgram(bench.hub), FeedProgram(bench.hub, as: Principal(subject: "bob")),
            FeedProgram(bench.hub, as: ann.principal, tables: ["customer"]),
        ]
        for other in others {
            #expect(await problem { try await other.page(.after(position)).next } == "expired")
        }
        let digit = position.hasPrefix("0") ? "1" : "0"
        let forged = [
            "", "x", digit + position.dropFirst(), String(position.dropLast()), position + "A",
            position + position, String(position.prefix(32)), String(repeating: "é", count: 40),
            String(repeating: "a", count: 100_000),
        ]
        for text in forged {
            #expect(await problem { try await ann.page(.after(text)).next } == "expired")
        }
    }

    @Test func `expire with another epoch, and with other columns`() async throws {
        let bench = try bench()
        let program = FeedProgram(bench.hub)
        let position = try await program.page(.now).next
        try bench.attach(newEpoch: true)
        #expect(await problem { try await program.page(.after(position)).next } == "expired")
        let later = try await program.page(.now).next
        try bench.sql("ALTER TABLE customer ADD COLUMN more TEXT")
        #expect(await problem { try await program.page(.after(later)).next } == nil)
        try bench.attach()
        #expect(await problem { try await program.page(.after(later)).next } == "expired")
    }

    @Test func `expire when deletes are forgotten, and not before`() async throws {
        let bench = try HubBench(retention: RetentionPolicy(time: .seconds(10 * 86_400), steps: 2))
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A'), ('b', 'B')")
        var idle = FeedProgram(bench.hub)
        var busy = FeedProgram(bench.hub)
        try await idle.readAll()
        let replica = try ScriptedReplica(bench, 1)
        for day in 1...40 {
            try bench.pass(days: 1)
            try bench.sql("UPDATE customer SET city = '\(day)' WHERE id = 'a'")
            if day == 20 { try bench.sql("DELETE FROM customer WHERE id = 'b'") }
            try replica.exchange()
            try await busy.readAll()
        }
        #expect(busy.beginnings == 0)
        try await idle.readAll()
        #expect(idle.beginnings == 1)
        #expect(idle.rows == busy.rows && idle.rows.count == 1)
    }

    @Test func `of a suspended table are refused`() async throws {
        let bench = try bench()
        let program = FeedProgram(bench.hub)
        let position = try await program.page(.now).next
        try bench.sql("ALTER TABLE line RENAME COLUMN amount TO sum")
        #expect(
            await problem { try await program.page(.after(position)).next } == "tableSuspended")
        let others = FeedProgram(bench.hub, tables: ["customer"])
        #expect(await problem { try await others.page(.beginning).next } == nil)
    }
}
