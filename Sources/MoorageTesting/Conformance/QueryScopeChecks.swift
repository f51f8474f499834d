import MoorageCore
import MoorageHub

/// Which rows of a table with scopes a query sees.
extension ConnectorConformance {
    static let queryScopeChecks: [Check] = [
        Check("sees a row in each of its scopes from the commit on, and once in two of them") {
            bench in
            try bench.owner.execute(
                """
                CREATE TABLE letter (
                  id INTEGER NOT NULL PRIMARY KEY, person TEXT, team TEXT, body TEXT)
                """)
            try bench.owner.execute("INSERT INTO letter VALUES (1, 'ann', 'red', 'b')")
            try bench.attach(
                scopes: ScopeSettings(rules: [
                    "letter": [
                        ScopeRule(.column(kind: "person", "person")),
                        ScopeRule(.column(kind: "team", "team")),
                    ]
                ]))
            let table = try bench.attached("letter")
            // Each state is looked at before it has a number, and after.
            func expect(_ wanted: [String: [Int64]], _ moment: String) throws {
                try bench.connection { connection in
                    for isNumbered in [false, true] {
                        if isNumbered { try connection.numberChanges() }
                        try ConformanceBench.inSnapshot(connection) {
                            for (names, ids) in wanted {
                                let scopes = names.split(separator: " ").map { Scope(String($0)) }
                                let found = try connection.ids(of: table, in: Set(scopes))
                                try bench.expect(
                                    found == ids,
                                    "\(moment): \(names) has \(found), numbered: \(isNumbered)")
                            }
                        }
                    }
                }
            }
            let (ann, bob, red, both) = (
                "person/ann", "person/bob", "team/red", "person/ann team/red"
            )
            try expect([ann: [1], bob: [], red: [1], both: [1], "": []], "what was there")
            try bench.owner.execute("INSERT INTO letter VALUES (2, 'bob', 'red', 'b')")
            try expect([ann: [1], bob: [2], red: [1, 2], both: [1, 2]], "another row")
            try bench.owner.execute("UPDATE letter SET person = 'bob' WHERE id = 1")
            try expect([ann: [], bob: [1, 2], red: [1, 2], both: [1, 2]], "moved")
            try bench.owner.execute("UPDATE letter SET team = NULL, body = 'c' WHERE id = 1")
            try expect([ann: [], bob: [1, 2], red: [2], both: [2]], "out of one scope")
            try bench.owner.execute("DELETE FROM letter WHERE id = 2")
            try expect([ann: [], bob: [1], red: [], both: []], "deleted")
            try bench.owner.execute("INSERT INTO letter VALUES (2, 'ann', NULL, 'b')")
            try expect([ann: [2], bob: [1], red: [], both: [2]], "inserted again")
            try bench.owner.execute("UPDATE letter SET id = 3 WHERE id = 2")
            try expect([ann: [3], bob: [1], red: [], both: [3]], "another key")
        },
        Check("sees the rows that the scopes have, whatever is written") { bench in
            let world = try ScopedWorld(bench, seed: lawSeed + 5)
            let people = ["ann", "bob", "carl"].map { Scope("person/\($0)") }
            let tables = try ["project", "task", "item", "member"].map(bench.attached)
            for step in 0..<trials(40) {
                try world.step()
                try bench.connection { connection in
                    if step % 4 == 0 { try connection.numberChanges() }
                    try connection.resolveMoves()
                    try ConformanceBench.inSnapshot(connection) {
                        for table in tables {
                            for scopes in people.map({ [$0] }) + [Array(people.prefix(2)), people] {
                                try compare(table, Set(scopes), connection, bench)
                            }
                        }
                    }
                }
            }
        },
    ]

    /// A query has the rows that are found by their keys.
    private static func compare(
        _ table: AttachedTable, _ scopes: Set<Scope>, _ connection: any CentralConnection,
        _ bench: ConformanceBench
    ) throws {
        let description = table.description
        var query = RowQuery(
            scopes: nil, order: description.primaryKey.map { RowOrder($0) },
            columns: Array(description.columns.indices), limit: 1000)
        let keys = try connection.rows(table, query).map(description.key(of:))
        let wanted = try connection.rows(table, keys: keys, in: scopes)
        query.scopes = scopes
        let found = try connection.rows(table, query)
        let count = try connection.count(table, query, most: 1000)
        try bench.expect(
            Set(found) == Set(wanted) && found.count == wanted.count && count == wanted.count,
            "\(table.name) in \(scopes): \(found) instead of \(wanted), counted \(count)")
    }
}

extension CentralConnection {
    /// The rows of a table whose key is its first column, by that key.
    fileprivate func ids(of table: AttachedTable, in scopes: Set<Scope>) throws -> [Int64] {
        let query = RowQuery(scopes: scopes, order: [RowOrder(0)], columns: [0], limit: 100)
        return try rows(table, query).compactMap { row in
            if case .integer(let id) = row[0] { id } else { nil }
        }
    }
}
