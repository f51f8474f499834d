import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Requested scopes` {
    private static let schema = """
        CREATE TABLE product (id INTEGER NOT NULL PRIMARY KEY, name TEXT);
        CREATE TABLE project (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE task (
          id INTEGER NOT NULL PRIMARY KEY, project INTEGER NOT NULL REFERENCES project(id),
          title TEXT);
        CREATE TABLE seat (
          project INTEGER NOT NULL, person TEXT NOT NULL, PRIMARY KEY (project, person));
        """

    private static func settings(onRequest: Bool = true) -> ScopeSettings {
        ScopeSettings(
            rules: [
                "project": [ScopeRule(.column(kind: "project", "id"))],
                "task": [ScopeRule(.through(["project"]))],
                "seat": [ScopeRule(.column(kind: "person", "person"))],
            ],
            holdings: [
                "project": .query(ScopeQuery("SELECT project FROM seat WHERE person = :sub")),
                "person": .claim("sub"),
            ], onRequest: onRequest ? ["project"] : [])
    }

    /// Three projects with ten tasks each. Ann has a seat in the first two.
    private func bench(onRequest: Bool = true) throws -> HubBench {
        let bench = try HubBench(
            schema: Self.schema, scopes: Self.settings(onRequest: onRequest))
        try bench.sql(
            """
            INSERT INTO product VALUES (1, 'a'), (2, 'b');
            INSERT INTO project VALUES (1, 'one'), (2, 'two'), (3, 'three');
            INSERT INTO seat VALUES (1, 'ann'), (2, 'ann'), (3, 'bob');
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
            INSERT INTO task SELECT 100 * (i / 10 + 1) + i % 10, i / 10 + 1, 't' FROM n
            """)
        return bench
    }

    private func ann(_ bench: HubBench, _ requested: String...) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, 1)
        replica.principal = Principal(subject: "ann")
        replica.requested = requested.map { RequestedScope(Scope($0)) }
        return replica
    }

    private func ids(_ replica: ScriptedReplica, _ table: String) -> [Int64] {
        (replica.rows[table] ?? [:]).keys.compactMap {
            if case .integer(let id) = $0.values[0] { id } else { nil }
        }.sorted()
    }

    @Test func `come when they are asked for, and go with the request`() throws {
        let bench = try bench()
        let ann = try ann(bench)
        try ann.exchange()
        #expect(ids(ann, "product") == [1, 2] && ids(ann, "seat") == [1, 2])
        #expect(ids(ann, "project").isEmpty && ids(ann, "task").isEmpty)
        ann.requested = [RequestedScope(Scope("project/1"))]
        try ann.exchange()
        #expect(ids(ann, "project") == [1] && ids(ann, "task") == Array(100...109))
        ann.requested.append(RequestedScope(Scope("project/2")))
        try ann.exchange()
        #expect(ids(ann, "project") == [1, 2])
        try bench.sql("UPDATE task SET project = 2 WHERE id = 100")
        ann.requested.removeFirst()
        try ann.exchange()
        #expect(ids(ann, "project") == [2])
        // The row that moved into the other project stays.
        #expect(ids(ann, "task") == [100] + Array(200...209))
        ann.requested = []
        try ann.exchange()
        #expect(ids(ann, "project").isEmpty && ids(ann, "task").isEmpty)
        #expect(ids(ann, "product") == [1, 2] && ids(ann, "seat") == [1, 2])
        #expect(ann.beginnings == 0)
    }

    @Test func `that a user may not see are like those that do not exist`() throws {
        let bench = try bench()
        let ann = try ann(bench, "project/3", "project/99", "person/bob", "project/1", "nothing")
        let frames = try ann.exchange()
        #expect(
            ann.unavailable.map(\.name) == ["project/3", "project/99", "person/bob", "nothing"])
        #expect(ids(ann, "project") == [1] && ids(ann, "task") == Array(100...109))
        #expect(ann.pages(frames).flatMap(\.removals).isEmpty)
        try bench.sql("INSERT INTO seat VALUES (3, 'ann')")
        try ann.exchange()
        #expect(ann.unavailable.map(\.name) == ["project/99", "person/bob", "nothing"])
        #expect(ids(ann, "project") == [1, 3])
        // Losing the seat takes the rows away, although they are still asked for.
        try bench.sql("DELETE FROM seat WHERE project = 3 AND person = 'ann'")
        try ann.exchange()
        #expect(ids(ann, "project") == [1] && ann.unavailable.first?.name == "project/3")
    }

    @Test func `are no more than what everyone gets for an exchange without a user`() throws {
        let bench = try bench()
        let nobody = try ScriptedReplica(bench, 2)
        nobody.requested = [RequestedScope(Scope("project/1"))]
        try nobody.exchange()
        #expect(ids(nobody, "product") == [1, 2] && ids(nobody, "project").isEmpty)
        #expect(nobody.unavailable.map(\.name) == ["project/1"])
    }

    @Test func `are not needed to push, and what was pushed leaves without them`() throws {
        let bench = try bench()
        let ann = try ann(bench, "project/1")
        try ann.exchange()
        let row: [Value] = [.integer(299), .integer(2), .text("mine")]
        ann.rows["task", default: [:]][ann.table("task").key(of: row)] = row
        #expect(try ann.push(ann.insert("task", row)) == [.applied])
        #expect(try bench.rows("SELECT count(*) FROM task WHERE id = 299") == [[.integer(1)]])
        #expect(ids(ann, "task") == Array(100...109))
        // A project without a seat is none.
        let hidden: [Value] = [.integer(399), .integer(3), .text("mine")]
        guard case .refused? = try ann.push(ann.insert("task", hidden)).first else {
            Issue.record("A task below another's project was taken.")
            return
        }
        #expect(try bench.rows("SELECT count(*) FROM task WHERE id = 399") == [[.integer(0)]])
    }

    @Test(arguments: [true, false])
    func `of high priority arrive before the rest, those of low priority after it`(
        onRequest: Bool
    ) throws {
        let bench = try bench(onRequest: onRequest)
        try bench.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 109)
            INSERT INTO product SELECT i, 'more' FROM n
            """)
        let ann = try ann(bench)
        ann.requested = [
            RequestedScope(Scope("project/1"), priority: .low),
            RequestedScope(Scope("project/2"), priority: .high),
        ]
        var pages: [[String]] = []
        var isCaughtUp = false
        while !isCaughtUp {
            let limits = PageLimits(maximumRows: 7, maximumPages: 2)
            for page in ann.pages(try ann.exchange(limits: limits)) {
                pages.append(
                    page.tables.flatMap { part in
                        part.rows.map {
                            part.table + ann.table(part.table).key(of: $0).values.jsonText()
                        }
                    })
                isCaughtUp = page.isCaughtUp
            }
        }
        #expect(ids(ann, "project") == [1, 2] && ids(ann, "product").count == 102)
        func places(_ name: String) throws -> (first: Int, last: Int) {
            let found = pages.indices.filter { pages[$0].contains { $0.hasPrefix(name) } }
            return (try #require(found.first), try #require(found.last))
        }
        let (high, rest, low) = (
            try places("task[2"), try places("product["), try places("task[1")
        )
        // A page may end one priority and begin the next.
        #expect(high.last <= rest.first && rest.last <= low.first)
        #expect(high.last == 1 && low.first >= pages.count - 4)
        #expect(Set(pages.joined()).count == pages.joined().count)
    }

    @Test func `whose priority changes during a scan are read in the new order, and whole`() throws
    {
        let bench = try bench()
        let ann = try ann(bench, "project/1", "project/2")
        let limits = PageLimits(maximumRows: 3, maximumPages: 1)
        for turn in 0..<12 {
            let priority = ScopePriority.allCases[turn / 4]
            ann.requested[1] = RequestedScope(Scope("project/2"), priority: priority)
            try ann.exchange(limits: limits)
            if turn == 5 { try bench.sql("DELETE FROM task WHERE id IN (101, 201)") }
        }
        try ann.exchange()
        #expect(ids(ann, "task") == [100] + Array(102...109) + [200] + Array(202...209))
        #expect(ann.beginnings == 0)
    }

    @Test func `decide what a live stream brings`() throws {
        let bench = try bench()
        let ann = try ann(bench, "project/1")
        try ann.exchange()
        var pages: [Page] = []
        func hear(_ frame: Frame?) throws -> Bool {
            if case .page(let page) = frame { pages.append(page) }
            if case .end = frame { return true }
            return false
        }
        var stream = try #require(
            try bench.hub.open(ann.request(nil).live, for: ann.principal) { _ = try hear($0) })
        pages = []
        try bench.sql("UPDATE task SET title = 'new' WHERE id = 200")
        #expect(try !hear(stream.poll()) && pages.isEmpty)
        try bench.sql("UPDATE task SET title = 'new' WHERE id = 100")
        #expect(try !hear(stream.poll()))
        #expect(pages.flatMap(\.tables).flatMap(\.rows).map { $0[0] } == [.integer(100)])
        // A seat that does not matter to what was asked for does not end the stream.
        try bench.sql("INSERT INTO seat VALUES (3, 'eve'); DELETE FROM seat WHERE project = 2")
        #expect(try !hear(stream.poll()))
        try bench.sql("DELETE FROM seat WHERE project = 1")
        #expect(try hear(stream.poll()))
    }

    /// What the file that is restored had read.
    enum Restored: CaseIterable {
        case whole, inItsFirstScan, inALaterScan, withAScanBrokenOff
    }

    /// The hub did not tell the file what left the scope between two grants.
    @Test(arguments: Restored.allCases, [true, false])
    func `of a restored file end and come again, and deleted rows go`(
        file: Restored, isGrantedAtLast: Bool
    ) throws {
        let bench = try bench()
        let ann = try ann(bench, "project/1")
        // Its exchanges give numbers to what was written before.
        let other = try ScriptedReplica(bench, 2)
        let small = PageLimits(maximumRows: 8, maximumPages: 1)
        if file == .inItsFirstScan {
            try ann.exchange(limits: small)
            #expect(ids(ann, "task").contains(101))
        } else {
            try ann.exchange()
        }
        if file == .inALaterScan || file == .withAScanBrokenOff {
            try bench.sql("UPDATE task SET title = 'u' WHERE id BETWEEN 105 AND 109")
            try other.exchange()
            try bench.sql("DELETE FROM task WHERE id = 101")
            try ann.exchange(limits: PageLimits(maximumRows: 3, maximumPages: 1))
            #expect(ann.cursor.scan?.position != nil && ids(ann, "task").contains(101))
        }
        if file == .withAScanBrokenOff { ann.cursor = ann.cursor.breakingOff() }
        let backup = (ann.cursor, ann.rows)
        ann.requested = []
        for _ in 0..<3 { try ann.exchange() }
        // The grant has to end: the seat goes, too.
        try bench.sql("DELETE FROM seat WHERE project = 1")
        for _ in 0..<2 { try ann.exchange() }
        try bench.sql("INSERT INTO task VALUES (150, 1, 'secret')")
        try other.exchange()
        try bench.sql("DELETE FROM task WHERE id IN (101, 150)")
        try bench.sql("INSERT INTO seat VALUES (1, 'ann')")
        ann.requested = [RequestedScope(Scope("project/1"))]
        try ann.exchange()
        if !isGrantedAtLast { try bench.sql("DELETE FROM seat WHERE project = 1") }
        (ann.cursor, ann.rows) = backup
        ann.requested.append(RequestedScope(Scope("project/2")))
        var removed: [RowKey] = []
        for _ in 0..<12 {
            let pages = ann.pages(try ann.exchange(limits: small))
            removed += pages.flatMap(\.removals).flatMap(\.keys)
        }
        let rest: [Int64] = isGrantedAtLast ? [100] + Array(102...109) : []
        #expect(ids(ann, "task") == rest + Array(200...209))
        // The user had no right to know of a row that came and went in between.
        #expect(!removed.contains(RowKey([.integer(150)])))
        #expect(ann.beginnings == 1)
    }

    @Test func `of one file do not end those of another with the same id`() throws {
        let bench = try bench()
        let (one, other) = (try ann(bench, "project/1"), try ann(bench))
        for _ in 0..<3 {
            try one.exchange()
            try other.exchange()
        }
        #expect(one.beginnings == 0 && other.beginnings == 0)
        #expect(ids(one, "task") == Array(100...109) && ids(other, "task").isEmpty)
        one.requested = []
        try one.exchange()
        #expect(ids(one, "task").isEmpty)
    }

    @Test func `are all that is compared`() throws {
        let bench = try bench()
        let ann = try ann(bench, "project/1")
        try ann.exchange()
        func compared() throws -> [Value] {
            try bench.hub.comparison(
                CompareRequest(
                    replica: ann.id, table: ann.tables.first { $0.name == "task" }!, after: nil,
                    maximumRows: 100, cursor: ann.cursor, withValues: true), for: ann.principal
            ).rows.map { $0.key.values[0] }
        }
        #expect(try compared() == (100...109).map { .integer($0) })
        ann.requested = []
        try ann.exchange()
        try bench.sql("UPDATE task SET project = 2 WHERE id = 100")
        #expect(try compared().isEmpty)
    }
}
