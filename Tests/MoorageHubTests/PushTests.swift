import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Pushing` {
    let ada: [Value] = [.text("a"), .text("Ada"), .text("London"), .text("9.80"), .integer(1)]

    /// A hub with Ada in it, and two replicas that have her row.
    func bench(_ rule: MergeRule = .newest) throws -> (HubBench, ScriptedReplica, ScriptedReplica) {
        let bench = try HubBench(rules: [
            "customer": TableRules(rule: rule), "line": TableRules(rule: rule),
        ])
        try bench.sql("INSERT INTO customer VALUES ('a', 'Ada', 'London', 9.80, 1)")
        let first = try ScriptedReplica(bench, 1)
        let second = try ScriptedReplica(bench, 2)
        try first.exchange()
        try second.exchange()
        return (bench, first, second)
    }

    @Test func `changes of different columns join`() throws {
        let (bench, first, second) = try bench(.server)
        #expect(
            try first.push(
                first.update(
                    "customer", .text("a"), set: ["city": (.text("London"), .text("Paris"))]))
                == [.applied])
        #expect(
            try second.push(
                second.update(
                    "customer", .text("a"), set: ["name": (.text("Ada"), .text("Ada L."))]))
                == [.applied])
        #expect(
            try bench.rows("SELECT name, city FROM customer") == [
                [.text("Ada L."), .text("Paris")]
            ])
        #expect(try bench.conflicts().isEmpty)
    }

    @Test(arguments: [MergeRule.server, .client, .newest])
    func `one column changed on both sides goes by the rule, and the loser is logged`(
        rule: MergeRule
    ) throws {
        let (bench, first, second) = try bench(rule)
        let early = first.now
        _ = try first.push(
            first.update("customer", .text("a"), set: ["city": (.text("London"), .text("Paris"))]))
        let outcome = try second.push(
            second.update(
                "customer", .text("a"), set: ["city": (.text("London"), .text("Rome"))],
                at: early - 60_000))
        let wins = rule == .client
        #expect(outcome == [wins ? .applied : .overruled])
        #expect(try bench.rows("SELECT city FROM customer") == [[.text(wins ? "Rome" : "Paris")]])
        let conflict = try #require(try bench.conflicts().first)
        #expect(conflict[0] == "updateUpdate")
        #expect(conflict[3] == "{\"city\":\"Rome\"}")
        #expect(conflict[4] == "{\"city\":\"Paris\"}")
        try first.exchange()
        #expect(try first.isEqual())
        #expect(try second.isEqual())
    }

    @Test func `the later edit wins, though it is pushed first`() throws {
        let (bench, first, second) = try bench(.newest)
        let now = first.now
        try bench.sql("UPDATE moorage_track_1_customer SET changed_at = 0")
        // The second replica edits later and pushes later. The first one's clock runs a year ahead.
        first.skew = 365 * 86_400_000
        _ = try first.push(
            first.update(
                "customer", .text("a"), set: ["city": (.text("London"), .text("Paris"))],
                at: first.now - 5000))
        let outcome = try second.push(
            second.update(
                "customer", .text("a"), set: ["city": (.text("London"), .text("Rome"))],
                at: now - 1000))
        #expect(outcome == [.applied])
        #expect(try bench.rows("SELECT city FROM customer") == [[.text("Rome")]])
    }

    @Test func `a batch that comes twice is applied once`() throws {
        let (bench, first, _) = try bench()
        let batch = first.batch([
            first.insert("customer", [.text("b"), .text("Bob"), .null, .null, .null]),
            first.insert("customer", [.text("c"), .null, .null, .null, .null]),
        ])
        let once = try #require(first.answer(try first.exchange(batch)))
        try bench.sql("UPDATE customer SET name = 'Bobby' WHERE id = 'b'")
        let twice = try #require(first.answer(try first.exchange(batch)))
        #expect(once.status == .applied)
        #expect(twice.status == .alreadyApplied)
        // The hub repeats the refusal: it is not lost with the first answer.
        #expect(twice.outcomes == once.outcomes)
        #expect(try bench.rows("SELECT name FROM customer WHERE id = 'b'") == [[.text("Bobby")]])
        #expect(try first.isEqual())
    }

    @Test func `another file that goes by the same name is a fork`() throws {
        let (_, first, _) = try bench()
        _ = try first.push(
            first.insert("customer", [.text("b"), .text("Bob"), .null, .null, .null]))
        first.batchNumber = 0
        let batch = first.batch(
            [first.insert("customer", [.text("c"), .text("Cy"), .null, .null, .null])],
            nonce: "other")
        #expect(first.answer(try first.exchange(batch))?.status == .forked)
    }

    @Test func `an unknown replica with a later number shows that the history went back`() throws {
        let (_, first, _) = try bench()
        first.batchNumber = 7
        let batch = first.batch([
            first.insert("customer", [.text("c"), .text("Cy"), .null, .null, .null])
        ])
        let frames = try first.exchange(batch)
        #expect(frames.count == 2)
        guard case .welcome(let welcome) = frames.first else {
            Issue.record("the answer begins with \(String(describing: frames.first))")
            return
        }
        #expect(welcome.epoch != first.cursor.epoch)
    }

    @Test func `refused changes do not hold up the others`() throws {
        let (bench, first, _) = try bench()
        let changes = (0..<50).map { number -> Change in
            let name: Value = number % 10 == 3 ? .null : .text("N")
            let credit: Value = .text(number % 10 == 5 ? "-1" : "1")
            let code: Value = .integer(number == 7 ? 1 : Int64(100 + number))
            return first.insert("customer", [.text("n\(number)"), name, .null, credit, code])
        }
        let outcomes = first.outcomes(try first.exchange(first.batch(changes)))
        let refused = outcomes.enumerated().compactMap { index, outcome -> (Int, Refusal.Code)? in
            guard case .refused(let refusal) = outcome.kind else { return nil }
            return (index, refusal.code)
        }
        #expect(refused.filter { $0.1 == .notNull }.map(\.0) == [3, 13, 23, 33, 43])
        #expect(refused.filter { $0.1 == .check }.map(\.0) == [5, 15, 25, 35, 45])
        #expect(refused.filter { $0.1 == .unique }.map(\.0) == [7])
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(40)]])
        #expect(try bench.conflicts().filter { $0[0] == "refused" }.count == 11)
    }

    @Test func `children go after their parents, whatever the batch's order`() throws {
        let (bench, first, _) = try bench()
        let outcome = try first.push(
            first.insert("line", [.integer(1), .integer(1), .integer(5)]),
            first.insert("purchase", [.integer(1), .text("b"), .null]),
            first.insert("customer", [.text("b"), .text("Bob"), .null, .null, .null]))
        #expect(outcome == [.applied, .applied, .applied])
        #expect(try bench.rows("SELECT count(*) FROM line") == [[.integer(1)]])
    }

    @Test func `a child whose parent was refused is refused with a foreign key`() throws {
        let (_, first, _) = try bench()
        let outcome = try first.push(
            first.insert("customer", [.text("b"), .null, .null, .null, .null]),
            first.insert("purchase", [.integer(1), .text("b"), .null]))
        guard case .refused(let parent) = outcome[0], case .refused(let child) = outcome[1] else {
            Issue.record("both should be refused: \(outcome)")
            return
        }
        #expect(parent.code == .notNull)
        #expect(child.code == .foreignKey)
    }

    @Test func `two rows swap their unique values`() throws {
        let (bench, first, _) = try bench()
        try bench.sql(
            "INSERT INTO customer VALUES ('b', 'Bob', NULL, NULL, 2), ('c', 'Cy', NULL, NULL, 3)")
        try first.exchange()
        let outcome = try first.push(
            first.update("customer", .text("a"), set: ["code": (.integer(1), .integer(2))]),
            first.update("customer", .text("b"), set: ["code": (.integer(2), .integer(3))]),
            first.update("customer", .text("c"), set: ["code": (.integer(3), .integer(1))]))
        #expect(outcome == [.applied, .applied, .applied])
        #expect(
            try bench.rows("SELECT code FROM customer ORDER BY id")
                == [[.integer(2)], [.integer(3)], [.integer(1)]])
    }

    @Test func `half a swap is refused by name, and the rest stands`() throws {
        let (bench, first, _) = try bench()
        try bench.sql("INSERT INTO customer VALUES ('b', 'Bob', NULL, NULL, 2)")
        try first.exchange()
        try bench.sql("UPDATE customer SET code = 9 WHERE id = 'a'")
        // On the device the two rows swap their codes. Meanwhile Ada gets another code at the
        // centre, and the centre wins.
        let outcome = try first.push(
            first.update("customer", .text("a"), set: ["code": (.integer(1), .integer(2))], at: 0),
            first.update("customer", .text("b"), set: ["code": (.integer(2), .integer(1))]))
        #expect(outcome == [.overruled, .applied])
        #expect(
            try bench.rows("SELECT code FROM customer ORDER BY id") == [
                [.integer(9)], [.integer(1)],
            ])
        #expect(try first.isEqual())
    }

    @Test func `a unique value of a deleted row is taken by a new one`() throws {
        let (bench, first, _) = try bench()
        let outcome = try first.push(
            first.insert("customer", [.text("z"), .text("Zoe"), .null, .null, .integer(1)]),
            first.delete("customer", before: ada))
        #expect(outcome == [.applied, .applied])
        #expect(try bench.rows("SELECT id FROM customer") == [[.text("z")]])
    }

    @Test func `what names a row by another unique key follows it to its new one`() throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE item (id TEXT NOT NULL PRIMARY KEY, name TEXT);
                CREATE TABLE line (
                  id TEXT NOT NULL PRIMARY KEY, item TEXT NOT NULL REFERENCES item(id),
                  number INTEGER NOT NULL, UNIQUE (item, number));
                CREATE TABLE remark (
                  id TEXT NOT NULL PRIMARY KEY, item TEXT NOT NULL, number INTEGER NOT NULL,
                  FOREIGN KEY (item, number) REFERENCES line(item, number));
                """, rules: ["item": TableRules(rule: .keepBoth)])
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.sql(
            "INSERT INTO item VALUES ('i', 'office'); INSERT INTO line VALUES ('l', 'i', 1)")
        let outcome = try replica.push(
            replica.insert("item", [.text("i"), .text("mine")]),
            replica.insert("line", [.text("m"), .text("i"), .integer(1)]),
            replica.insert("remark", [.text("r"), .text("i"), .integer(1)]))
        #expect(outcome.count == 3 && outcome[0] == .merged)
        let names = """
            SELECT item.name FROM remark JOIN line USING (item, number) JOIN item ON item.id = line.item
            """
        #expect(try bench.rows(names) == [[.text("mine")]])
    }

    /// A row with a new key takes a unique value that another row gives up in the same batch, and a
    /// child row moves along. The delete of the old key waits for both.
    @Test func `a cascade takes no row that moves away in the batch`() throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE item (id TEXT NOT NULL PRIMARY KEY, code INTEGER UNIQUE);
                CREATE TABLE part (
                  id TEXT NOT NULL PRIMARY KEY, item TEXT NOT NULL REFERENCES item(id) ON DELETE CASCADE);
                INSERT INTO item VALUES ('old', 4), ('other', 7);
                INSERT INTO part VALUES ('p', 'old');
                """)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let outcome = try replica.push(
            replica.insert("item", [.text("new"), .integer(7)]),
            replica.update("item", .text("other"), set: ["code": (.integer(7), .integer(1))]),
            replica.update("part", .text("p"), set: ["item": (.text("old"), .text("new"))]),
            replica.delete("item", before: [.text("old"), .integer(4)]))
        #expect(outcome == [.applied, .applied, .applied, .applied])
        #expect(try bench.rows("SELECT id, item FROM part") == [[.text("p"), .text("new")]])
        #expect(
            try bench.rows("SELECT id FROM item ORDER BY id") == [[.text("new")], [.text("other")]])
    }

    @Test func `an update of a row that is gone is refused and kept`() throws {
        let (bench, first, _) = try bench()
        try bench.sql("DELETE FROM customer")
        let outcome = try first.push(
            first.update("customer", .text("a"), set: ["city": (.text("London"), .text("Paris"))]))
        guard case .refused(let refusal) = outcome[0] else {
            Issue.record("refused, not \(outcome)")
            return
        }
        #expect(refusal.code == .gone)
        #expect(try bench.conflicts().first?[3] == "{\"city\":\"Paris\"}")
        #expect(first.rows["customer"]?.isEmpty == true)
    }

    @Test(arguments: [MergeRule.server, .client])
    func `a delete meets an update by the rule`(rule: MergeRule) throws {
        let (bench, first, _) = try bench(rule)
        try bench.sql("UPDATE customer SET city = 'Oslo'")
        let outcome = try first.push(first.delete("customer", before: ada))
        #expect(outcome == [rule == .client ? .applied : .overruled])
        #expect(
            try bench.rows("SELECT count(*) FROM customer") == [[.integer(rule == .client ? 0 : 1)]]
        )
        #expect(try bench.conflicts().first?[0] == "deleteUpdate")
        #expect(try first.isEqual())
    }

    @Test(arguments: [MergeRule.server, .client])
    func `rows that a cascade would take are judged and logged`(rule: MergeRule) throws {
        let (bench, first, _) = try bench(rule)
        try bench.sql("INSERT INTO purchase VALUES (1, 'a', NULL)")
        try first.exchange()
        try bench.sql("INSERT INTO line VALUES (1, 1, 100)")
        let outcome = try first.push(
            first.delete("purchase", before: [.integer(1), .text("a"), .null]))
        #expect(outcome == [rule == .client ? .applied : .overruled])
        #expect(
            try bench.rows("SELECT count(*) FROM line") == [[.integer(rule == .client ? 0 : 1)]])
        #expect(try bench.conflicts().count == 1)
        #expect(try first.isEqual())
    }

    @Test func `what a trigger stores otherwise is answered`() throws {
        let (bench, first, _) = try bench()
        try bench.sql(
            """
            CREATE TRIGGER lower AFTER INSERT ON customer
            BEGIN UPDATE customer SET name = lower(name) WHERE id = NEW.id; END
            """)
        let outcomes = first.outcomes(
            try first.exchange(
                first.batch([
                    first.insert("customer", [.text("b"), .text("BOB"), .null, .null, .null])
                ])))
        #expect(outcomes.first?.stored == [StoredValue(column: 1, value: .text("bob"))])
        #expect(try first.isEqual())
    }

    @Test func `a key that was deleted is not inserted again by an old copy`() throws {
        let (bench, first, _) = try bench()
        try bench.sql("DELETE FROM customer")
        #expect(try first.push(first.insert("customer", ada, again: true)).first != .applied)
        #expect(try first.push(first.insert("customer", ada)) == [.applied])
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(1)]])
    }

    @Test func `two inserts of one key are merged whole`() throws {
        let (bench, first, second) = try bench(.server)
        _ = try first.push(
            first.insert("customer", [.text("b"), .text("Bob"), .text("Bonn"), .null, .null]))
        let outcome = try second.push(
            second.insert("customer", [.text("b"), .text("Bea"), .null, .null, .integer(5)]))
        #expect(outcome == [.overruled])
        #expect(
            try bench.rows("SELECT name, city, code FROM customer WHERE id = 'b'")
                == [[.text("Bob"), .text("Bonn"), .null]])
        #expect(try bench.conflicts().first?[3]?.contains("\"name\":\"Bea\"") == true)
        #expect(try second.isEqual())
    }

    @Test func `values of the wrong type are refused by name`() throws {
        let (_, first, _) = try bench()
        let outcome = try first.push(
            first.insert("customer", [.text("b"), .text("B"), .null, .text("much"), .null]),
            first.insert("customer", [.text("c"), .blob([1]), .null, .null, .null]),
            first.insert(
                "customer",
                [.text("d"), .text("D"), .null, .text(String(repeating: "1", count: 38)), .null]),
            first.insert(
                "customer", [.text("e"), .text("E"), .null, .text("0.2e390"), .null]),
            first.insert(
                "customer", [.text("f"), .text("F"), .null, .text("0.2e-390"), .null]))
        let codes = outcome.map {
            if case .refused(let refusal) = $0 { refusal.code.rawValue } else { "taken" }
        }
        let unfit = "notRepresentable"
        #expect(codes == ["type", "type", unfit, unfit, unfit])
    }

    @Test func `a batch over the limits is not taken`() throws {
        let bench = try HubBench(limits: HubLimits(maximumBatchRows: 2))
        let replica = try ScriptedReplica(bench, 1)
        let changes = (0..<3).map {
            replica.insert("customer", [.text("\($0)"), .text("N"), .null, .null, .null])
        }
        #expect(
            replica.answer(try replica.exchange(replica.batch(changes)))?.status == .notAccepted)
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(0)]])
    }

    @Test func `a row kept beside another takes no key that the batch gives out itself`() throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE team (id INTEGER PRIMARY KEY NOT NULL, name TEXT);
                CREATE TABLE member (id TEXT PRIMARY KEY NOT NULL, team INTEGER REFERENCES team(id));
                """, rules: ["team": TableRules(rule: .keepBoth)])
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.sql("INSERT INTO team VALUES (1, 'office'), (2, 'office')")
        let outcomes = try replica.push(
            replica.insert("team", [.integer(1), .text("one")]),
            replica.insert("team", [.integer(2), .text("two")]),
            replica.insert("team", [.integer(3), .text("three")]),
            replica.insert("member", [.text("a"), .integer(1)]),
            replica.insert("member", [.text("b"), .integer(2)]),
            replica.insert("member", [.text("c"), .integer(3)]))
        #expect(outcomes == [.merged, .merged, .applied, .applied, .applied, .applied])
        #expect(
            try bench.rows(
                "SELECT member.id, name FROM member JOIN team ON team.id = team ORDER BY 1")
                == [
                    [.text("a"), .text("one")], [.text("b"), .text("two")],
                    [.text("c"), .text("three")],
                ])
        #expect(try bench.rows("SELECT * FROM team").count == 5)
    }
}
