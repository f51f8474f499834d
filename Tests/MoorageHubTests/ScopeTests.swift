import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Scopes` {
    /// Projects with an owner and members, and the rows below them.
    static let schema = """
        CREATE TABLE project (
          id INTEGER NOT NULL PRIMARY KEY, owner TEXT, name TEXT NOT NULL, code TEXT UNIQUE);
        CREATE TABLE task (
          id INTEGER NOT NULL PRIMARY KEY,
          project INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE, title TEXT);
        CREATE TABLE member (
          project INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE, person TEXT NOT NULL,
          PRIMARY KEY (project, person));
        CREATE TABLE product (id INTEGER NOT NULL PRIMARY KEY, name TEXT);
        CREATE TABLE seat (team TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (team, person));
        CREATE TABLE memo (id INTEGER NOT NULL PRIMARY KEY, team TEXT, body TEXT);
        """

    static let settings = ScopeSettings(
        rules: [
            "project": [
                ScopeRule(.column(kind: "person", "owner")),
                ScopeRule(.members(of: "member", kind: "person", "person")),
            ],
            "task": [ScopeRule(.through(["project"]))],
            "member": [ScopeRule(.through(["project"]))],
            "seat": [ScopeRule(.column(kind: "person", "person"))],
            "memo": [ScopeRule(.column(kind: "team", "team"))],
        ],
        holdings: [
            "person": .claim("name"),
            "team": .query(ScopeQuery("SELECT team FROM seat WHERE person = :sub")),
        ])

    private func bench() throws -> HubBench {
        let bench = try HubBench(schema: Self.schema, scopes: Self.settings)
        try bench.sql(
            """
            INSERT INTO product VALUES (1, 'for everyone');
            INSERT INTO project VALUES (1, 'ann', 'A', 'a'), (2, 'bob', 'B', 'b'), (3, NULL, 'N', 'n');
            INSERT INTO task VALUES (10, 1, 'of ann'), (20, 2, 'of bob'), (30, 3, 'of nobody');
            """)
        return bench
    }

    private func replica(_ bench: HubBench, _ name: String, _ number: Int) throws -> ScriptedReplica
    {
        let replica = try ScriptedReplica(bench, number)
        replica.principal = Principal(subject: name, claims: ["name": [name]])
        return replica
    }

    private func ids(_ replica: ScriptedReplica, _ table: String) -> Set<Int64> {
        Set(
            (replica.rows[table] ?? [:]).keys.compactMap {
                if case .integer(let id) = $0.values[0] { id } else { nil }
            })
    }

    private static let plans =
        "CREATE TABLE plan (id INTEGER NOT NULL PRIMARY KEY, a TEXT, b TEXT, r REAL);"

    /// A plan is in the scopes of two people.
    private static let planScopes = ScopeSettings(
        rules: [
            "plan": [
                ScopeRule(.column(kind: "person", "a")), ScopeRule(.column(kind: "person", "b")),
            ]
        ],
        holdings: ["person": .claim("name")])

    private static let annAndBob = Principal(
        subject: "both", claims: ["name": ["ann", "bob"]])

    @Test func `a row that came into one and went from two is removed`() throws {
        let bench = try HubBench(schema: Self.plans, scopes: Self.planScopes)
        try bench.sql(
            "INSERT INTO plan (id, b) VALUES (1, 'bob'), (2, 'bob'), (3, 'bob')")
        let both = try replica(bench, "ann", 1)
        both.principal = Self.annAndBob
        try both.exchange()
        // The exchanges of another replica number the two changes separately.
        let other = try replica(bench, "eve", 2)
        try bench.sql("UPDATE plan SET a = 'ann' WHERE id < 3")
        try other.exchange()
        try bench.sql(
            "DELETE FROM plan WHERE id = 1; UPDATE plan SET a = 'eve', b = 'eve' WHERE id = 2")
        try other.exchange()
        try both.exchange()
        #expect(ids(both, "plan") == [3])
        #expect(Set(both.removed.map { $0.key.values }) == [[.integer(1)], [.integer(2)]])
    }

    @Test
    func `a row that is in two of them comes once in a page, and so does one that is withheld`()
        throws
    {
        let bench = try HubBench(schema: Self.plans, scopes: Self.planScopes)
        try bench.sql(
            """
            INSERT INTO plan VALUES (1, 'ann', 'bob', 1.5), (2, 'bob', 'ann', 9e999), (3, 'bob', NULL, 2),
              (4, 'ann', NULL, 9e999), (5, 'ann', 'eve', 3), (6, 'eve', NULL, 4)
            """)
        let both = try replica(bench, "ann", 1)
        both.principal = Self.annAndBob
        let pages = both.pages(try both.exchange())
        let rows = pages.flatMap(\.tables).filter { $0.table == "plan" }.flatMap(\.rows)
        #expect(rows.map { $0[0] } == [.integer(1), .integer(5), .integer(3)])
        #expect(both.withheld.map { $0.row.key.values } == [[.integer(2)], [.integer(4)]])
    }

    @Test func `are what a user gets, and all of it`() throws {
        let bench = try bench()
        let (ann, bob) = (try replica(bench, "ann", 1), try replica(bench, "bob", 2))
        try ann.exchange()
        try bob.exchange()
        #expect(ids(ann, "project") == [1] && ids(ann, "task") == [10])
        #expect(ids(bob, "project") == [2] && ids(bob, "task") == [20])
        #expect(ids(ann, "product") == [1] && ids(bob, "product") == [1])
        // A user without the claim, and an exchange without a user, get only what is everyone's.
        let nobody = try ScriptedReplica(bench, 3)
        try nobody.exchange()
        #expect(ids(nobody, "product") == [1] && ids(nobody, "project").isEmpty)
    }

    @Test func `move a row with all that hangs below it, and tell nobody else`() throws {
        let bench = try bench()
        let (ann, bob, carl) = (
            try replica(bench, "ann", 1), try replica(bench, "bob", 2),
            try replica(bench, "carl", 3)
        )
        for replica in [ann, bob, carl] { try replica.exchange() }
        try bench.sql("UPDATE project SET owner = 'bob' WHERE id = 1")
        for replica in [ann, bob, carl] { try replica.exchange() }
        #expect(ids(ann, "project").isEmpty && ids(ann, "task").isEmpty)
        #expect(ids(bob, "project") == [1, 2] && ids(bob, "task") == [10, 20])
        #expect(carl.removed.isEmpty)
        // The project is shared, and then no longer.
        try bench.sql("INSERT INTO member VALUES (1, 'carl'), (1, 'ann')")
        for replica in [ann, bob, carl] { try replica.exchange() }
        #expect(ids(carl, "task") == [10] && ids(ann, "task") == [10])
        try bench.sql("DELETE FROM member WHERE person = 'carl'")
        for replica in [ann, bob, carl] { try replica.exchange() }
        #expect(
            ids(carl, "task").isEmpty && ids(ann, "task") == [10] && ids(bob, "task") == [10, 20])
    }

    @Test func `come and go with what a query says`() throws {
        let bench = try bench()
        let ann = try replica(bench, "ann", 1)
        try bench.sql("INSERT INTO memo VALUES (1, 'red', 'r'), (2, 'blue', 'b')")
        try ann.exchange()
        #expect(ids(ann, "memo").isEmpty)
        try bench.sql("INSERT INTO seat VALUES ('red', 'ann')")
        try ann.exchange()
        #expect(ids(ann, "memo") == [1])
        try bench.sql("UPDATE seat SET team = 'blue'")
        try ann.exchange()
        #expect(ids(ann, "memo") == [2])
        try bench.sql("DELETE FROM seat")
        try ann.exchange()
        #expect(ids(ann, "memo").isEmpty)
    }

    @Test func `are given back by a file that took a new name`() throws {
        let bench = try bench()
        let ann = try replica(bench, "ann", 1)
        try bench.sql(
            "INSERT INTO memo VALUES (1, 'red', 'r'); INSERT INTO seat VALUES ('red', 'ann')")
        try ann.exchange()
        #expect(ids(ann, "memo") == [1])
        ann.id = "00000000-0000-4000-8000-000000000999"
        try bench.sql("DELETE FROM seat")
        try ann.exchange()
        #expect(ids(ann, "memo").isEmpty)
        // Another user's file that claims the scope in its cursor hears nothing.
        try bench.sql("INSERT INTO memo VALUES (2, 'red', 'r')")
        let bob = try replica(bench, "bob", 3)
        try bob.exchange()
        bob.cursor = SyncCursor(
            epoch: bob.cursor.epoch, checkpoint: bob.cursor.checkpoint,
            complete: bob.cursor.complete.union([Scope("team/red")]), tables: bob.cursor.tables)
        try bob.exchange()
        #expect(bob.removed.isEmpty)
    }

    /// Every attempt on another user's row gets the same answer as if there were no such row.
    @Test func `hide what is not held, whatever is tried`() async throws {
        let bench = try bench()
        let ann = try replica(bench, "ann", 1)
        try ann.exchange()
        let before = try bench.rows("SELECT * FROM project ORDER BY id")
        func attempts(_ id: Int64) -> [Change] {
            [
                ann.update("project", .integer(id), set: ["name": (.text("B"), .text("mine"))]),
                ann.update("project", .integer(id), set: ["owner": (.text("bob"), .text("ann"))]),
                ann.delete(
                    "project", before: [.integer(id), .text("bob"), .text("B"), .text("b")]),
                Change(
                    table: "project", key: RowKey([.integer(id)]), operation: .refetch,
                    editedAt: ann.now
                ),
            ]
        }
        for (foreign, missing) in zip(attempts(2), attempts(99)) {
            let there = try ann.exchange(ann.batch([foreign]))
            let absent = try ann.exchange(ann.batch([missing]))
            #expect(ann.outcomes(there) == ann.outcomes(absent))
            #expect(ann.pages(there).flatMap(\.tables).isEmpty)
        }
        #expect(try bench.rows("SELECT * FROM project ORDER BY id") == before)
        // The owner's log has the central row, so that deciding for it changes nothing.
        let logged = try bench.rows(
            "SELECT id FROM moorage_conflict WHERE row_key = '[2]' AND theirs IS NOT NULL")
        #expect(!logged.isEmpty)
        for row in logged {
            guard case .text(let id) = row[0] else { continue }
            _ = try await bench.hub.decide(.theirs, conflict: id)
        }
        #expect(try bench.rows("SELECT * FROM project ORDER BY id") == before)
    }

    @Test func `are not left, entered or written into by a push`() throws {
        let bench = try bench()
        let ann = try replica(bench, "ann", 1)
        try ann.exchange()
        let tries: [(Change, Refusal.Code)] = [
            // Into another user's scope, under another user's key, into no scope.
            (
                ann.insert("project", [.integer(5), .text("bob"), .text("X"), .text("x")]),
                .permission
            ),
            (
                ann.insert("project", [.integer(2), .text("ann"), .text("X"), .text("x")]),
                .permission
            ),
            (ann.insert("project", [.integer(6), .null, .text("X"), .text("y")]), .permission),
            // Below another user's project, and as its member: as if there were no such project.
            (ann.insert("task", [.integer(21), .integer(2), .text("X")]), .foreignKey),
            (ann.insert("member", [.integer(2), .text("ann")]), .foreignKey),
            (ann.insert("member", [.integer(77), .text("ann")]), .foreignKey),
            // Out of the user's own scope.
            (
                ann.update("project", .integer(1), set: ["owner": (.text("ann"), .text("bob"))]),
                .permission
            ),
            (
                ann.update("task", .integer(10), set: ["project": (.integer(1), .integer(2))]),
                .foreignKey
            ),
        ]
        let before = try ["project", "task", "member"].map {
            try bench.rows("SELECT * FROM \($0) ORDER BY 1")
        }
        var messages: [String] = []
        for (change, code) in tries {
            let kind = try ann.push(change)
            guard case .refused(let refusal) = try #require(kind.first) else {
                Issue.record("taken: \(change)")
                continue
            }
            #expect(refusal.code == code)
            messages.append(refusal.message)
        }
        try #require(messages.count == tries.count)
        // The message does not tell a hidden row from a missing one.
        #expect(messages[4] == messages[5])
        let after = try ["project", "task", "member"].map {
            try bench.rows("SELECT * FROM \($0) ORDER BY 1")
        }
        #expect(before == after)
        // The hub applies other changes of the same batch.
        #expect(
            try ann.push(
                tries[0].0,
                ann.update("task", .integer(10), set: ["title": (.text("of ann"), .text("T"))])
            ).last == .applied)
        #expect(try bench.rows("SELECT title FROM task WHERE id = 10") == [[.text("T")]])
    }

    @Test func `let a row in that is the user's through another row of the batch`() throws {
        let bench = try bench()
        let ann = try replica(bench, "ann", 1)
        try ann.exchange()
        let kinds = try ann.push(
            ann.insert("project", [.integer(7), .null, .text("shared"), .text("s")]),
            ann.insert("member", [.integer(7), .text("ann")]),
            ann.insert("project", [.integer(8), .text("bob"), .text("foreign"), .text("f")]))
        #expect(kinds.prefix(2) == [.applied, .applied])
        #expect(try bench.rows("SELECT id FROM project WHERE id > 6") == [[.integer(7)]])
    }

    @Test func `of others are not told to a cursor that claims to hold them`() throws {
        let bench = try bench()
        let ann = try replica(bench, "ann", 1)
        try ann.exchange()
        let honest = ann.cursor
        let forged = SyncCursor(
            epoch: honest.epoch, checkpoint: honest.checkpoint,
            complete: honest.complete.union([Scope("person/bob")]),
            partial: [Scope("person/bob"), Scope("team/red")], tables: honest.tables)
        ann.cursor = forged
        // It starts over: the hub does not know its position.
        let frames = try ann.exchange()
        #expect(ann.pages(frames).isEmpty)
        guard case .welcome(let welcome)? = frames.first else {
            Issue.record("no welcome")
            return
        }
        #expect(welcome.isExpired)
    }

    @Test func `keep a delete from rows below that are another's`() throws {
        var settings = Self.settings
        settings.rules["task"] = [ScopeRule(.column(kind: "person", "title"))]
        settings.unenforcedKeys = ["task": [["project"]]]
        let bench = try HubBench(schema: Self.schema, scopes: settings)
        try bench.sql(
            """
            INSERT INTO project VALUES (1, 'ann', 'A', 'a');
            INSERT INTO task VALUES (10, 1, 'bob');
            """)
        let ann = try replica(bench, "ann", 1)
        try ann.exchange()
        let kinds = try ann.push(
            ann.delete("project", before: [.integer(1), .text("ann"), .text("A"), .text("a")]))
        guard case .refused(let refusal) = try #require(kinds.first) else {
            Issue.record("bob's task is gone")
            return
        }
        #expect(refusal.code == .permission)
        #expect(try bench.rows("SELECT count(*) FROM task") == [[.integer(1)]])
    }

    /// The scan meets the row's tombstone in the scope that it left. It finds the row in another
    /// scope, which the row entered beyond the scan's upper bound.
    @Test func `take a row back that came with a scan from another of them`() throws {
        var settings = ScopeSettings()
        settings.rules = [
            "memo": [
                ScopeRule(.column(kind: "team", "team")),
                ScopeRule(.column(kind: "person", "body")),
            ]
        ]
        settings.holdings = ["person": .claim("name"), "team": .claim("name")]
        for isBrokenOff in [false, true] {
            let bench = try HubBench(schema: Self.schema, scopes: settings)
            try bench.sql(
                "INSERT INTO memo VALUES (1, 'ann', NULL), (2, 'ann', NULL), (3, 'ann', NULL)")
            let ann = try replica(bench, "ann", 1)
            try ann.exchange()
            try bench.sql("UPDATE memo SET team = NULL WHERE id = 1")
            try bench.sql("UPDATE memo SET team = 'ann' WHERE id > 1")
            // The scan begins. Its upper bound is before what follows.
            let one = PageLimits(maximumRows: 1, maximumPages: 1)
            try bench.sql("INSERT INTO memo VALUES (0, NULL, 'ann'), (9, NULL, 'ann')")
            try ann.exchange(limits: one)
            #expect(ann.cursor.scan != nil)
            try bench.sql("UPDATE memo SET body = 'ann' WHERE id = 1")
            for _ in 0..<2 { try ann.exchange(limits: one) }
            #expect(ann.rows["memo"]?[RowKey([.integer(1)])]?[2] == .text("ann"))
            if isBrokenOff { ann.cursor = ann.cursor.breakingOff() }
            try bench.sql("DELETE FROM memo WHERE id = 1")
            for _ in 0..<20 { try ann.exchange(limits: one) }
            #expect(ids(ann, "memo") == [0, 2, 3, 9])
        }
    }

    @Test func `do not end because a configuration leaves them out`() throws {
        let bench = try bench()
        try bench.database.perform { connection in
            let attachment = Attachment(on: connection, makeID: { "id" })
            #expect { try attachment.attach(tables: nil) } throws: {
                ($0 as? HubError)?.code == .configuration
            }
            _ = try attachment.attach(tables: nil, unscoping: true)
        }
    }

    @Test func `stop the hub while the configuration says other than it was attached with`() throws
    {
        let bench = try bench()
        var settings = Self.settings
        settings.rules["memo"] = nil
        var configuration = HubConfiguration()
        configuration.scopes = settings
        let hub = Hub(database: bench.database, configuration: configuration)
        #expect {
            _ = try hub.currentSchema()
        } throws: {
            ($0 as? HubError)?.code == .configuration && "\($0)".contains("memo")
        }
    }
}
