import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

private func row(_ id: String, _ a: String, _ b: Int64) -> [Value] {
    [.text(id), .text(a), .integer(b)]
}

@Suite(.ownThreads) struct `A table that is merged by whole rows` {
    private static let rows = "SELECT id, a, b FROM item"

    private func ready(_ rule: MergeRule) throws -> (LawBench, Device) {
        let bench = try LawBench(rule: rule, granularity: .row)
        try bench.central.execute(
            "INSERT INTO item(id, code, a, b) VALUES('i1', 1, 'old', 1), ('i2', 2, 'old', 1)")
        let device = try bench.device()
        for _ in 0..<2 { try device.exchange(bench.hub) }
        return (bench, device)
    }

    private func central(_ bench: LawBench) throws -> [[Value]] {
        try bench.central.perform { try $0.run(Self.rows, []) }
    }

    private func conflicts(_ bench: LawBench) throws -> Int {
        try bench.central.perform { try $0.run("SELECT id FROM moorage_conflict", []) }.count
    }

    /// Runs one exchange. The user edits before the first frame arrives.
    private func exchange(_ bench: LawBench, _ device: Device, editing sql: String) throws {
        var edited = false
        try device.exchange(bench.hub) {
            if !edited { try device.run(sql) }
            edited = true
        }
    }

    private func check(
        _ bench: LawBench, _ device: Device, _ first: [Value],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expected = [first, row("i2", "old", 1)]
        #expect(try central(bench) == expected, sourceLocation: sourceLocation)
        #expect(try device.values(Self.rows) == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        (MergeRule.server, row("i1", "old", 7)), (.client, row("i1", "mine", 1)),
    ])
    func `two columns of one row are a conflict`(rule: MergeRule, row: [Value]) throws {
        let (bench, device) = try ready(rule)
        try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'")
        try bench.central.execute("UPDATE item SET b = 7 WHERE id = 'i1'")
        try device.exchange(bench.hub)
        try check(bench, device, row)
        let log = try bench.central.perform { connection in
            try connection.run("SELECT mine, theirs FROM moorage_conflict", [])
        }
        try #require(log.count == 1)
        let sides = try log[0].map { side in
            guard case .text(let text) = side else { return NamedValues([]) }
            return try NamedValues(jsonText: text)
        }
        #expect(sides[0]["a"] == .text("mine") && sides[0]["b"] == .integer(1))
        #expect(sides[1]["a"] == .text("old") && sides[1]["b"] == .integer(7))
        let overruled = try device.queue.read { try device.store.overruled($0, limit: 9) }
        #expect(overruled.map { $0.mine?["a"] } == (rule == .server ? [.text("mine")] : []))
        #expect(try device.pending() == [])
    }

    /// The user edited the row that the device had, whatever a page brings by then.
    @Test func `a page leaves an edited row alone until the edit is answered`() throws {
        let (bench, device) = try ready(.server)
        try bench.central.execute("UPDATE item SET b = 7 WHERE id = 'i1'")
        try exchange(bench, device, editing: "UPDATE item SET a = 'mine' WHERE id = 'i1'")
        #expect(try device.values(Self.rows).first == row("i1", "mine", 1))
        try device.exchange(bench.hub)
        try check(bench, device, row("i1", "old", 7))
    }

    @Test func `one edit after another is no conflict with oneself`() throws {
        let (bench, device) = try ready(.server)
        try bench.central.execute(
            """
            CREATE TRIGGER upper AFTER UPDATE OF a ON item BEGIN
              UPDATE item SET a = upper(new.a) WHERE id = new.id;
            END
            """)
        try device.run("UPDATE item SET a = 'x' WHERE id = 'i1'")
        try exchange(bench, device, editing: "UPDATE item SET b = 2 WHERE id = 'i1'")
        try device.exchange(bench.hub)
        try check(bench, device, row("i1", "X", 2))
        #expect(try conflicts(bench) == 0)
    }

    /// The later edit blocks the page, but the answer still brings the column's value.
    @Test func `what a trigger sets beside it is no conflict either`() throws {
        let (bench, device) = try ready(.server)
        try bench.central.execute(
            """
            CREATE TRIGGER counts AFTER UPDATE OF a ON item BEGIN
              UPDATE item SET b = b + 1 WHERE id = new.id;
            END
            """)
        try device.run("UPDATE item SET a = 'x' WHERE id = 'i1'")
        try exchange(bench, device, editing: "UPDATE item SET code = 9 WHERE id = 'i1'")
        try device.exchange(bench.hub)
        try check(bench, device, row("i1", "x", 2))
        #expect(try device.texts("SELECT code FROM item WHERE id = 'i1'") == ["9"])
        #expect(try conflicts(bench) == 0)
    }

    /// The app added the column, and the device has not read its values from the hub.
    @Test func `a column that nobody saw takes no part`() throws {
        let bench = try LawBench(rule: .client, granularity: .row)
        try bench.central.execute("INSERT INTO item(id, code, a, b) VALUES('i1', 1, 'old', 1)")
        let schema = LawBench.schema.replacing("a TEXT, b INTEGER,", with: "a TEXT,")
        let device = try Device(schema, tables: [.table("item"), .table("part")])
        for _ in 0..<2 { try device.exchange(bench.hub) }
        try device.run("UPDATE item SET a = 'mine'; ALTER TABLE item ADD COLUMN b INTEGER")
        for _ in 0..<2 { try device.exchange(bench.hub) }
        let expected = [row("i1", "mine", 1)]
        #expect(try central(bench) == expected)
        #expect(try device.values(Self.rows) == expected)
    }

    @Test func `what is listed is what was changed`() throws {
        let (_, device) = try ready(.server)
        try device.run("UPDATE item SET a = 'x' WHERE id = 'i1'")
        func listed() throws -> [[String: Value]] {
            try device.queue.read { try device.store.pending($0, limit: 9) }.map(\.after)
        }
        #expect(try listed() == [["a": .text("x")]])
        let batch = try #require(try device.prepare())
        guard case .update(let edits) = batch.batch.changes[0].operation else {
            Issue.record("no update")
            return
        }
        #expect(edits.count == 4 && edits.filter(\.isChange).count == 1)
        #expect(try listed() == [["a": .text("x")]])
        try device.run("UPDATE item SET b = 1 WHERE id = 'i1'")
        #expect(try device.values(Self.rows).first == row("i1", "x", 1))
    }

    /// Each row that a place ever has is one that somebody's edit made as a whole.
    @Test(arguments: lawSeeds(10, nightly: 400))
    func `no row is ever a mixture`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (bench, device) = try ready(random.one(of: [MergeRule.server, .client, .newest]))
        let other = try bench.device()
        for _ in 0..<2 { try other.exchange(bench.hub) }
        // Each edit changes one column of the row that its writer saw. `seen` has every row that an
        // edit made.
        var seen: Set<[Value]> = [row("i1", "old", 1), row("i2", "old", 1)]
        for step in 0..<30 {
            let id = random.one(of: ["i1", "i2"])
            let sql = random.one(of: [
                "UPDATE item SET a = 'w\(step)' WHERE id = '\(id)'",
                "UPDATE item SET b = \(100 + step) WHERE id = '\(id)'",
            ])
            switch random.below(5) {
            case 0, 1:
                let who = random.one(of: [device, other])
                try who.run(sql)
                seen.formUnion(try who.values(Self.rows))
            case 2:
                try bench.central.execute(sql)
                seen.formUnion(try central(bench))
            default: try random.one(of: [device, other]).exchange(bench.hub)
            }
            for place in [
                try central(bench), try device.values(Self.rows), try other.values(Self.rows),
            ] {
                #expect(place.allSatisfy(seen.contains), "after step \(step)")
            }
        }
        for _ in 0..<3 { for one in [device, other] { try one.exchange(bench.hub) } }
        #expect(try device.values(Self.rows) == central(bench))
        #expect(try other.values(Self.rows) == central(bench))
    }
}
