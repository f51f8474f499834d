import MoorageCore
import MoorageHub

/// What programs read that are no replicas: the same rows in the same order on every database.
extension ConnectorConformance {
    static let queryChecks: [Check] = [
        Check("compares each column with each value as its type says") { bench in
            var random = SeededGenerator(seed: lawSeed)
            let sample = try QueriedTable(bench, rows: 40, using: &random)
            try sample.inSnapshot(bench) { connection in
                for (column, values) in sample.values.enumerated() {
                    for value in values {
                        let equal = RowCondition.isOneOf(column, [value])
                        let sides = RowCondition.Comparison.allCases.map {
                            RowCondition.compares(column, $0, value)
                        }
                        for condition in [equal, .not(equal)] + sides {
                            try sample.check(sample.query(condition), connection, bench)
                        }
                    }
                    try sample.check(
                        sample.query(.isOneOf(column, values)), connection, bench)
                    try sample.check(
                        sample.query(.not(.isNull(column))), connection, bench)
                }
            }
        },
        Check("answers queries at random as a computation in memory does") { bench in
            for seed in lawSeeds(1, nightly: 4) {
                var random = SeededGenerator(seed: seed)
                let sample = try QueriedTable(bench, rows: 40, using: &random)
                try sample.inSnapshot(bench) { connection in
                    for _ in 0..<trials(150) {
                        try sample.check(sample.query(using: &random), connection, bench)
                    }
                }
                try bench.detach()
                try bench.owner.execute("DROP TABLE sample")
            }
        },
        Check("orders by each column, in both directions") { bench in
            var random = SeededGenerator(seed: lawSeed)
            let sample = try QueriedTable(bench, rows: 40, using: &random)
            try sample.inSnapshot(bench) { connection in
                for column in sample.all {
                    for isDescending in [false, true] {
                        var query = sample.query(nil)
                        query.order.insert(RowOrder(column, isDescending: isDescending), at: 0)
                        try sample.check(query, connection, bench)
                        try sample.checkPages(of: query, by: 3, connection, bench)
                    }
                }
            }
        },
        Check("reads on behind a row, so that pages have each row once") { bench in
            var random = SeededGenerator(seed: lawSeed)
            let sample = try QueriedTable(bench, rows: 24, using: &random)
            try sample.inSnapshot(bench) { connection in
                for _ in 0..<trials(20) {
                    var query = sample.query(
                        random.once(in: 2) ? nil : sample.condition(using: &random))
                    query.order = sample.order(using: &random)
                    for limit in 1...3 {
                        try sample.checkPages(of: query, by: limit, connection, bench)
                    }
                }
            }
        },
        Check("counts no further than it is asked") { bench in
            try bench.prepare()
            try bench.insertParents(1...9)
            let table = try bench.attached("parent")
            let query = RowQuery(
                scopes: [.everything],
                condition: .compares(0, .greater, .text("p2")), order: [RowOrder(0)],
                after: [.text("p8")], columns: [0], limit: 1)
            try bench.connection { connection in
                try ConformanceBench.inSnapshot(connection) {
                    for (most, wanted) in [(0, 0), (1, 1), (6, 6), (7, 7), (8, 7), (.max, 7)] {
                        let count = try connection.count(table, query, most: most)
                        try bench.expect(count == wanted, "\(count) of at most \(most)")
                    }
                }
            }
        },
        Check("sees what its snapshot shows, and no later commit") { bench in
            try bench.prepare()
            try bench.insertParents(1...2)
            let table = try bench.attached("parent")
            let query = RowQuery(
                scopes: [.everything], order: [RowOrder(0, isDescending: true)], columns: [1, 0],
                limit: 9)
            func names(_ connection: any CentralConnection) throws -> [[Value]] {
                try connection.rows(table, query)
            }
            let before: [[Value]] = [["n", "p2"], ["n", "p1"]].map { $0.map(Value.text) }
            try bench.connection { connection in
                try ConformanceBench.inSnapshot(connection) {
                    try bench.expect(names(connection) == before, "the rows as they are")
                    try bench.insertParents(3...3)
                    try bench.owner.execute("DELETE FROM parent WHERE id = 'p1'")
                    try bench.expect(names(connection) == before, "the snapshot moved")
                    let count = try connection.count(table, query, most: 9)
                    try bench.expect(count == 2, "its count moved: \(count)")
                }
                let after: [[Value]] = [["n", "p3"], ["n", "p2"]].map { $0.map(Value.text) }
                try ConformanceBench.inSnapshot(connection) {
                    try bench.expect(names(connection) == after, "the next snapshot")
                }
            }
        },
        Check("refuses what no row can be compared with, and goes on") { bench in
            try bench.owner.execute(
                """
                CREATE TABLE sheet (id INTEGER NOT NULL PRIMARY KEY, content JSON,
                  price DECIMAL(10,2), name TEXT)
                """)
            try bench.owner.execute(
                "INSERT INTO sheet VALUES (1, '{}', 1.5, 'a'), (2, NULL, NULL, NULL)")
            try bench.attach()
            let table = try bench.attached("sheet")
            func query(_ condition: RowCondition) -> RowQuery {
                RowQuery(
                    scopes: nil, condition: condition, order: [RowOrder(0)], columns: [0],
                    limit: 9)
            }
            let refused: [RowCondition] = [
                .isOneOf(1, [.text("{}")]), .compares(1, .less, .text("{}")),
                .compares(0, .less, .text("one")), .isOneOf(3, [.integer(1)]),
                .isOneOf(2, [.text("1"), .null]),
            ]
            let digits = String(repeating: "7", count: 90)
            // A database compares these with its rows, or refuses them.
            let unusual: [(RowCondition, [Int64])] = [
                (.compares(2, .less, .text(digits)), [1]),
                (.compares(2, .greater, .text("0.\(digits)")), [1]),
                (.compares(2, .greater, .text("1e-200000")), [1]),
                (.isOneOf(2, [.text("-\(digits).\(digits)")]), []),
                (.compares(3, .greater, .text("A\0b")), [1]), (.isOneOf(3, [.text("a\0")]), []),
            ]
            try bench.connection { connection in
                try ConformanceBench.inSnapshot(connection) {
                    for condition in refused {
                        let rows = try answer(query(condition), table, connection)
                        try bench.expect(rows == nil, "\(condition) is not refused")
                    }
                    for (condition, ids) in unusual {
                        let rows = try answer(query(condition), table, connection)
                        try bench.expect(
                            rows == nil || rows == ids.map { [.integer($0)] },
                            "\(condition): \(rows ?? [])")
                    }
                    let rest = try connection.rows(table, query(.isNull(1)))
                    try bench.expect(rest == [[.integer(2)]], "NULL can be asked for: \(rest)")
                }
            }
        },
    ]
}

/// The rows of a query; `nil` where it is refused.
private func answer(
    _ query: RowQuery, _ table: AttachedTable, _ connection: any CentralConnection
) throws -> [[Value]]? {
    do {
        return try connection.rows(table, query)
    } catch let error as CentralError {
        guard case .refused = error.kind else { throw error }
        return nil
    }
}

extension QueriedTable {
    fileprivate func query(_ condition: RowCondition?) -> RowQuery {
        RowQuery(
            scopes: nil, condition: condition, order: keyOrder, columns: all,
            limit: oracle.rows.count + 1)
    }

    fileprivate func inSnapshot(
        _ bench: ConformanceBench, _ work: (any CentralConnection) throws -> Void
    ) throws {
        try bench.connection { connection in
            try ConformanceBench.inSnapshot(connection) { try work(connection) }
        }
    }

    fileprivate func check(
        _ query: RowQuery, _ connection: any CentralConnection, _ bench: ConformanceBench
    ) throws {
        let (rows, wanted) = (try connection.rows(table, query), oracle.rows(query))
        try bench.expect(rows == wanted, "\(query): \(rows) instead of \(wanted)")
        let most = wanted.count > 2 ? 2 : 100
        let count = try connection.count(table, query, most: most)
        try bench.expect(
            count == oracle.count(query, most: most), "\(query): \(count) of at most \(most)")
    }

    /// Pages have together what the query has at once.
    fileprivate func checkPages(
        of query: RowQuery, by limit: Int, _ connection: any CentralConnection,
        _ bench: ConformanceBench
    ) throws {
        var page = query
        page.limit = limit
        var found: [[Value]] = []
        while true {
            let rows = try connection.rows(table, page)
            found += rows
            guard rows.count == limit, let last = rows.last else { break }
            page.after = query.order.map { last[$0.column] }
            try bench.expect(found.count <= oracle.rows.count, "\(query): rows come again")
        }
        let wanted = oracle.rows(query)
        try bench.expect(
            found == wanted, "\(query) in pages of \(limit): \(found) instead of \(wanted)")
    }
}
