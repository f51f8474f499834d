import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Rules at the hub` {
    private static let schema = """
        CREATE TABLE team (id INTEGER NOT NULL PRIMARY KEY, name TEXT, code INTEGER UNIQUE, gone_at TIMESTAMP);
        CREATE TABLE member (
          id TEXT NOT NULL PRIMARY KEY, team INTEGER REFERENCES team(id) ON DELETE CASCADE, name TEXT);
        CREATE TABLE pass (id UUID NOT NULL PRIMARY KEY, name TEXT);
        """

    private func bench(
        _ rules: [String: TableRules], classes: [ReplicaClass] = []
    ) throws -> (HubBench, ScriptedReplica, ScriptedReplica) {
        let bench = try HubBench(schema: Self.schema, rules: rules, classes: classes)
        try bench.sql("INSERT INTO team(id, name) VALUES (1, 'red'), (2, 'blue')")
        let first = try ScriptedReplica(bench, 1)
        let second = try ScriptedReplica(bench, 2)
        try first.exchange()
        try second.exchange()
        return (bench, first, second)
    }

    private func team(_ id: Int64, _ name: String) -> [Value] {
        [.integer(id), .text(name), .null, .null]
    }

    // MARK: keepBoth

    @Test func `keep two inserts of one key, and what hangs on the second goes with it`() throws {
        let (bench, first, second) = try bench(["team": TableRules(rule: .keepBoth)])
        _ = try first.push(first.insert("team", team(3, "green")))
        let outcomes = second.outcomes(
            try second.exchange(
                second.batch([
                    second.insert("team", team(3, "black")),
                    second.insert("member", [.text("m"), .integer(3), .text("Mo")]),
                ])))
        #expect(outcomes.map(\.kind) == [.merged, .applied])
        #expect(outcomes[0].stored == [StoredValue(column: 0, value: .integer(4))])
        #expect(outcomes[1].stored == [StoredValue(column: 1, value: .integer(4))])
        #expect(
            try bench.rows("SELECT id, name FROM team WHERE id > 2 ORDER BY id")
                == [[.integer(3), .text("green")], [.integer(4), .text("black")]])
        #expect(try bench.rows("SELECT team FROM member") == [[.integer(4)]])
        #expect(try bench.conflicts().map { $0[1] } == ["keepBoth"])
        #expect(try second.isEqual())
    }

    @Test(arguments: ["team", "member", "pass"])
    func `keep a row once, however often it is offered again`(table: String) throws {
        let (bench, first, second) = try bench([table: TableRules(rule: .keepBoth)])
        func row(_ name: String) -> [Value] {
            switch table {
            case "team": team(3, name)
            case "member": [.text("m"), .null, .text(name)]
            default: [.text("11111111-2222-4333-8444-555555555555"), .text(name)]
            }
        }
        _ = try first.push(first.insert(table, row("theirs")))
        for _ in 0..<3 {
            #expect(try second.push(second.insert(table, row("mine"), again: true)) == [.merged])
        }
        #expect(
            try bench.rows(
                "SELECT name FROM \(table) WHERE name IN ('mine', 'theirs') ORDER BY name")
                == [[.text("mine")], [.text("theirs")]])
        #expect(try bench.conflicts().count == 1)
        // The row that was kept is gone: it does not come back by being offered again.
        try bench.sql("DELETE FROM \(table) WHERE name = 'mine'")
        #expect(try second.push(second.insert(table, row("mine"), again: true)) == [.merged])
        #expect(try bench.rows("SELECT name FROM \(table) WHERE name = 'mine'").isEmpty)
    }

    @Test func `keep both versions of an update as two rows`() throws {
        let (bench, first, second) = try bench(["team": TableRules(rule: .keepBoth)])
        _ = try first.push(
            first.update("team", .integer(1), set: ["name": (.text("red"), .text("dark red"))]))
        #expect(
            try second.push(
                second.update("team", .integer(1), set: ["name": (.text("red"), .text("pink"))]))
                == [.merged])
        #expect(
            try bench.rows("SELECT id, name FROM team ORDER BY id")
                == [
                    [.integer(1), .text("dark red")], [.integer(2), .text("blue")],
                    [.integer(3), .text("pink")],
                ])
    }

    @Test func `refuse the second row where a unique value allows no second`() throws {
        let (bench, first, second) = try bench(["team": TableRules(rule: .keepBoth)])
        _ = try first.push(first.insert("team", [.integer(3), .text("a"), .integer(9), .null]))
        let outcome = try second.push(
            second.insert("team", [.integer(3), .text("b"), .integer(9), .null]))
        guard case .refused(let refusal)? = outcome.first else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .unique)
        #expect(try bench.rows("SELECT count(*) FROM team") == [[.integer(3)]])
        #expect(try bench.conflicts().contains { $0[3]?.contains("\"b\"") == true })
    }

    @Test func `refuse the second row where no key is left`() throws {
        let (bench, first, second) = try bench(["team": TableRules(rule: .keepBoth)])
        _ = try first.push(first.insert("team", team(.max, "last")))
        let outcome = try second.push(
            second.insert("team", team(.max, "beyond")), second.insert("team", team(7, "seven")))
        guard case .refused(let refusal) = outcome[0] else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .overflow && outcome[1] == .applied)
        #expect(try bench.conflicts().contains { $0[3]?.contains("beyond") == true })
    }

    // MARK: Handlers and SQL

    @Test func `that a handler refuses stand alone: the rest of the batch goes in`() throws {
        struct Closed: Error {}
        let rule = MergeRule.handler(
            MergeHandler("closed", timeLimit: .seconds(60)) { question in
                #expect(question.origin.replica.hasSuffix("2"))
                throw Closed()
            })
        let (bench, first, second) = try bench(["team": TableRules(rule: rule)])
        try bench.sql("UPDATE team SET name = 'dark red' WHERE id = 1")
        let outcome = try second.push(
            second.update("team", .integer(1), set: ["name": (.text("red"), .text("pink"))]),
            second.update("team", .integer(2), set: ["name": (.text("blue"), .text("sky"))]))
        guard case .refused(let refusal) = outcome[0] else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .rule && outcome[1] == .applied)
        #expect(
            try bench.rows("SELECT name FROM team ORDER BY id")
                == [[.text("dark red")], [.text("sky")]])
        let conflict = try #require(try bench.conflicts().first)
        #expect(conflict[1] == "handler closed" && conflict[2] == "rule")
        #expect(conflict[3] == "{\"name\":\"pink\"}")
        try first.exchange()
        #expect(try first.isEqual() && second.isEqual())
    }

    @Test func `by SQL see the three values, and one that fails refuses its change`() throws {
        let rule = MergeRule.expression(
            RuleExpression(
                "CASE mine WHEN 'x' THEN abs(-9223372036854775808) ELSE base || mine || theirs END")
        )
        let (bench, _, second) = try bench(["team": TableRules(columns: ["name": rule])])
        try bench.sql("UPDATE team SET name = 'a''b'")
        let outcome = try second.push(
            second.update("team", .integer(1), set: ["name": (.text("red"), .text("c'; --"))]),
            second.update("team", .integer(2), set: ["name": (.text("blue"), .text("x"))]))
        #expect(outcome[0] == .merged)
        guard case .refused(let refusal) = outcome[1] else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .rule)
        #expect(
            try bench.rows("SELECT name FROM team ORDER BY id")
                == [[.text("redc'; --a'b")], [.text("a'b")]])
    }

    @Test(arguments: [
        TableRules(columns: ["name": .add]), TableRules(columns: ["nmae": .server]),
        TableRules(columns: ["name": .expression(RuleExpression("no_such_thing(mine, 1)"))]),
        TableRules(rule: .handler(MergeHandler("") { _ in .mine })),
    ])
    func `that do not fit stop the hub before the first exchange`(rules: TableRules) throws {
        do {
            _ = try bench(["team": rules])
            Issue.record("it started")
        } catch let error as HubError {
            #expect(error.code == .configuration && error.message.contains("team"))
        }
    }

    @Test func `for a table that is not attached are a mistake`() async throws {
        let (bench, _, _) = try bench(["taem": TableRules()])
        await #expect(throws: HubError.self) { try await bench.hub.checkConfiguration() }
    }

    // MARK: Priority

    @Test
    func `let a supervisor's edit stand against later ones, until the office changes the row`()
        throws
    {
        let supervisors = ReplicaClass(
            name: "supervisors", priority: 5, replicas: ["00000000-0000-4000-8000-000000000001"])
        let (bench, supervisor, second) = try bench([:], classes: [supervisors])
        func rename(_ replica: ScriptedReplica, _ name: String, at: DeviceTime) throws
            -> Outcome.Kind
        {
            try replica.push(
                replica.update(
                    "team", .integer(1), set: ["name": (.text("?"), .text(name))], at: at))[0]
        }
        let now = supervisor.now
        #expect(try rename(supervisor, "boss", at: now - 9000) == .applied)
        #expect(try rename(second, "clerk", at: now) == .overruled)
        #expect(try rename(supervisor, "boss again", at: now - 8000) == .applied)
        // Another column of the same row leaves the supervisor's word.
        _ = try second.push(
            second.update("team", .integer(1), set: ["code": (.null, .integer(1))]))
        #expect(try rename(second, "clerk", at: second.now) == .overruled)
        try bench.sql("UPDATE team SET name = 'office' WHERE id = 1")
        try bench.sql("UPDATE moorage_track_1_team SET changed_at = 5")
        #expect(try rename(second, "clerk", at: second.now) == .applied)
        // No device can say of itself what it is.
        #expect(try rename(supervisor, "boss", at: now - 9000) == .applied)
    }

    /// A clerk's delete would take the supervisor's row along.
    @Test(arguments: [0, 5]) func `let a row stand against another's cascade`(priority: Int) throws
    {
        let supervisors = ReplicaClass(
            name: "supervisors", priority: priority,
            replicas: ["00000000-0000-4000-8000-000000000001"])
        let (bench, supervisor, clerk) = try bench([:], classes: [supervisors])
        let member: [Value] = [.text("m"), .integer(1), .text("Mo")]
        #expect(
            try supervisor.push(supervisor.insert("member", member, at: supervisor.now - 9000))
                == [.applied])
        let outcome = try clerk.push(clerk.delete("team", before: team(1, "red")))
        #expect(outcome == [priority == 0 ? .applied : .overruled])
        #expect(
            try bench.rows("SELECT count(*) FROM member")
                == [[.integer(priority == 0 ? 0 : 1)]])
    }

    // MARK: Deletes

    @Test func `by a mark leave the row, and count it as deleted`() throws {
        let (bench, first, second) = try bench(["team": TableRules(softDelete: "gone_at")])
        try bench.sql("INSERT INTO member VALUES ('m', 1, 'Mo')")
        let red = team(1, "red")
        #expect(try first.push(first.delete("team", before: red)) == [.applied])
        #expect(try bench.rows("SELECT count(*) FROM member") == [[.integer(1)]])
        let deleted = try bench.rows("SELECT gone_at FROM team WHERE id = 1")
        #expect(deleted != [[.null]])
        #expect(try first.push(first.delete("team", before: red)) == [.applied])
        #expect(try bench.rows("SELECT gone_at FROM team WHERE id = 1") == deleted)
        let outcome = try second.push(
            second.update("team", .integer(1), set: ["name": (.text("red"), .text("pink"))]))
        guard case .refused(let refusal) = outcome[0] else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .gone)
        #expect(try first.isEqual() && second.isEqual())
    }

    /// Merged by row, an update names the deletion marker, too: as it was when the replica saw the row.
    @Test func `by a mark stand against an update that names what it left`() throws {
        let (bench, first, second) = try bench([
            "team": TableRules(granularity: .row, softDelete: "gone_at")
        ])
        #expect(try first.push(first.delete("team", before: team(1, "red"))) == [.applied])
        let outcome = try second.push(
            second.update(
                "team", .integer(1),
                set: ["name": (.text("red"), .text("pink")), "gone_at": (.null, .null)]))
        guard case .refused(let refusal) = outcome[0] else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .gone)
        #expect(try bench.rows("SELECT name FROM team WHERE id = 1") == [[.text("red")]])
    }

    @Test func `by a mark bring a row back with an update where the table says so`() throws {
        let (bench, first, second) = try bench([
            "team": TableRules(updateOfDeleted: .resurrect, softDelete: "gone_at")
        ])
        _ = try first.push(first.delete("team", before: team(1, "red")))
        #expect(
            try second.push(
                second.update("team", .integer(1), set: ["name": (.text("red"), .text("pink"))]))
                == [.applied])
        #expect(
            try bench.rows("SELECT name, gone_at FROM team WHERE id = 1") == [
                [.text("pink"), .null]
            ])
    }

    /// Merged by row, an update of a marked row names the mark that the replica saw.
    @Test func `by a mark bring a row back with an update that names an older mark`() throws {
        let (bench, first, second) = try bench([
            "team": TableRules(
                granularity: .row, updateOfDeleted: .resurrect, softDelete: "gone_at")
        ])
        let older: Value = .text("2023-11-15 00:00:00")
        try bench.sql("UPDATE team SET gone_at = '2023-11-15 00:00:00' WHERE id = 1")
        try first.exchange()
        try second.exchange()
        _ = try first.push(
            first.update(
                "team", .integer(1),
                set: [
                    "name": (.text("red"), .text("red")),
                    "gone_at": (older, .text("2024-02-29 12:00:00")),
                ]))
        _ = try second.push(
            second.update(
                "team", .integer(1),
                set: ["name": (.text("red"), .text("pink")), "gone_at": (older, older)]))
        #expect(
            try bench.rows("SELECT name, gone_at FROM team WHERE id = 1") == [
                [.text("pink"), .null]
            ])
    }

    @Test func `by a mark stay beside an update that marks the row, too`() throws {
        let (bench, first, second) = try bench(["team": TableRules(softDelete: "gone_at")])
        _ = try first.push(first.delete("team", before: team(1, "red")))
        let deleted: Value = .text("2024-02-29 12:00:00")
        _ = try second.push(
            second.update(
                "team", .integer(1),
                set: ["name": (.text("red"), .text("pink")), "gone_at": (.null, deleted)]))
        #expect(try bench.rows("SELECT gone_at FROM team WHERE id = 1") != [[.null]])
    }

    @Test func `of a table decide a delete against an update by a rule of its own`() throws {
        let (bench, first, _) = try bench(["team": TableRules(rule: .server, deletes: .client)])
        try bench.sql("UPDATE team SET name = 'dark red' WHERE id = 1")
        #expect(try first.push(first.delete("team", before: team(1, "red"))) == [.applied])
        #expect(try bench.rows("SELECT count(*) FROM team") == [[.integer(1)]])
        #expect(try bench.conflicts().first?[1] == "client")
    }

    @Test(arguments: [MergeRule.server, .client])
    func `of the child decide a parent's delete against a child that another added`(
        deletes: MergeRule
    ) throws {
        let (bench, first, second) = try bench(["member": TableRules(deletes: deletes)])
        _ = try second.push(second.insert("member", [.text("m"), .integer(1), .text("Mo")]))
        let outcome = try first.push(first.delete("team", before: team(1, "red")))
        #expect(outcome == [deletes == .client ? .applied : .overruled])
        #expect(
            try bench.rows("SELECT count(*) FROM member")
                == [[.integer(deletes == .client ? 0 : 1)]])
        #expect(try bench.rows("PRAGMA foreign_key_check").isEmpty)
        #expect(try bench.conflicts().count == 1)
        #expect(try first.isEqual())
    }
}
