import MoorageCore
import MoorageHub

/// A table with every type that a query can compare, rows in it, and queries of it at random.
struct QueriedTable {
    let table: AttachedTable
    /// The values that a condition compares each column with.
    let values: [[Value]]
    let oracle: QueryOracle

    private var description: TableDescription { table.description }
    var all: [Int] { Array(description.columns.indices) }

    /// The order of the key alone.
    var keyOrder: [RowOrder] { description.primaryKey.map { RowOrder($0) } }

    /// Makes the table and attaches it.
    init(_ bench: ConformanceBench, rows count: Int, using random: inout SeededGenerator) throws {
        // Only PostgreSQL has it.
        try? bench.owner.execute("CREATE TYPE letter AS ENUM ('b', 'a', 'Z')")
        let columns = try QueriedColumn.all.compactMap { column in
            try column.declaration(bench).map { (column: column, sql: $0) }
        }
        try bench.owner.execute(
            """
            CREATE TABLE sample (grp INTEGER NOT NULL, id TEXT NOT NULL,
              \(columns.map(\.sql).joined(separator: ", ")), PRIMARY KEY (grp, id))
            """)
        try bench.attach()
        let sample = try bench.attached("sample")
        let description = sample.description
        let all = Array(description.columns.indices)
        let price = description.columns.firstIndex { $0.name == "price" }
        for number in 0..<count {
            var row: [Value] = [
                .integer(Int64(number % 3 - 1)),
                .text(["a", "B", "é"][number / 3 % 3] + "\(number)"),
            ]
            row += columns.map { item in
                random.once(in: 4) ? .null : random.one(of: item.column.stored)
            }
            // SQLite keeps no long decimals.
            if try Self.refusal(of: row, all, sample, bench) != nil {
                if let price { row[price] = .null }
                let refusal = try Self.refusal(of: row, all, sample, bench)
                try bench.expect(refusal == nil, "a row is refused: \(row)")
            }
        }
        let names = RowQuery(
            scopes: nil, order: description.primaryKey.map { RowOrder($0) },
            columns: description.primaryKey, limit: count + 1)
        let stored = try bench.connection { connection in
            try ConformanceBench.inSnapshot(connection) {
                let keys = try connection.rows(sample, names).map { description.key($0) }
                return try connection.rows(sample, keys: keys, in: [.everything])
            }
        }
        try bench.expect(stored.count == count, "\(stored.count) rows of \(count) are there")
        table = sample
        values =
            [
                [.integer(0), .integer(1), .integer(-1)],
                ["a0", "B4", "a0 ", "A0", "é8", ""].map(Value.text),
            ] + columns.map { $0.column.stored + $0.column.asked }
        oracle = QueryOracle(description: description, rows: stored)
    }

    private static func refusal(
        of row: [Value], _ columns: [Int], _ table: AttachedTable, _ bench: ConformanceBench
    ) throws -> Refusal.Code? {
        try bench.refusal { try $0.insert(table, columns: columns, rows: [row]) }
    }

    // MARK: Queries

    /// A condition about up to four columns.
    func condition(using random: inout SeededGenerator, depth: Int = 2) -> RowCondition {
        func parts() -> [RowCondition] {
            (0...random.below(2)).map { _ in condition(using: &random, depth: depth - 1) }
        }
        switch random.below(depth > 0 ? 6 : 3) {
        case 3: return .allOf(parts())
        case 4: return .anyOf(parts())
        case 5: return .not(condition(using: &random, depth: depth - 1))
        default: break
        }
        let column = random.below(values.count)
        func value() -> Value { random.one(of: values[column]) }
        switch random.below(5) {
        case 0: return .isNull(column)
        case 1, 2: return .isOneOf(column, (0...random.below(3)).map { _ in value() })
        default:
            return .compares(column, random.one(of: RowCondition.Comparison.allCases), value())
        }
    }

    /// Up to three columns, and the key behind them.
    func order(using random: inout SeededGenerator) -> [RowOrder] {
        var columns = (0..<random.below(4)).map { _ in random.below(values.count) }
        columns.removeAll(where: description.isKey)
        return (columns + description.primaryKey).map {
            RowOrder($0, isDescending: random.once(in: 2))
        }
    }

    func query(using random: inout SeededGenerator) -> RowQuery {
        let order = order(using: &random)
        var query = RowQuery(
            scopes: random.once(in: 3) ? [.everything] : nil,
            condition: random.once(in: 5) ? nil : condition(using: &random), order: order,
            columns: Array(all.shuffled(using: &random).prefix(1 + random.below(all.count))),
            limit: random.once(in: 3) ? random.below(4) : 100)
        if random.once(in: 3) {
            let row = random.one(of: oracle.rows)
            query.after = order.map { row[$0.column] }
        }
        return query
    }
}

/// A column of a ``QueriedTable``.
struct QueriedColumn {
    let name: String
    /// The first word of the portable type.
    private let type: String
    /// Types as databases declare them, of which the first one that means the type is taken.
    private let candidates: [String]
    let stored: [Value]
    /// Values that a condition compares with, and that no row has.
    let asked: [Value]

    private init(
        _ name: String, _ type: String, _ candidates: [String], _ stored: [Value],
        asked: [Value] = []
    ) {
        self.name = name
        self.type = type
        self.candidates = candidates
        self.stored = stored
        self.asked = asked
    }

    private static func texts(_ texts: String...) -> [Value] { texts.map(Value.text) }

    /// The column as this database declares it; `nil` where it has no such type.
    func declaration(_ bench: ConformanceBench) throws -> String? {
        if candidates.count == 1, type != "uuid" { return "\(name) \(candidates[0])" }
        for candidate in candidates {
            do {
                try bench.owner.execute(
                    "CREATE TABLE probe (id INTEGER NOT NULL PRIMARY KEY, c \(candidate))")
            } catch {
                continue
            }
            defer { try? bench.owner.execute("DROP TABLE probe") }
            let found = try bench.connection { try $0.readTables() }.first { $0.name == "probe" }
            if case .supported(let description)? = found?.support,
                description.columns.last?.type.name.hasPrefix(type) == true
            {
                return "\(name) \(candidate)"
            }
        }
        return nil
    }

    static let all = numbers + words + times + others

    private static let numbers = [
        QueriedColumn(
            "amount", "integer", ["BIGINT"],
            [0, 1, -1, 255, .max, .min, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1].map(Value.integer),
            asked: [.integer(2), .integer(1 << 53 + 2)]),
        QueriedColumn(
            "price", "decimal", ["DECIMAL(30,10)"],
            texts(
                "0", "-0.1", "9.80", "9.8", "98e-1", "10.5", "0.0000000001", "9007199254740993",
                "-9007199254740993", "9007199254740992", "12345678901234567890.0123456789",
                "12345678901234567890.0123456788"),
            asked: texts(
                "9.80000000000000000001", "9.79999999999999999999", "9007199254740992.5",
                "-9007199254740992.00000000000000000001", "1e40", "-1e40", "-0", "10.50")),
        QueriedColumn(
            "weight", "real", ["DOUBLE PRECISION"],
            [0, -0.0, 0.1, 0.30000000000000004, -2.5, 1e16, 1e308, .leastNonzeroMagnitude].map(
                Value.real),
            asked: [.real(0.3), .real(-1e308)]),
        QueriedColumn(
            "flag", "boolean", ["BOOLEAN"], [.integer(0), .integer(1)], asked: [.integer(7)]),
    ]

    private static let words = [
        QueriedColumn(
            "name", "text", ["TEXT"],
            texts(
                "", " ", "a", "A", "a ", "b", "é", "e\u{301}", "日本語", "🇳🇴", "\u{10FFFF}", "%", "_",
                "a%b", "\\", "'", "''", "\"", "'; DROP TABLE sample; --", "\r\n", "?", "$1"),
            asked: texts("E", "a\\b", "?1")),
        // A character set and a collation of the database's own. It may ignore case, accents, and
        // spaces at the end, and lack some characters.
        QueriedColumn(
            "word", "text", ["VARCHAR(40)"],
            texts("", "a", "A", "a ", "b", "B", "e", "é", "É", "ab", "a%", "it's", "\\"),
            asked: texts(" ", "E", "日本語", "🇳🇴")),
        QueriedColumn(
            "essay", "text", ["VARCHAR(1500)"],
            ["", "b", "a", "c"].map { .text(String(repeating: "x", count: 1400) + $0) } + texts("x")
                // Around the ends of the parts in which a database may sort.
                + [998, 1_022].flatMap { count in
                    ["zz", "zb", "za"].map { .text(String(repeating: "w", count: count) + $0) }
                }
        ),
        QueriedColumn(
            "choice", "text", ["letter", "ENUM('b', 'a', 'Z')", "TEXT"], texts("b", "a", "Z"),
            asked: texts("", "A", "no label", "1")),
    ]

    private static let times = [
        QueriedColumn(
            "day", "date", ["DATE"],
            texts("2024-01-31", "2024-02-01", "2024-02-01 00:00:00", "1999-12-31", "9999-12-31"),
            asked: texts("2024-01-31T00:00", "0001-01-01")),
        QueriedColumn(
            "hour", "time", ["TIME(3)"],
            texts("00:00:00", "10:00", "10:00:00.5", "10:00:00.500", "23:59:59.999", "24:00:00"),
            asked: texts("09:59", "10:00:00.4999")),
        QueriedColumn(
            "moment", "timestamp", ["DATETIME(3)", "TIMESTAMP(3)"],
            texts(
                "2024-01-31 10:00:00", "2024-01-31T10:00:00.5", "2024-01-31 10:00:00.499",
                "1969-12-31 23:59", "9999-12-31 23:59:59"),
            asked: texts("2024-01-31", "2024-01-31T10:00", "0001-01-01 00:00:00")),
        QueriedColumn(
            "stamp", "instant", ["TIMESTAMPTZ(3)", "TIMESTAMP(3) NULL DEFAULT NULL"],
            texts(
                "2024-01-31 10:00:00Z", "2024-01-31T12:30:00+02:00", "2024-01-31 10:00:00.25",
                "2000-01-01 00:00:00", "2024-01-31 05:00:00-05"),
            asked: texts(
                "2024-01-31 11:00:00+01:00", "2024-01-31 10:30:00", "1900-01-01 00:00:00",
                "2100-01-01 00:00:00")),
    ]

    private static let others = [
        QueriedColumn(
            "mark", "uuid", ["UUID"],
            texts(
                "00000000-0000-0000-0000-0000000000ff", "FF000000-0000-4000-8000-000000000000",
                "01890000-0000-7000-8000-0000000000Ab"),
            asked: texts(
                "ff000000-0000-4000-8000-000000000000", "01890000-0000-7000-8000-0000000000aB")),
        QueriedColumn(
            "data", "blob", ["BYTEA", "VARBINARY(40)"],
            [[], [0], [0, 255], [97], [97, 0]].map(Value.blob), asked: [.blob([255])]),
    ]
}
