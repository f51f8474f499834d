import MoorageCore
import MoorageHub

/// Tables whose rows have scopes in every way there is, a program that writes them at random, and what
/// their scopes must be.
package final class ScopedWorld {
    package static let schema = """
        CREATE TABLE project (
          id INTEGER NOT NULL PRIMARY KEY, owner TEXT, archived INTEGER NOT NULL);
        CREATE TABLE task (
          id INTEGER NOT NULL PRIMARY KEY, project INTEGER REFERENCES project(id) ON DELETE CASCADE,
          title TEXT);
        CREATE TABLE item (
          a INTEGER NOT NULL, b TEXT NOT NULL, task INTEGER REFERENCES task(id) ON DELETE SET NULL,
          note TEXT, PRIMARY KEY (a, b));
        CREATE TABLE member (
          id INTEGER NOT NULL PRIMARY KEY,
          project INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE, person TEXT);
        """
    static let settings = ScopeSettings(
        rules: [
            "project": [
                ScopeRule(.column(kind: "person", "owner"), where: [.init("archived", is: "0")]),
                ScopeRule(
                    .members(of: "member", kind: "person", "person"),
                    where: [.init("archived", is: "0")]),
            ],
            "task": [ScopeRule(.through(["project"]))],
            "item": [ScopeRule(.through(["task"]))],
            "member": [ScopeRule(.column(kind: "person", "person"))],
        ], unenforcedKeys: ["member": [["project"]]])

    private let bench: ConformanceBench
    private var random: SeededGenerator
    private static let people = ["ann", "bob", "carl"]

    /// - Parameter isAttached: Without, nothing is tracked: to compare with.
    package convenience init(
        _ subject: any ConformanceSubject, seed: UInt64, isAttached: Bool
    ) throws {
        try self.init(
            try ConformanceBench(subject), seed: seed, isEmpty: false, isAttached: isAttached)
    }

    init(
        _ bench: ConformanceBench, seed: UInt64, isEmpty: Bool = false, isAttached: Bool = true
    ) throws {
        self.bench = bench
        random = SeededGenerator(seed: seed)
        try bench.owner.execute(Self.schema)
        // What is there already is scoped by the attach.
        if !isEmpty { for _ in 0..<20 { try step() } }
        if isAttached { try bench.attach(scopes: Self.settings) }
    }

    func drop() throws {
        try bench.detach()
        for table in ["item", "task", "member", "project"] {
            try bench.owner.execute("DROP TABLE \(table)")
        }
    }

    func tracked(_ table: String, _ scope: Scope, _ query: TrackingQuery) throws -> [TrackedRow] {
        let table = try bench.table(table)
        return try bench.connection { connection in
            try ConformanceBench.inSnapshot(connection) {
                try connection.trackedRows(table, in: scope, query, after: nil, limit: 10_000)
            }
        }
    }

    /// What changed of a table in a scope: for each row whether it is there.
    func changes(_ table: String, _ scope: String, since checkpoint: Checkpoint) throws -> [Bool] {
        try tracked(table, Scope(scope), .beyond(since: checkpoint, within: nil)).map(\.isLive)
    }

    // MARK: The program

    /// A statement of some program, chosen at random.
    package static func statement(using random: inout SeededGenerator) -> String {
        func number(_ range: ClosedRange<Int> = 1...6) -> Int {
            Int.random(in: range, using: &random)
        }
        func person() -> String {
            number(0...6) == 0 ? "NULL" : "'\(people.randomElement(using: &random) ?? "ann")'"
        }
        let (id, other) = (number(), number())
        return switch number(0...15) {
        case 0, 1: "INSERT INTO project VALUES (\(id), \(person()), \(number(0...3) / 3))"
        case 2: "UPDATE project SET owner = \(person()) WHERE id = \(id)"
        case 3: "UPDATE project SET owner = \(person()) WHERE id > \(id)"
        case 4: "UPDATE project SET archived = 1 - archived WHERE id = \(id)"
        case 5: "DELETE FROM project WHERE id = \(id)"
        case 6, 7:
            "INSERT INTO task VALUES (\(id), \(number(0...4) == 0 ? "NULL" : "\(other)"), 't')"
        case 8: "UPDATE task SET project = \(other) WHERE id = \(id)"
        case 9: "UPDATE task SET title = title || '.' WHERE id = \(id)"
        case 10: "DELETE FROM task WHERE id = \(id)"
        case 11: "INSERT INTO item VALUES (\(id), 'b', \(other), 'n')"
        case 12:
            "UPDATE item SET task = \(other), a = a + \(number(0...1) * 10) WHERE a = \(id)"
        case 13: "INSERT INTO member VALUES (\(number(1...12)), \(id), \(person()))"
        case 14:
            """
            UPDATE member SET project = \(id), person = \(person()) WHERE id % 3 = \(number(0...2))
            """
        default: "DELETE FROM member WHERE id % 4 = \(number(0...3))"
        }
    }

    /// One statement; what the database refuses changes nothing.
    func step() throws {
        let statement = Self.statement(using: &random)
        do {
            try bench.owner.execute(statement)
        } catch {
            // A key twice, or no such parent; anything else comes from the triggers.
            let message = "\(error)".lowercased()
            try bench.expect(message.contains("constraint"), "\(statement) fails: \(error)")
        }
    }

    // MARK: What must be

    package func check() throws {
        let expected = try expectedScopes()
        try bench.connection {
            try $0.numberChanges()
            try $0.resolveMoves()
        }
        for table in ["project", "task", "item", "member"] {
            for scope in Self.people.map({ Scope("person/\($0)") }) + [.everything] {
                let live = Set(
                    try tracked(table, scope, .fromNothing(copiedAt: nil, within: nil)).map(\.key))
                let wanted = expected[table]?.filter { $0.value.contains(scope) }.map(\.key) ?? []
                try bench.expect(
                    live == Set(wanted),
                    "\(table) in \(scope.name): \(live.count) rows are tracked, \(wanted.count) are in it"
                )
            }
        }
    }

    private func rows(_ sql: String) throws -> [[Value]] {
        try bench.connection { try $0.run(sql, []) }
    }

    /// The rules once more, over the tables as they are.
    private func expectedScopes() throws -> [String: [RowKey: Set<Scope>]] {
        func scope(_ value: Value) -> Scope? {
            if case .text(let text) = value { Scope("person/\(text)") } else { nil }
        }
        var members: [RowKey: Set<Scope>] = [:]
        var result: [String: [RowKey: Set<Scope>]] = [:]
        for row in try rows("SELECT id, project, person FROM member") {
            let own = Set([scope(row[2])].compactMap { $0 })
            result["member", default: [:]][RowKey([row[0]])] = own
            members[RowKey([row[1]]), default: []].formUnion(own)
        }
        for row in try rows("SELECT id, owner, archived FROM project") {
            let key = RowKey([row[0]])
            let own = Set([scope(row[1])].compactMap { $0 }).union(members[key] ?? [])
            result["project", default: [:]][key] = row[2] == .integer(0) ? own : []
        }
        for row in try rows("SELECT id, project FROM task") {
            result["task", default: [:]][RowKey([row[0]])] =
                result["project"]?[RowKey([row[1]])] ?? []
        }
        for row in try rows("SELECT a, b, task FROM item") {
            result["item", default: [:]][RowKey([row[0], row[1]])] =
                result["task"]?[RowKey([row[2]])] ?? []
        }
        return result
    }
}
