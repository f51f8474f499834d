import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Deciding a conflict again` {
    /// A hub with Ada in London, and two replicas that have her row.
    func bench(
        _ rule: MergeRule = .server, retention: RetentionPolicy = RetentionPolicy()
    ) throws -> (HubBench, ScriptedReplica, ScriptedReplica) {
        let bench = try HubBench(
            rules: ["customer": TableRules(rule: rule), "line": TableRules(rule: rule)],
            retention: retention)
        try bench.sql("INSERT INTO customer VALUES ('a', 'Ada', 'London', 9.80, 1)")
        let first = try ScriptedReplica(bench, 1)
        let second = try ScriptedReplica(bench, 2)
        try first.exchange()
        try second.exchange()
        return (bench, first, second)
    }

    /// The first replica moves Ada to Paris. The second, which still has her in London, moves her
    /// to Rome.
    func disagree(_ first: ScriptedReplica, _ second: ScriptedReplica) throws {
        for (replica, city) in [(first, "Paris"), (second, "Rome")] {
            _ = try replica.push(
                replica.update(
                    "customer", .text("a"), set: ["city": (.text("London"), .text(city))]))
        }
    }

    func only(_ bench: HubBench) async throws -> ConflictRecord {
        let records = try await bench.hub.conflicts()
        #expect(records.count == 1)
        return try #require(records.first)
    }

    func city(_ bench: HubBench) throws -> [[Value]] { try bench.rows("SELECT city FROM customer") }

    @Test func `mine is written again, and reaches everyone`() async throws {
        let (bench, first, second) = try bench(.server)
        try disagree(first, second)
        #expect(try city(bench) == [[.text("Paris")]])
        let record = try await only(bench)
        let decided = try await bench.hub.decide(.mine, conflict: record.id)
        #expect(decided.decision == .mine)
        #expect(try city(bench) == [[.text("Rome")]])
        for replica in [first, second] {
            try replica.exchange()
            #expect(try replica.isEqual())
        }
        #expect(try await bench.hub.conflicts().isEmpty)
        var all = ConflictFilter()
        all.includesDecided = true
        #expect(try await bench.hub.conflicts(all) == [decided])
    }

    @Test func `theirs is written again where the replica won`() async throws {
        let (bench, first, second) = try bench(.client)
        try disagree(first, second)
        #expect(try city(bench) == [[.text("Rome")]])
        _ = try await bench.hub.decide(.theirs, conflict: try await only(bench).id)
        #expect(try city(bench) == [[.text("Paris")]])
    }

    @Test func `what was edited since in other columns stays`() async throws {
        let (bench, first, second) = try bench(.server)
        try disagree(first, second)
        try bench.sql("UPDATE customer SET name = 'Ada L.'")
        _ = try await bench.hub.decide(.mine, conflict: try await only(bench).id)
        #expect(
            try bench.rows("SELECT name, city FROM customer") == [[.text("Ada L."), .text("Rome")]])
    }

    @Test func `one decision is enough`() async throws {
        let (bench, first, second) = try bench(.server)
        try disagree(first, second)
        let id = try await only(bench).id
        _ = try await bench.hub.decide(.dismissed, conflict: id)
        #expect(try city(bench) == [[.text("Paris")]])
        let error = await #expect(throws: HubError.self) {
            try await bench.hub.decide(.mine, conflict: id)
        }
        #expect(error?.code == .alreadyDecided)
        #expect(try city(bench) == [[.text("Paris")]])
    }

    @Test func `a refused insert goes in when its cause is gone, and not before`() async throws {
        let (bench, first, _) = try bench()
        let bob: [Value] = [.text("b"), .text("Bob"), .null, .null, .integer(1)]
        let outcome = try first.push(first.insert("customer", bob))
        guard case .refused = outcome.first else {
            Issue.record("the insert was \(outcome)")
            return
        }
        let record = try await only(bench)
        #expect(record.reasonCode == "unique")
        let error = await #expect(throws: HubError.self) {
            try await bench.hub.decide(.mine, conflict: record.id)
        }
        #expect(error?.code == .databaseError)
        #expect(try await only(bench).decision == nil)
        try bench.sql("UPDATE customer SET code = 2 WHERE id = 'a'")
        _ = try await bench.hub.decide(.mine, conflict: record.id)
        #expect(
            try bench.rows("SELECT id, name, code FROM customer ORDER BY id").last == [
                .text("b"), .text("Bob"), .integer(1),
            ])
    }

    @Test func `a value of another type is not written, also where the database accepts it`()
        async throws
    {
        let (bench, first, _) = try bench()
        let bob: [Value] = [.text("b"), .text("Bob"), .null, .null, .text("no number")]
        let outcome = try first.push(first.insert("customer", bob))
        guard case .refused = outcome.first else {
            Issue.record("the insert was \(outcome)")
            return
        }
        let record = try await only(bench)
        #expect(record.reasonCode == "type")
        let error = await #expect(throws: HubError.self) {
            try await bench.hub.decide(.mine, conflict: record.id)
        }
        #expect(error?.message.contains("(type)") == true)
        #expect(try bench.rows("SELECT id FROM customer") == [[.text("a")]])
        #expect(try await only(bench).decision == nil)
    }

    @Test func `a row whose change was refused unread stays as it is`() async throws {
        let (bench, first, _) = try bench()
        let outcome = try first.push(
            first.update("customer", .text("a"), set: ["code": (.integer(1), .text("one"))]))
        guard case .refused(let refusal) = outcome.first, refusal.code == .type else {
            Issue.record("the update was \(outcome)")
            return
        }
        let record = try await only(bench)
        #expect(record.theirs == nil)
        let decided = try await bench.hub.decide(.theirs, conflict: record.id)
        #expect(decided.decision == .theirs)
        #expect(try city(bench) == [[.text("London")]])
    }

    @Test(arguments: [ConflictDecision.mine, .theirs])
    func `a conflict without its values is not decided`(decision: ConflictDecision) async throws {
        let (bench, first, second) = try bench(.server)
        try disagree(first, second)
        // As the hub logs values that the database does not accept in one statement.
        try bench.sql(
            "UPDATE moorage_conflict SET base = NULL, mine = NULL, theirs = NULL, result = NULL")
        let id = try await only(bench).id
        let error = await #expect(throws: HubError.self) {
            try await bench.hub.decide(decision, conflict: id)
        }
        #expect(error?.code == .notFound)
        #expect(try city(bench) == [[.text("Paris")]])
        #expect(try await only(bench).decision == nil)
        _ = try await bench.hub.decide(.dismissed, conflict: id)
        #expect(try city(bench) == [[.text("Paris")]])
    }

    @Test func `a delete that lost is carried out after all`() async throws {
        let (bench, first, second) = try bench(.server)
        _ = try first.push(
            first.update("customer", .text("a"), set: ["city": (.text("London"), .text("Paris"))]))
        let ada: [Value] = [
            .text("a"), .text("Ada"), .text("London"), .text("9.80"), .integer(1),
        ]
        #expect(try second.push(second.delete("customer", before: ada)) == [.overruled])
        _ = try await bench.hub.decide(.mine, conflict: try await only(bench).id)
        #expect(try city(bench).isEmpty)
        try first.exchange()
        #expect(try first.isEqual())
    }

    @Test func `a row that went with its parent comes back below another`() async throws {
        let (bench, first, second) = try bench(.client)
        try bench.sql("INSERT INTO purchase VALUES (1, 'a', NULL)")
        try first.exchange()
        try second.exchange()
        _ = try first.push(first.insert("line", [.integer(1), .integer(7), .integer(3)]))
        _ = try second.push(
            second.delete("purchase", before: [.integer(1), .text("a"), .null]))
        #expect(try bench.rows("SELECT * FROM line").isEmpty)
        let record = try await only(bench)
        // Its parent is gone: the database refuses the row, and the conflict stays open.
        await #expect(throws: HubError.self) {
            try await bench.hub.decide(.theirs, conflict: record.id)
        }
        try bench.sql("INSERT INTO purchase VALUES (1, 'a', 'again')")
        _ = try await bench.hub.decide(.theirs, conflict: record.id)
        #expect(
            try bench.rows("SELECT * FROM line") == [[.integer(1), .integer(7), .integer(3)]])
    }

    @Test func `filters choose, and an id may be cut short`() async throws {
        let (bench, first, second) = try bench(.server)
        try disagree(first, second)
        _ = try first.push(
            first.insert("customer", [.text("c"), .null, .null, .null, .null]))
        #expect(try await bench.hub.conflicts().count == 2)
        var filter = ConflictFilter()
        filter.kind = "refused"
        let refused = try await bench.hub.conflicts(filter)
        #expect(refused.map(\.key) == ["[\"c\"]"])
        filter = ConflictFilter()
        filter.replica = second.id
        filter.key = "[\"a\"]"
        filter.table = "customer"
        #expect(try await bench.hub.conflicts(filter).map(\.kind) == ["updateUpdate"])
        filter.since = HubTime(milliseconds: .max)
        #expect(try await bench.hub.conflicts(filter).isEmpty)
        let id = try #require(refused.first?.id)
        #expect(try await bench.hub.conflict(id: String(id.dropLast())).id == id)
        for wrong in ["nonce", "", "zzz", "%"] {
            let error = await #expect(throws: HubError.self) {
                try await bench.hub.conflict(id: wrong)
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `the log is forgotten when its time is over`() async throws {
        let days = RetentionPolicy(
            time: .seconds(86_400), steps: 1, conflicts: .seconds(3 * 86_400))
        let (bench, first, second) = try bench(.server, retention: days)
        try disagree(first, second)
        _ = try await bench.hub.decide(.dismissed, conflict: try await only(bench).id)
        for (passed, left) in [(2, 1), (2, 0)] {
            try bench.sql(
                "UPDATE moorage_conflict SET logged_at = logged_at - \(passed * 86_400_000)")
            try bench.pass(days: passed)
            try first.exchange()
            #expect(try bench.rows("SELECT * FROM moorage_conflict").count == left)
            #expect(try bench.rows("SELECT * FROM moorage_decision").count == left)
        }
    }

    @Test func `a part of a row that is gone makes no row`() async throws {
        let (bench, first, second) = try bench(.server)
        try disagree(first, second)
        try bench.sql("DELETE FROM customer")
        let id = try await only(bench).id
        for decision in [ConflictDecision.mine, .theirs] {
            let error = await #expect(throws: HubError.self) {
                try await bench.hub.decide(decision, conflict: id)
            }
            #expect(error?.code == .notFound)
        }
        #expect(try city(bench).isEmpty)
        #expect(try await only(bench).decision == nil)
    }

    @Test func `a row that is marked as deleted is marked, and stands again`() async throws {
        let bench = try HubBench(
            schema: "CREATE TABLE note (id TEXT PRIMARY KEY NOT NULL, text TEXT, gone INTEGER)",
            rules: ["note": TableRules(rule: .server, softDelete: "gone")])
        try bench.sql("INSERT INTO note VALUES ('a', 'old', NULL)")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.sql("UPDATE note SET gone = 1")
        _ = try replica.push(
            replica.update("note", .text("a"), set: ["text": (.text("old"), .text("mine"))]))
        let record = try await only(bench)
        #expect(record.reasonCode == "gone")
        _ = try await bench.hub.decide(.mine, conflict: record.id)
        #expect(try bench.rows("SELECT * FROM note") == [[.text("a"), .text("mine"), .null]])

        _ = try replica.push(
            replica.delete("note", before: [.text("a"), .text("old"), .null]))
        let delete = try await only(bench)
        #expect(delete.kind == "deleteUpdate")
        _ = try await bench.hub.decide(.mine, conflict: delete.id)
        #expect(
            try bench.rows("SELECT * FROM note") == [[.text("a"), .text("mine"), .integer(1)]])
    }
}
