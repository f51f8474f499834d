import GRDB
import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@testable import Moorage

/// What a log should fold to, derived from the table's rows before and after each statement alone.
private struct PaperFold {
    typealias Rows = [RowKey: [Value]]

    /// The rows when the log was empty.
    private let first: Rows
    private(set) var now: Rows
    /// Keys whose row was different at some time.
    private var changed: Set<RowKey> = []

    init(_ rows: Rows) {
        first = rows
        now = rows
    }

    mutating func become(_ rows: Rows) {
        for key in Set(now.keys).union(rows.keys) where now[key] != rows[key] {
            changed.insert(key)
        }
        now = rows
    }

    /// What the device has to push, by key. An update may have nothing left to change.
    var expected: [RowKey: Change.Operation] {
        var result: [RowKey: Change.Operation] = [:]
        for key in changed {
            switch (first[key], now[key]) {
            case (nil, nil): result[key] = .refetch
            case (nil, let row?): result[key] = .insert(row)
            case (let row?, nil): result[key] = .delete(before: row)
            case (let before?, let after?):
                result[key] = .update(
                    before.indices.filter { before[$0] != after[$0] }.map {
                        ColumnEdit(column: $0, old: before[$0], new: after[$0])
                    })
            }
        }
        return result
    }
}

@Suite(.ownThreads) struct `Compaction in triggers` {
    private static let kinds = ["", " WITHOUT ROWID", " STRICT", "RECURSIVE", "NOCASE"]

    private static let description = TableDescription(
        name: "item",
        columns: [
            .column("id", .text), .column("code", .text), .column("a", .text),
            .column("b", .integer), .column("c", .integer),
        ], primaryKey: [0], uniqueKeys: [[1], [3, 4]])

    private func device(_ kind: String) throws -> Device {
        var configuration = Configuration()
        if kind == "RECURSIVE" {
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA recursive_triggers = ON") }
        }
        let collation = kind == "NOCASE" ? "COLLATE NOCASE" : ""
        let device = try Device(
            """
            CREATE TABLE item(
              id TEXT NOT NULL \(collation) PRIMARY KEY, code TEXT \(collation) UNIQUE, a TEXT,
              b INTEGER, c INTEGER, UNIQUE(b, c)
            )\(kind.hasPrefix(" ") ? kind : "");
            INSERT INTO item VALUES('x', 'cx', 'ax', 1, 1), ('y', 'cy', 'ay', 2, NULL), ('z', NULL, 'az', 3, 3);
            """, tables: [.table("item", firstContact: .upload)], configuration: configuration)
        try device.adopt(SchemaDescription(tables: [Self.description]))
        try device.run("DELETE FROM _moorage_log_item")
        return device
    }

    private func rows(_ device: Device) throws -> [RowKey: [Value]] {
        let rows = try device.values("SELECT * FROM item")
        return Dictionary(uniqueKeysWithValues: rows.map { (RowKey([$0[0]]), $0) })
    }

    private func statement(_ random: inout SeededGenerator) -> String {
        func one(_ texts: String...) -> String { random.one(of: texts) }
        let id = "'" + one("x", "y", "z", "n", "m", "X", "N") + "'"
        let code = one("'cx'", "'cy'", "'cn'", "'CX'", "NULL")
        let pair = "\(random.below(4)), " + one("1", "2", "NULL")
        let or = one("", "", "OR REPLACE ", "OR IGNORE ")
        switch random.below(12) {
        case 0, 1:
            return "INSERT \(or)INTO item VALUES(\(id), \(code), 'a\(random.below(3))', \(pair))"
        case 2: return "REPLACE INTO item VALUES(\(id), \(code), 'a\(random.below(3))', \(pair))"
        case 3:
            return """
                INSERT INTO item VALUES(\(id), \(code), 'u', \(pair))
                ON CONFLICT(id) DO UPDATE SET a = excluded.a, code = excluded.code
                """
        case 4:
            return "INSERT INTO item VALUES(\(id), \(code), 'i', \(pair)) ON CONFLICT DO NOTHING"
        case 5: return "UPDATE \(or)item SET id = \(id) WHERE id = 'x'"
        case 6: return "UPDATE \(or)item SET id = \(id), a = 'k' WHERE code = \(code)"
        case 7: return "UPDATE \(or)item SET code = \(code) WHERE id = \(id)"
        case 8: return "UPDATE \(or)item SET (b, c) = (\(pair)) WHERE id >= \(id)"
        case 9: return "UPDATE item SET a = 'a\(random.below(3))'"
        case 10: return "UPDATE item SET a = 'ax', code = 'cx' WHERE id = 'x'"
        default: return "DELETE FROM item WHERE id = \(id)"
        }
    }

    /// What the device would push, by key. Afterwards the log is empty.
    private func folded(_ device: Device, seed: UInt64) throws -> [RowKey: Change.Operation] {
        let changes = try device.changes()
        try device.run("DELETE FROM _moorage_inflight")
        #expect(try device.texts("SELECT * FROM _moorage_log_item") == [], "seed \(seed)")
        return Dictionary(changes.map { ($0.key, $0.operation) }) { first, _ in
            Issue.record("a key twice, seed \(seed)")
            return first
        }
    }

    /// Runs without compaction, and with compaction meanwhile, as on a device that is away.
    @Test(arguments: kinds, [false, true])
    func `equals compaction on paper`(kind: String, isKeptShort: Bool) throws {
        var compared = 0
        let seeds = lawSeeds(10, nightly: 300)
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let device = try device(kind)
            var paper = PaperFold(try rows(device))
            var story: [String] = []
            let steps = isKeptShort ? 40 : 14
            for step in 1...steps {
                let sql = statement(&random)
                story.append(sql)
                // A constraint may refuse the statement. Then nothing changes and the log records
                // nothing.
                _ = try? device.run(sql)
                paper.become(try rows(device))
                if isKeptShort, random.once(in: 2) { try device.compact() }
                guard step == steps || random.once(in: steps / 2) else { continue }
                var actual = try folded(device, seed: seed)
                let expected = paper.expected
                compared += expected.count
                // The log records a row that an equal one replaced, but the table does not show
                // that.
                for (key, operation) in actual
                where operation == .update([]) && expected[key] == nil {
                    actual[key] = nil
                }
                #expect(actual == expected, "seed \(seed), \(kind): \(story)")
                paper = PaperFold(try rows(device))
                story = []
            }
        }
        #expect(compared > 2 * seeds.count)
    }
}
