import MoorageCore
import MoorageHub
import MoorageWire

/// Filters mean the same on every database.
extension ConnectorConformance {
    static let filterChecks: [Check] = [
        Check("A filter lets through the rows for which it is true, and no others") { bench in
            try bench.owner.execute(FilteredThings.schema)
            try bench.owner.execute(FilteredThings.rows)
            for first in stride(from: 0, to: FilteredThings.cases.count, by: 16) {
                let cases = Array(FilteredThings.cases.dropFirst(first).prefix(16))
                let rules = try cases.enumerated().map { place, item in
                    ScopeRule(
                        .column(kind: "case\(place)", "name"), filters: [try RowFilter(item.text)])
                }
                // Rows that are there already get their scopes from the attach, others from
                // triggers.
                try bench.attach(scopes: ScopeSettings(rules: ["thing": rules]))
                try FilteredThings.check(cases, bench)
                try bench.owner.execute("DELETE FROM thing")
                try bench.owner.execute(FilteredThings.rows)
                try FilteredThings.check(cases, bench)
            }
        },
        Check("A row comes and goes with an update that a filter asks about") { bench in
            try bench.owner.execute(FilteredThings.schema)
            let filter = try RowFilter("state = 'open' AND amount >= 0")
            try bench.attach(scopes: ScopeSettings(rules: ["thing": filter.applied(to: [])]))
            try bench.owner.execute(FilteredThings.rows)
            let table = try bench.table("thing")
            func changed(_ sql: String) throws -> [Bool] {
                let before = try bench.checkpoint()
                try bench.owner.execute(sql)
                return try bench.changes(table, since: before).map(\.isLive)
            }
            // A numbered clock may say once more that the row went.
            func comes(_ sql: String) throws -> Bool { try changed(sql).contains(true) }
            try bench.expect(
                changed("UPDATE thing SET amount = -1 WHERE id = 1") == [false], "it went")
            try bench.expect(
                !comes("UPDATE thing SET price = 1 WHERE id = 1"), "it stays away")
            try bench.expect(
                !comes("UPDATE thing SET amount = NULL WHERE id = 1"), "NULL is not true")
            try bench.expect(
                changed("UPDATE thing SET amount = 7 WHERE id = 1") == [true], "it came again")
            try bench.expect(
                changed("UPDATE thing SET price = 2 WHERE id = 1") == [true], "it is sent again")
            try bench.expect(
                changed("UPDATE thing SET state = 'open' WHERE id = 2") == [true], "another came")
        },
        Check("A row goes through a filtered row, and with it") { bench in
            try bench.owner.execute(FilteredThings.schema)
            try bench.owner.execute(
                """
                CREATE TABLE part (
                  id INTEGER NOT NULL PRIMARY KEY, thing INTEGER NOT NULL REFERENCES thing(id))
                """)
            try bench.owner.execute(FilteredThings.rows)
            let filter = try RowFilter("flag")
            try bench.attach(
                scopes: ScopeSettings(rules: [
                    "thing": filter.applied(to: []), "part": [ScopeRule(.through(["thing"]))],
                ]))
            let table = try bench.table("part")
            let before = try bench.checkpoint()
            try bench.owner.execute("INSERT INTO part VALUES (1, 1), (2, 2)")
            try bench.expect(
                bench.changes(table, since: before).map(\.key) == [bench.key(table, .integer(1))],
                "only the part of the thing with the flag is there")
            let later = try bench.checkpoint()
            try bench.owner.execute("UPDATE thing SET flag = NOT flag")
            let changes = try bench.changes(table, since: later)
            try bench.expect(
                Set(changes.filter(\.isLive).map(\.key)) == [bench.key(table, .integer(2))]
                    && Set(changes.filter { !$0.isLive }.map(\.key))
                        == [bench.key(table, .integer(1))],
                "the parts follow their things")
        },
    ]
}

/// A table with every type that a filter can compare, and what filters let through.
private enum FilteredThings {
    static let schema = """
        CREATE TABLE thing (
          id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, amount INTEGER,
          price DECIMAL(10,2), weight DOUBLE PRECISION, flag BOOLEAN, state TEXT, day DATE)
        """
    static let rows = """
        INSERT INTO thing VALUES
          (1, 'x', 1, 10.50, 1.5, TRUE, 'open', '2024-01-31'),
          (2, 'x', 5, 9.99, 0.5, FALSE, 'Open', '2024-02-01'),
          (3, 'x', -7, 0, -2.5, NULL, 'it''s $moorage$ ?', '2023-12-31'),
          (4, 'x', NULL, NULL, NULL, NULL, NULL, NULL),
          (5, 'x', 10, 100.00, 10000000000, TRUE, '', '2025-01-01'),
          (6, 'x', 0, 10.5, 0, FALSE, 'open ', NULL)
        """

    static let cases: [(text: String, ids: Set<Int64>)] = [
        ("amount = 5", [2]),
        ("amount <> 5", [1, 3, 5, 6]),
        ("NOT amount = 5", [1, 3, 5, 6]),
        ("amount > -7 AND amount < 6", [1, 2, 6]),
        ("amount >= 5", [2, 5]),
        ("amount <= 9223372036854775807", [1, 2, 3, 5, 6]),
        ("amount > -9223372036854775808", [1, 2, 3, 5, 6]),
        ("amount IN (1, 10, 99)", [1, 5]),
        ("amount NOT IN (1, 10)", [2, 3, 6]),
        ("amount IS NULL", [4]),
        ("amount IS NOT NULL", [1, 2, 3, 5, 6]),
        ("price = 10.5", [1, 6]),
        ("price > 9.99", [1, 5, 6]),
        ("price <= 9.990", [2, 3]),
        ("weight >= 0.5", [1, 2, 5]),
        ("weight < 0", [3]),
        ("flag", [1, 5]),
        ("flag = 0", [2, 6]),
        ("NOT flag", [2, 6]),
        ("flag IS NULL", [3, 4]),
        ("state = 'open'", [1]),
        ("state IN ('Open', 'open ')", [2, 6]),
        ("state = 'it''s $moorage$ ?'", [3]),
        ("state = ''", [5]),
        ("state < 'a'", [2, 5]),
        ("day >= '2024-01-31'", [1, 2, 5]),
        ("day = '2024-02-01'", [2]),
        ("amount = 1 OR price = 100", [1, 5]),
        ("(amount = 1 OR flag = FALSE) AND state <> 'Open'", [1, 6]),
        ("NOT (amount = 1 OR state = 'Open')", [3, 5, 6]),
        ("NOT (amount IS NULL OR day IS NULL)", [1, 2, 3, 5]),
    ]

    static func check(
        _ cases: [(text: String, ids: Set<Int64>)], _ bench: ConformanceBench
    ) throws {
        let table = try bench.table("thing")
        try bench.connection { connection in
            try connection.numberChanges()
            try ConformanceBench.inSnapshot(connection) {
                for (place, item) in cases.enumerated() {
                    let rows = try connection.trackedRows(
                        table, in: Scope("case\(place)/x"),
                        .fromNothing(copiedAt: nil, within: nil), after: nil, limit: 100)
                    let wanted = Set(item.ids.map { bench.key(table, .integer($0)) })
                    try bench.expect(
                        Set(rows.map(\.key)) == wanted,
                        "\(item.text): \(rows.map(\.key.values)) instead of \(item.ids)")
                }
            }
        }
    }
}
