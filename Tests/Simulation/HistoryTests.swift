import TestSupport
import Testing

@testable import MoorageTesting

@Suite(.ownThreads) struct `A history` {
    @Test(arguments: UInt64(1)...60)
    func `is printed and read again`(seed: UInt64) throws {
        let history = History(seed: seed, size: 120)
        #expect(try History(text: history.text) == history)
    }

    @Test(arguments: UInt64(1)...20)
    func `is made by its seed alone`(seed: UInt64) {
        #expect(History(seed: seed, size: 120) == History(seed: seed, size: 120))
        #expect(History(seed: seed, size: 120) != History(seed: seed + 1, size: 120))
    }

    @Test(arguments: UInt64(1)...2)
    func `carried out twice gives the same frames and rows`(seed: UInt64) async throws {
        let history = History(seed: seed, size: 60)
        let results = try await Threads.run { [Simulation.run(history), Simulation.run(history)] }
        #expect(results[0] == results[1])
    }

    @Test(arguments: [
        "12 device 1", "12 devices 1: DELETE FROM t", "x office: DELETE FROM t", "12 copy 1 to",
        "12 exchange one", "12 exchange 1 | after 2", "12 exchange 1 | after 2: explode",
        "limits page 0 pages 1 batch 1", "rule parent best", "rule parent newest a",
        "device clock 0 drift 0 contact sometimes", "device 2 row INSERT", "nonsense",
        "scope parent", "scope parent column", "scope parent anyone", "device 2 user ann",
        "right parent ann", "right parent ann rule", "12 wipe", "12 run", "12 sign in 1",
        "soft parent", "resurrect", "column parent hidden", "column parent up a", "keys parent",
        "keys parent 0", "onRequest", "12 subscribe 1 n", "12 subscribe 1 n soon",
        "12 subscribe 1 n high 0", "12 unsubscribe 1", "12 upgrade 1", "12 upgrade x: DROP TABLE t",
        "12 upgrade 1 soon: DROP TABLE t", "12 alter", "renamed item a", "renamed item a b c",
    ])
    func `with a line that says nothing is refused`(line: String) {
        #expect(throws: HistorySyntaxError(line)) { try History(text: line) }
    }

    @Test(arguments: ["12 subscribe 1 n high", "12 subscribe 2 * low 800", "12 unsubscribe 1 n"])
    func `says what an app subscribes to`(line: String) throws {
        #expect(try Step(line: line).line == line)
    }

    @Test(arguments: [
        "12 upgrade 1: DROP TABLE t", "12 upgrade 2 bare: DROP TABLE t", "12 alter: DROP TABLE t",
        "12 attach", "12 attach: DROP TABLE t",
    ])
    func `says how tables change`(line: String) throws {
        #expect(try Step(line: line).line == line)
    }

    @Test(arguments: UInt64(1)...60)
    func `of a migrating world is printed and read again`(seed: UInt64) throws {
        let history = History(seed: seed, size: 120, profile: .migrating)
        #expect(try History(text: history.text) == history)
    }

    @Test func `tells which columns are one, under whatever names`() throws {
        let text = "renamed item a r1\nrenamed item r1 r2 told\nrenamed note a r1\n"
        let names = ColumnNames(try History(text: text).world)
        let expected = [
            ("r2", "item", "a", 2), ("r1", "note", "a", 1), ("b", "item", "b", 0),
            ("a", "tag", "a", 0),
        ]
        for (column, table, name, age) in expected {
            let origin = names.origin(of: column, in: table)
            #expect(origin.name == name)
            #expect(origin.age == age)
        }
    }

    @Test func `with renames in a circle ends`() throws {
        let names = ColumnNames(try History(text: "renamed t a b\nrenamed t b a\n").world)
        #expect(names.origin(of: "a", in: "t").age == 2)
    }

    @Test(arguments: UInt64(1)...300)
    func `has subscriptions only in a world with scopes`(seed: UInt64) {
        let history = History(seed: seed, size: 60)
        let subscribes = history.steps.contains { step in
            if case .subscribe = step.action { true } else { false }
        }
        let isScoped = !history.world.scopes.isEmpty
        #expect(isScoped || !subscribes && history.world.onRequest.isEmpty)
    }

    @Test func `of nothing but a combining character that joins its line's end is one line`() throws
    {
        let text = "table CREATE TABLE t (a TEXT DEFAULT 'e\u{301}')\n1 office: DELETE FROM t\n"
        #expect(try History(text: text).steps.count == 1)
    }
}
