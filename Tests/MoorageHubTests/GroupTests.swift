import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Groups in a batch` {
    private func bench(_ rule: MergeRule = .server) throws -> (HubBench, ScriptedReplica) {
        let bench = try HubBench(rules: ["customer": TableRules(rule: rule)])
        try bench.sql("INSERT INTO customer VALUES ('a', 'Ada', 'London', 9.80, 1)")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        return (bench, replica)
    }

    private func customer(_ id: String, name: Value = .text("N"), code: Value = .null) -> [Value] {
        [.text(id), name, .null, .null, code]
    }

    private func codes(_ outcomes: [Outcome.Kind]) -> [String] {
        outcomes.map {
            if case .refused(let refusal) = $0 { refusal.code.rawValue } else { "\($0)" }
        }
    }

    @Test func `a change that is refused takes its group along, and no other`() throws {
        let (bench, replica) = try bench()
        let outcomes = try replica.push(
            replica.insert("customer", customer("b")).grouped(1),
            replica.insert("customer", customer("c", name: .null)).grouped(1),
            replica.insert("customer", customer("d")).grouped(2),
            replica.insert("customer", customer("e")))
        #expect(codes(outcomes) == ["group", "notNull", "applied", "applied"])
        #expect(
            try bench.rows("SELECT id FROM customer ORDER BY id")
                == [[.text("a")], [.text("d")], [.text("e")]])
        let logged = try bench.conflicts()
        #expect(logged.map { $0[2] }.sorted { ($0 ?? "") < ($1 ?? "") } == ["group", "notNull"])
        #expect(logged.allSatisfy { $0[3] != nil })
    }

    @Test func `a group that depends on a refused one is refused with it`() throws {
        let (bench, replica) = try bench()
        let outcomes = try replica.push(
            replica.insert("customer", customer("b", name: .null)).grouped(1),
            replica.insert("customer", customer("c")).grouped(1),
            replica.insert("purchase", [.integer(1), .text("c"), .null]).grouped(2),
            replica.insert("line", [.integer(1), .integer(1), .integer(5)]).grouped(2),
            replica.insert("customer", customer("z")))
        #expect(codes(outcomes) == ["notNull", "group", "foreignKey", "group", "applied"])
        #expect(try bench.rows("SELECT count(*) FROM purchase") == [[.integer(0)]])
    }

    @Test func `a change that loses a conflict takes its group along`() throws {
        let (bench, replica) = try bench()
        try bench.sql("UPDATE customer SET city = 'Rome'")
        let outcomes = try replica.push(
            replica.update("customer", .text("a"), set: ["city": (.text("London"), .text("Paris"))])
                .grouped(1),
            replica.insert("customer", customer("b")).grouped(1))
        #expect(codes(outcomes) == ["group", "group"])
        #expect(try bench.rows("SELECT city FROM customer") == [[.text("Rome")]])
        #expect(try bench.conflicts().contains { $0[3] == "{\"city\":\"Paris\"}" })
    }

    @Test func `a group that fits is applied whole, once`() throws {
        let (bench, replica) = try bench()
        let batch = replica.batch([
            replica.insert("customer", customer("b", code: .integer(2))).grouped(1),
            replica.insert("purchase", [.integer(1), .text("b"), .null]).grouped(1),
        ])
        #expect(replica.outcomes(try replica.exchange(batch)).map(\.kind) == [.applied, .applied])
        let again = replica.answer(try replica.exchange(batch))
        #expect(again?.status == .alreadyApplied)
        #expect(try bench.rows("SELECT count(*) FROM purchase") == [[.integer(1)]])
    }

    @Test func `what cannot be meant takes its group along`() throws {
        let (bench, replica) = try bench()
        let outcomes = try replica.push(
            replica.insert("purchase", [.integer(1), .text("a"), .null]).grouped(3),
            replica.insert("purchase", [.integer(2), .text("a"), .real(.infinity)]).grouped(3))
        #expect(codes(outcomes)[0] == "group")
        #expect(try bench.rows("SELECT count(*) FROM purchase") == [[.integer(0)]])
    }

    @Test func `a child names the parent that was refused`() throws {
        let (_, replica) = try bench()
        let outcomes = try replica.push(
            replica.insert("customer", customer("b", name: .null)),
            replica.insert("purchase", [.integer(1), .text("b"), .null]))
        guard case .refused(let refusal) = outcomes[1] else {
            Issue.record("refused, not \(outcomes)")
            return
        }
        #expect(refusal.code == .foreignKey)
        #expect(refusal.message.contains("customer") && refusal.message.contains("notNull"))
    }
}

extension Change {
    fileprivate func grouped(_ number: Int) -> Change {
        Change(
            table: table, key: key, operation: operation, editedAt: editedAt, isAgain: isAgain,
            group: number)
    }
}
