import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// What a device made while it was offline: a row that gives its user a scope, and rows in that
/// scope. The guides for apps that change over show these settings.
@Suite(.ownThreads) struct `A scope that a new row opens` {
    private func ann(_ bench: HubBench) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, 1)
        replica.principal = Principal(subject: "ann")
        try replica.exchange()
        return replica
    }

    @Test func `counts from the next exchange on, if a query finds it`() throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE list (id INTEGER NOT NULL PRIMARY KEY, owner TEXT NOT NULL);
                CREATE TABLE todo (
                  id INTEGER NOT NULL PRIMARY KEY, list INTEGER NOT NULL REFERENCES list(id));
                """,
            scopes: ScopeSettings(
                rules: [
                    "list": [
                        ScopeRule(.column(kind: "owner", "owner")),
                        ScopeRule(.column(kind: "list", "id")),
                    ],
                    "todo": [ScopeRule(.column(kind: "list", "list"))],
                ],
                holdings: [
                    "owner": .claim("sub"),
                    "list": .query(ScopeQuery("SELECT id FROM list WHERE owner = :sub")),
                ], onRequest: ["list"]))
        let ann = try ann(bench)
        let todo = ann.insert("todo", [.integer(10), .integer(1)])
        let kinds = try ann.push(ann.insert("list", [.integer(1), .text("ann")]), todo)
        #expect(kinds.first == .applied)
        guard case .refused(let refusal) = try #require(kinds.last) else {
            Issue.record("limitations.md says that it is refused")
            return
        }
        #expect(refusal.code == .permission)
        #expect(try ann.push(todo) == [.applied])
    }

    @Test func `counts at once, if a table of members or the parent row says so`() throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE team (id INTEGER NOT NULL PRIMARY KEY);
                CREATE TABLE member (
                  team INTEGER NOT NULL REFERENCES team(id), person TEXT NOT NULL,
                  PRIMARY KEY (team, person));
                CREATE TABLE note (
                  id INTEGER NOT NULL PRIMARY KEY, team INTEGER NOT NULL REFERENCES team(id));
                INSERT INTO team VALUES (2);
                INSERT INTO member VALUES (2, 'bob');
                """,
            scopes: ScopeSettings(
                rules: [
                    "team": [ScopeRule(.members(of: "member", kind: "person", "person"))],
                    "member": [ScopeRule(.through(["team"]))],
                    "note": [ScopeRule(.through(["team"]))],
                ], holdings: ["person": .claim("sub")]))
        let ann = try ann(bench)
        let kinds = try ann.push(
            ann.insert("team", [.integer(1)]), ann.insert("member", [.integer(1), .text("ann")]),
            ann.insert("member", [.integer(1), .text("carl")]),
            ann.insert("note", [.integer(10), .integer(1)]),
            ann.insert("note", [.integer(11), .integer(1)]))
        #expect(kinds == Array(repeating: .applied, count: 5))
        // Nobody joins another's team that way.
        guard
            case .refused? = try ann.push(
                ann.insert("member", [.integer(2), .text("ann")])
            ).first
        else {
            Issue.record("Ann is in another's team.")
            return
        }
    }
}
