import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `Types of PostgreSQL` {
    struct Sample: Sendable {
        let type: String
        let portable: ColumnType
        let values: [Value]
        init(_ type: String, _ portable: ColumnType, _ values: [Value]) {
            self.type = type
            self.portable = portable
            self.values = values
        }
    }

    static let samples = [
        Sample("smallint", .integer, [.integer(-32768), .integer(32767)]),
        Sample("integer", .integer, [.integer(Int64(Int32.min)), .integer(0)]),
        Sample(
            "bigint", .integer, [.integer(.min), .integer(.max), .integer(9_007_199_254_740_993)]),
        Sample("boolean", .boolean, [.integer(0), .integer(1)]),
        Sample("real", .real, [.real(0.5), .real(Double(Float(0.1)))]),
        Sample(
            "double precision", .real,
            [
                .real(0.1 + 0.2), .real(Double.leastNonzeroMagnitude),
                .real(1.7976931348623157e308), .real(-0.0),
            ]),
        Sample(
            "numeric", .decimal,
            [
                .text("9.80"), .text("12345678901234567890123456789012345678"),
                .text("-0.0000000001"),
            ]),
        Sample("numeric(12,2)", .decimal, [.text("9.80"), .text("0.00")]),
        Sample("money", .decimal, [.text("12.34"), .text("-1234567.89")]),
        Sample(
            "text", .text,
            [.text(""), .text("é"), .text("e\u{301}"), .text("\u{1F600}'\"\\{},"), .text("NULL")]),
        Sample("varchar(5)", .text, [.text("abcde"), .text("\u{1F600}\u{1F600}")]),
        Sample("char(5)", .text, [.text("ab")]),
        Sample("name", .text, [.text("ab")]),
        Sample("mood", .text, [.text("sad"), .text("so so")]),
        Sample(
            "bytea", .blob,
            [.blob([]), .blob([0, 1, 255]), .blob([UInt8](repeating: 7, count: 5_000_000))]),
        Sample("uuid", .uuid, [.text("00000000-0000-4000-8000-00000000abcd")]),
        Sample("date", .date, [.text("1582-10-10"), .text("0001-01-01"), .text("9999-12-31")]),
        Sample("time", .time(fractionDigits: 6), [.text("00:00:00"), .text("23:59:59.999999")]),
        Sample(
            "timestamp", .timestamp(fractionDigits: 6),
            [.text("1899-12-31 23:59:59.000001"), .text("9999-12-31 00:00:00")]),
        Sample("timestamp(0)", .timestamp(fractionDigits: 0), [.text("2024-02-29 10:00:00")]),
        Sample("timestamptz", .instant(fractionDigits: 6), [.text("2024-03-31 01:30:00.5")]),
        Sample("json", .json, [.text("{\"b\": 1.0,  \"a\":[]}")]),
        Sample("jsonb", .json, [.text("{\"a\": [], \"b\": 1.0}")]),
        Sample("interval", .text, [.text("1 mon 2 days 03:04:05")]),
        Sample("inet", .text, [.text("10.0.0.1/8")]),
        Sample("int[]", .text, [.text("{1,NULL,3}")]),
        Sample("int4range", .text, [.text("[1,5)")]),
        Sample("bit(3)", .text, [.text("101")]),
        Sample("xml", .text, [.text("<a/>")]),
        Sample("timetz", .text, [.text("10:00:00+02")]),
        Sample("positive", .integer, [.integer(5)]),
        Sample("short", .text, [.text("abc")]),
    ]

    static let types = """
        CREATE TYPE mood AS ENUM ('sad', 'so so');
        CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
        CREATE DOMAIN short AS varchar(3) NOT NULL;
        """

    @Test func `make the round trip, bit for bit`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            let columns = Self.samples.enumerated().map { "c\($0) \($1.type)" }
            try owner.execute(
                "\(Self.types) CREATE TABLE t (id int PRIMARY KEY, \(columns.joined(separator: ", ")))"
            )
            try subject.attach()
            let table = try subject.table("t")
            #expect(
                table.description.columns.dropFirst().map(\.type) == Self.samples.map(\.portable))
            let all = Array(table.description.columns.indices)
            var rows: [[Value]] = []
            for number in 0..<5 {
                let row = Self.samples.map { $0.values[number % $0.values.count] }
                rows.append([.integer(Int64(number))] + row)
            }
            // NULL everywhere but in the domain that forbids it.
            rows.append(
                [.integer(5)] + Self.samples.map { $0.type == "short" ? .text("") : .null })
            try subject.write { connection in
                try connection.insert(
                    table, columns: all,
                    rows: rows.map { row in [row[0]] + row.dropFirst().map { _ in .null } }
                        .map { row in row.dropLast() + [.text("x")] })
                try connection.update(
                    table, columns: Array(all.dropFirst()),
                    rows: rows.map {
                        KeyedValues(
                            key: table.description.key(of: $0), values: Array($0.dropFirst()))
                    })
            }
            let keys = rows.map { table.description.key(of: $0) }
            let read = try subject.snapshot { try $0.rows(table, keys: keys, in: [.everything]) }
            let found = Dictionary(uniqueKeysWithValues: read.map { ($0[0], $0) })
            for row in rows {
                let other = try #require(found[row[0]])
                for (column, (left, right)) in zip(row, other).enumerated() {
                    let name = column == 0 ? "id" : Self.samples[column - 1].type
                    #expect(left == right, "\(name) in row \(row[0])")
                }
            }
        }
    }

    @Test func `keys of every type that can be one are found again`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(Self.types)
            let usable = Self.samples.filter {
                ![
                    "money", "name", "json", "jsonb", "interval", "inet", "int[]", "int4range",
                    "bit(3)", "xml", "timetz",
                ].contains($0.type)
            }
            for (number, sample) in usable.enumerated() {
                try owner.execute("CREATE TABLE k\(number) (id \(sample.type) PRIMARY KEY, a int)")
            }
            try owner.execute("CREATE TABLE bad (id interval PRIMARY KEY)")
            let report = try subject.attach()
            #expect(report.unsupported.count == 1)
            for (number, sample) in usable.enumerated() {
                let table = try subject.table("k\(number)")
                // An index entry has room for some 2.7 kB.
                let values = sample.values.filter { $0.byteCount < 1000 }
                let keys = Set(values.map { table.description.key([$0]) })
                try subject.write { connection in
                    let absent = try connection.lockRows(table, keys: Array(keys))
                    #expect(absent.values.allSatisfy { $0 == .absent })
                    try connection.insert(table, columns: [0], rows: keys.map(\.values))
                    try connection.update(
                        table, columns: [1],
                        rows: keys.map { KeyedValues(key: $0, values: [.integer(1)]) })
                    try connection.setChangedAt(
                        table, times: keys.map { KeyedTime(key: $0, changedAt: 5) })
                    let locked = try connection.lockRows(table, keys: Array(keys))
                    #expect(
                        locked.values.allSatisfy {
                            $0.changedAt == 5 && $0.values?[1] == .integer(1)
                        }, "\(sample.type)")
                }
                let tracked = try subject.snapshot { connection in
                    var found: [TrackedRow] = []
                    while true {
                        let after = found.last.map { TrackingPosition(version: 0, key: $0.key) }
                        let part = try connection.trackedRows(
                            table, in: .everything, .all, after: after, limit: 1)
                        found += part
                        if part.isEmpty { return found }
                    }
                }
                #expect(Set(tracked.map(\.key)) == keys, "\(sample.type)")
                try subject.write { try $0.delete(table, keys: Array(keys)) }
                #expect(try owner.cell("SELECT count(*) FROM k\(number)") == "0", "\(sample.type)")
            }
        }
    }

    @Test func `what no device holds comes out as it is`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE t (id int PRIMARY KEY, r float8, n numeric, d date, s timestamptz);
                INSERT INTO t VALUES (1, 'NaN', 'NaN', 'infinity', '0044-03-15 12:00:00+00 BC')
                """)
            try subject.attach()
            let table = try subject.table("t")
            let key = table.description.key([.integer(1)])
            let row = try subject.snapshot { try $0.rows(table, keys: [key], in: [.everything]) }[0]
            if case .real(let number) = row[1] {
                #expect(number.isNaN)
            } else {
                Issue.record("no real")
            }
            #expect(
                Array(row.dropFirst(2)) == [
                    .text("NaN"), .text("infinity"), .text("0044-03-15 12:00:00 BC"),
                ])
        }
    }

    @Test func `identities, generated columns and defaults are told`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, s serial,
                  g int GENERATED ALWAYS AS (s * 2) STORED, n numeric DEFAULT -1.50, b boolean DEFAULT true,
                  d date DEFAULT '2024-01-01', z text DEFAULT NULL, w timestamptz DEFAULT now(),
                  x bytea DEFAULT '\\x0aff')
                """)
            try subject.attach()
            let table = try subject.table("t")
            let columns = table.description.columns
            #expect(
                columns.map(\.defaultValue) == [
                    .central, .central, .none, .value(.text("-1.5")), .value(.integer(1)),
                    .value(.text("2024-01-01")), .none, .central, .value(.blob([10, 255])),
                ])
            #expect(columns.map(\.isGenerated).firstIndex(of: true) == 2)
            try subject.write { try $0.insert(table, columns: [0], rows: [[.integer(77)]]) }
            #expect(try owner.cell("SELECT g FROM t WHERE id = 77") == "2")
        }
    }

    @Test func `tables that cannot be synced say why`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE bare (x int); CREATE UNLOGGED TABLE loose (id int PRIMARY KEY);
                CREATE VIEW seen AS SELECT 1 AS one; CREATE TABLE mother (id int PRIMARY KEY);
                CREATE TABLE daughter (PRIMARY KEY (id)) INHERITS (mother); CREATE TABLE fine (id int PRIMARY KEY);
                CREATE TABLE refers (id int PRIMARY KEY, m int REFERENCES mother, f int REFERENCES fine)
                """)
            let tables = try subject.postgres.perform { try $0.readTables() }
            let reasons = tables.compactMap { table -> String? in
                if case .unsupported(let reason) = table.support {
                    "\(table.name): \(reason)"
                } else {
                    nil
                }
            }
            #expect(reasons.count == 5)
            #expect(reasons.contains { $0.hasPrefix("bare:") && $0.contains("primary key") })
            #expect(try subject.describe("refers").foreignKeys.map(\.referencedTable) == ["fine"])
        }
    }
}
