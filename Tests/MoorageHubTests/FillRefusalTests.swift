import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Fills that would take a row out of scopes, or refer to a row that the user cannot see.
@Suite(.ownThreads) struct `Fills and scopes` {
    private static let schema = """
        CREATE TABLE project (id TEXT NOT NULL PRIMARY KEY, owner TEXT DEFAULT 'ann', name TEXT);
        CREATE TABLE task (
          id TEXT NOT NULL PRIMARY KEY,
          project TEXT NOT NULL DEFAULT 'a' REFERENCES project(id), title TEXT);
        INSERT INTO project VALUES ('a', 'ann', 'A'), ('b', 'bob', 'B'), ('c', 'ann', 'C');
        INSERT INTO task VALUES ('t', 'a', 'T');
        """

    private let given: [String: (Value, Value)] = [
        "owner": (.text("ann"), .text("bob")), "name": (.text("A"), .text("Z")),
    ]

    private func bench(
        _ rights: [String: TableRights] = [:]
    ) throws -> (HubBench, ScriptedReplica) {
        let bench = try HubBench(
            schema: Self.schema,
            scopes: ScopeSettings(
                rules: [
                    "project": [ScopeRule(.column(kind: "person", "owner"))],
                    "task": [ScopeRule(.through(["project"]))],
                ], holdings: ["person": .claim("sub")]),
            rights: RightSettings(tables: rights.isEmpty ? [:] : ["project": rights]))
        let ann = try ScriptedReplica(bench, 1)
        ann.principal = Principal(subject: "ann", claims: ["roles": ["mover", "namer"]])
        try ann.exchange()
        return (bench, ann)
    }

    private func project(_ bench: HubBench) throws -> [[Value]] {
        try bench.rows("SELECT owner, name FROM project WHERE id = 'a'")
    }

    private func task(_ bench: HubBench) throws -> [[Value]] {
        try bench.rows("SELECT project, title FROM task")
    }

    @Test(arguments: [true, false])
    func `are dropped where they take a row out of them, and the edits go in`(
        isGrouped: Bool
    ) throws {
        let (bench, ann) = try bench()
        let change = ann.update("project", .text("a"), set: given)
            .filling("owner", ann, group: isGrouped ? 1 : nil)
        #expect(try ann.push(change) == [.applied])
        #expect(try project(bench) == [[.text("ann"), .text("Z")]])
        #expect(try bench.conflicts().isEmpty)
    }

    @Test func `are dropped alone`() throws {
        let (bench, ann) = try bench()
        let fill = ann.update("project", .text("a"), set: given.filter { $0.key == "owner" })
            .filling("owner", ann)
        let other = ann.update("project", .text("c"), set: ["name": (.text("C"), .text("D"))])
        #expect(try ann.push(fill, other) == [.applied, .applied])
        #expect(
            try bench.rows("SELECT owner, name FROM project WHERE id <> 'b' ORDER BY id")
                == [[.text("ann"), .text("A")], [.text("ann"), .text("D")]])
        #expect(try bench.conflicts().isEmpty)
    }

    @Test func `go in where the user may move rows`() throws {
        let (bench, ann) = try bench(["*": TableRights(update: true, move: true)])
        let change = ann.update("project", .text("a"), set: given).filling("owner", ann)
        #expect(try ann.push(change) == [.applied])
        #expect(try project(bench) == [[.text("bob"), .text("Z")]])
    }

    /// No role may do both at once.
    @Test func `do not stand in the way of an edit by another role`() throws {
        let (bench, ann) = try bench([
            "mover": TableRights(update: true, columns: ["owner"], move: true),
            "namer": TableRights(update: true, columns: ["name"]),
        ])
        let change = ann.update("project", .text("a"), set: given).filling("owner", ann)
        #expect(try ann.push(change) == [.applied])
        #expect(try project(bench) == [[.text("ann"), .text("Z")]])
        #expect(try bench.conflicts().isEmpty)
    }

    /// One refers to another's row, one to no row: the answers are the same.
    @Test(arguments: ["b", "nowhere"])
    func `are dropped where the user cannot see the row that they refer to`(
        project: String
    ) throws {
        let (bench, ann) = try bench()
        let both: [String: (Value, Value)] = [
            "project": (.text("a"), .text(project)), "title": (.text("T"), .text("U")),
        ]
        let fill = ann.update("task", .text("t"), set: both.filter { $0.key == "project" })
            .filling("project", ann)
        #expect(try ann.push(fill) == [.applied])
        #expect(try task(bench) == [[.text("a"), .text("T")]])
        let change = ann.update("task", .text("t"), set: both).filling("project", ann)
        #expect(try ann.push(change) == [.applied])
        #expect(try task(bench) == [[.text("a"), .text("U")]])
        #expect(try bench.conflicts().isEmpty)
    }

    @Test func `go in where the user sees the row that they refer to`() throws {
        let (bench, ann) = try bench()
        let fill = ann.update("task", .text("t"), set: ["project": (.text("a"), .text("c"))])
            .filling("project", ann)
        #expect(try ann.push(fill) == [.applied])
        #expect(try task(bench) == [[.text("c"), .text("T")]])
    }
}

/// Constraints, groups, keys and logs.
@Suite(.ownThreads) struct `Fills that meet the database` {
    private static let schema = """
        CREATE TABLE team (
          id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, code INTEGER UNIQUE,
          above INTEGER REFERENCES team(id));
        INSERT INTO team(id, name, code) VALUES (1, 'red', NULL), (2, 'blue', 5);
        """

    private func bench(
        _ rules: TableRules = TableRules(), limits: HubLimits = HubLimits()
    ) throws -> (HubBench, ScriptedReplica) {
        let bench = try HubBench(schema: Self.schema, rules: ["team": rules], limits: limits)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        return (bench, replica)
    }

    /// An edit of the red team's name beside a fill.
    private func change(
        _ replica: ScriptedReplica, _ column: String, _ value: Int64, group: Int? = nil,
        isAgain: Bool = false
    ) -> Change {
        replica.update(
            "team", .integer(1),
            set: [column: (.null, .integer(value)), "name": (.text("red"), .text("green"))]
        ).filling(column, replica, group: group, isAgain: isAgain)
    }

    private func codes(_ outcomes: [Outcome.Kind]) -> [String] {
        outcomes.map {
            if case .refused(let refusal) = $0 { refusal.code.rawValue } else { "\($0)" }
        }
    }

    /// Name, code and `above` of the red team.
    private func team(_ bench: HubBench) throws -> [[Value]] {
        try bench.rows("SELECT name, code, above FROM team WHERE id = 1")
    }

    private func team(_ name: String, code: Value = .null, above: Value = .null) -> [[Value]] {
        [[.text(name), code, above]]
    }

    // MARK: Constraints

    @Test func `refuse their change for a unique value, and the log has it whole`() throws {
        let (bench, replica) = try bench()
        #expect(codes(try replica.push(change(replica, "code", 5))) == ["unique"])
        #expect(try team(bench) == team("red"))
        let mine = try #require(try bench.conflicts().first?[3])
        #expect(mine.contains("\"code\":5") && mine.contains("\"name\":\"green\""))
    }

    @Test func `are dropped where they refer to no row, and the edits go in`() throws {
        let (bench, replica) = try bench()
        #expect(try replica.push(change(replica, "above", 9)) == [.applied])
        #expect(try team(bench) == team("green"))
        #expect(try bench.conflicts().isEmpty)
    }

    @Test(arguments: [true, false])
    func `follow the fate of a row in the same batch`(isTaken: Bool) throws {
        let (bench, replica) = try bench()
        let above: [Value] = [.integer(9), isTaken ? .text("gold") : .null, .null, .null]
        let outcomes = try replica.push(
            replica.insert("team", above), change(replica, "above", 9))
        #expect(codes(outcomes) == [isTaken ? "applied" : "notNull", "applied"])
        #expect(try team(bench) == team("green", above: isTaken ? .integer(9) : .null))
    }

    // MARK: Groups

    @Test func `leave a group whole where one of two is lost, and one refers to no row`() throws {
        let (bench, replica) = try bench()
        let lost = replica.update("team", .integer(2), set: ["code": (.null, .integer(6))])
            .filling("code", replica, group: 1)
        let outcomes = try replica.push(change(replica, "above", 9, group: 1), lost)
        #expect(outcomes == [.applied, .applied])
        #expect(try team(bench) == team("green"))
        #expect(try bench.rows("SELECT code FROM team WHERE id = 2") == [[.integer(5)]])
        #expect(try bench.conflicts().isEmpty)
    }

    @Test func `go in with both changes of a group, or with neither`() throws {
        for code: Int64 in [6, 5] {
            let (bench, replica) = try bench()
            let above = replica.update("team", .integer(2), set: ["above": (.null, .integer(1))])
                .filling("above", replica, group: 1)
            let outcomes = try replica.push(change(replica, "code", code, group: 1), above)
            let isTaken = code == 6
            #expect(codes(outcomes) == (isTaken ? ["applied", "applied"] : ["unique", "group"]))
            #expect(try team(bench) == (isTaken ? team("green", code: .integer(6)) : team("red")))
            let stored: Value = isTaken ? .integer(1) : .null
            #expect(try bench.rows("SELECT above FROM team WHERE id = 2") == [[stored]])
        }
    }

    // MARK: Rows beside others

    @Test func `keep a row with a key of integers once, whether or not they still go in`() throws {
        let (bench, replica) = try bench(TableRules(rule: .keepBoth))
        try bench.sql("UPDATE team SET name = 'pink' WHERE id = 1")
        for code in ["NULL", "NULL", "8"] {
            try bench.sql("UPDATE team SET code = \(code) WHERE id = 1")
            let again = change(replica, "code", 7, isAgain: true)
            #expect(try replica.push(again) == [.merged])
            #expect(
                try bench.rows("SELECT name, code FROM team WHERE id > 2")
                    == [[.text("green"), .integer(7)]])
        }
        #expect(try bench.conflicts().count == 1)
    }

    // MARK: Logs and times

    @Test func `are not in the log and the outcome as values of the central row`() throws {
        let (bench, replica) = try bench(TableRules(rule: .keepBoth))
        try bench.sql("UPDATE team SET name = 'pink' WHERE id = 1")
        let outcome = try #require(
            replica.outcomes(
                try replica.exchange(replica.batch([change(replica, "code", 7)]))
            ).first)
        let none = StoredValue(column: 2, value: .null)
        #expect(outcome.kind == .merged)
        #expect(outcome.overruling?.theirs?.contains(none) == true)
        #expect(outcome.overruling?.result?.contains(none) == true)
        #expect(try isLoggedUnfilled(bench))
    }

    @Test func `are not in the log when what a rule made is too large`() throws {
        let handler = MergeHandler("long") { _ in
            .values(["name": .text(String(repeating: "x", count: 200))])
        }
        let (bench, replica) = try bench(
            TableRules(rule: .handler(handler)), limits: HubLimits(maximumValueBytes: 100))
        try bench.sql("UPDATE team SET name = 'pink' WHERE id = 1")
        #expect(codes(try replica.push(change(replica, "code", 7))) == ["tooLarge"])
        #expect(try team(bench) == team("pink"))
        #expect(try isLoggedUnfilled(bench))
    }

    /// Whether the log has the central row without the code 7, before and after.
    private func isLoggedUnfilled(_ bench: HubBench) throws -> Bool {
        let log = """
            SELECT theirs = result, theirs LIKE '%pink%', theirs LIKE '%7%' FROM moorage_conflict
            """
        return try bench.rows(log) == [[.integer(1), .integer(1), .integer(0)]]
    }

    @Test func `are edits where a handler sets another value`() throws {
        let handler = MergeHandler("eight") { _ in .values(["code": .integer(8)]) }
        let (bench, replica) = try bench(TableRules(rule: .handler(handler)))
        try bench.sql("UPDATE team SET name = 'pink' WHERE id = 1")
        let times = "SELECT max(changed_at) FROM moorage_track_1_team"
        let before = try bench.rows(times)
        bench.timed {}
        #expect(try replica.push(change(replica, "code", 7)) == [.merged])
        #expect(try team(bench) == team("pink", code: .integer(8)))
        #expect(try bench.rows(times) != before)
    }
}
