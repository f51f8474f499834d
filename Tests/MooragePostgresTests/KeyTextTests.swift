import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

/// One key that the server cannot read makes a statement fail for all keys that it names.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `Texts of keys of PostgreSQL` {
    private static let types = ["uuid", "date", "time", "timestamp", "timestamptz", "numeric"]

    /// Keys of rows that only the owner can write.
    private static let own: [String: [String]] = [
        "date": [
            "infinity", "-infinity", "4714-11-24 BC", "0001-02-28 BC", "0001-02-29 BC",
            "0005-02-29 BC", "10000-02-29", "5874897-12-31",
        ],
        "timestamp": [
            "infinity", "-infinity", "4714-11-24 00:00:00 BC", "0001-12-31 23:59:59.5 BC",
            "10000-01-01 00:00:00", "294276-12-31 23:59:59.999999",
        ],
        "timestamptz": [
            "infinity", "-infinity", "4713-01-01 00:00:00 BC", "10000-01-01 00:00:00",
            "294276-12-31 00:00:00",
        ],
        "numeric": ["NaN", "Infinity", "-Infinity", "1e131071", "1e-16383", "-0.5"],
    ]

    private static let malformed = [
        "", "x", "11111111-1111-1111-1111-11111111111g", "2024-02-30", "0001-02-30 BC",
        "0002-02-29 BC", "4714-11-23 BC", "4715-01-01 BC", "0000-01-01", "10000-02-30",
        "5874898-01-01", "99999999-01-01", "294277-01-01 00:00:00", "10000-01-01 25:00:00",
        "10000-01-01 00:00:00+23:00", "0001-01-01 00:00:00+23:00", "now", "1e131072", "1e999999",
        "24:00:01", "a\0b",
    ]

    @Test(arguments: types) func `are asked for only where the server reads them`(
        type: String
    ) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute("CREATE TABLE t (n int, k \(type), PRIMARY KEY (n, k))")
            try subject.attach()
            for (number, text) in (Self.own[type] ?? []).enumerated() {
                try owner.execute("INSERT INTO t VALUES (\(number), '\(text)')")
            }
            let table = try subject.table("t")
            // As the hub itself reads them from the tracking table.
            let content = try subject.snapshot {
                try $0.content(
                    table, columns: [0, 1], in: .everything,
                    .fromNothing(copiedAt: nil, within: nil), after: nil, limit: 100)
            }
            let own = (0..<content.keys.count).map {
                table.description.key(content.keys[$0])
            }
            #expect(own.count == Self.own[type]?.count ?? 0)
            let bad = Self.malformed.flatMap { text in
                [
                    table.description.key([.integer(100), .text(text)]),
                    table.description.key([.text(text), .text(text)]),
                ]
            }
            let found = try subject.snapshot { connection in
                try connection.rows(table, keys: own + bad, in: [.everything])
            }
            #expect(Set(found.map { table.description.key(of: $0) }) == Set(own))
            let tracked = try subject.snapshot {
                try $0.tracked(table, keys: own + bad, in: [.everything])
            }
            #expect(Set(tracked.keys) == Set(own))
            let locked = try subject.write { try $0.lockRows(table, keys: bad) }
            #expect(locked.count == Set(bad).count)
            #expect(locked.values.allSatisfy { $0.values == nil })
        }
    }
}
