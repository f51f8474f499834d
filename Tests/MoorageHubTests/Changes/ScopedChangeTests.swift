import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `Changes in scopes` {
    private func program(_ bench: HubBench, _ names: String...) -> FeedProgram {
        FeedProgram(
            bench.hub, as: Principal(subject: names[0], claims: ["name": names]),
            tables: ["project", "task"])
    }

    private func bench() throws -> HubBench {
        let bench = try HubBench(schema: Scopes.schema, scopes: Scopes.settings)
        try bench.sql(
            """
            INSERT INTO project VALUES (1, 'ann', 'A', 'a'), (2, 'bob', 'B', 'b');
            INSERT INTO task VALUES (10, 1, 'of ann'), (20, 2, 'of bob');
            """)
        return bench
    }

    @Test func `are of the rows that the user may see`() async throws {
        let bench = try bench()
        var (ann, bob, both) = (
            program(bench, "ann"), program(bench, "bob"), program(bench, "ann", "bob")
        )
        #expect(try await ann.readAll() == ["insert project 1", "insert task 10"])
        #expect(try await bob.readAll() == ["insert project 2", "insert task 20"])
        #expect(
            try await both.readAll() == [
                "insert project 1", "insert project 2", "insert task 10", "insert task 20",
            ])
        var nobody = FeedProgram(bench.hub, tables: ["project", "task"])
        #expect(try await nobody.readAll() == [])
    }

    @Test func `delete a row that leaves them, and insert one that comes`() async throws {
        let bench = try bench()
        var (ann, bob, both) = (
            program(bench, "ann"), program(bench, "bob"), program(bench, "ann", "bob")
        )
        try await ann.readAll()
        try await bob.readAll()
        try await both.readAll()
        try bench.steps("UPDATE project SET owner = 'bob' WHERE id = 1")
        #expect(try await ann.readAll() == ["delete task 10", "delete project 1"])
        #expect(try await bob.readAll() == ["insert project 1", "insert task 10"])
        // Who sees both scopes sees a change of the row.
        #expect(try await both.readAll() == ["update project 1", "update task 10"])
        try bench.steps("UPDATE project SET owner = NULL WHERE id = 1")
        #expect(try await both.readAll() == ["delete task 10", "delete project 1"])
        #expect(try await ann.readAll() == [])
    }

    @Test func `are updates where a row moved and changed again`() async throws {
        let bench = try bench()
        for limit in [1, 1_000] {
            var both = program(bench, "ann", "bob")
            both.limit = limit
            try await both.readAll()
            try bench.steps(
                "UPDATE project SET owner = 'bob' WHERE id = 1",
                "UPDATE project SET name = name || '.' WHERE id = 1",
                "UPDATE project SET owner = 'ann' WHERE id = 2",
                "UPDATE task SET title = title || '.'")
            let texts = try await both.readAll()
            #expect(texts.allSatisfy { $0.hasPrefix("update") }, "\(texts)")
            #expect(Set(texts).count == 4)
            #expect(try await both.rows == both.visible())
            try bench.steps(
                "UPDATE project SET owner = CASE id WHEN 1 THEN 'ann' ELSE 'bob' END")
        }
    }

    /// A row that is in two scopes may leave the later one between two pages. It is not lost then.
    @Test func `keep a row that leaves one of its scopes between two pages`() async throws {
        let bench = try bench()
        var both = program(bench, "ann", "bob")
        both.tables = ["project"]
        both.maximumBytes = 0
        try await both.readAll()
        try bench.steps(
            "INSERT INTO project VALUES (3, 'ann', 'C', 'c')",
            "UPDATE project SET name = 'x' WHERE id = 1",
            "INSERT INTO member VALUES (3, 'bob')")
        try await both.read()
        try bench.steps("DELETE FROM member")
        try await both.readAll()
        #expect(try await both.rows == both.visible())
    }

    /// The row is back beyond the window, and gone again before the next one.
    @Test func `delete a row that came back only for a moment`() async throws {
        let bench = try bench()
        var both = program(bench, "ann", "bob")
        both.limit = 1
        try await both.readAll()
        try bench.steps(
            "UPDATE project SET name = 'x' WHERE id = 2", "DELETE FROM task WHERE id = 10")
        try await both.read()
        try bench.steps("INSERT INTO task VALUES (10, 2, 'again')")
        try await both.read()
        try bench.steps("DELETE FROM task WHERE id = 10")
        try await both.readAll()
        #expect(try await both.rows == both.visible())
    }

    /// Its deletes in the scopes that it had are not read any more.
    @Test func `expire when a table gets or loses its rule`() async throws {
        let bench = try bench()
        let tables = try await bench.hub.readRows(for: nil) { reader in
            try ["project", "task"].map { try reader.schema.table(named: $0) }
        }
        func feed(_ names: String...) -> ChangeFeed {
            var settings = Scopes.settings
            settings.rules = settings.rules.filter { names.contains($0.key) }
            return ChangeFeed(
                of: tables, settings, visible: [.everything, Scope("person/ann")],
                facts: HubFacts(hub: "h", epoch: Epoch("e"), identity: "i"), principal: nil)
        }
        let position = ChangePosition.caughtUp(Checkpoint("1:a"))
        let text = try feed("project", "task").text(of: position)
        #expect(try feed("project", "task").position(text) == position)
        for other in [feed("project"), feed("task"), feed()] {
            #expect(throws: RowProblem.expired) { try other.position(text) }
        }
    }

    @Test func `expire when the user's scopes change`() async throws {
        let bench = try bench()
        try bench.sql("INSERT INTO memo VALUES (1, 'red', 'r'), (2, 'blue', 'b')")
        var ann = program(bench, "ann")
        ann.tables = ["memo", "product"]
        var everyones = ann
        everyones.tables = ["product"]
        #expect(try await ann.readAll() == [])
        try await everyones.readAll()
        try bench.sql("INSERT INTO seat VALUES ('red', 'ann')")
        #expect(try await ann.readAll() == ["insert memo 1"])
        #expect(ann.beginnings == 1)
        try bench.sql("DELETE FROM seat; INSERT INTO seat VALUES ('blue', 'ann')")
        #expect(try await ann.readAll() == ["insert memo 2"])
        #expect(ann.beginnings == 2)
        // Tables without scopes do not depend on them.
        try await everyones.readAll()
        #expect(everyones.beginnings == 0)
    }
}
