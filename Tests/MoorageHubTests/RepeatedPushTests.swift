import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Changes that are pushed again, under another number` {
    private static let tables = ["customer", "purchase", "line"]

    private func rows(_ bench: HubBench) throws -> [[[Value]]] {
        try Self.tables.map { try bench.rows("SELECT * FROM \($0) ORDER BY 1, 2") }
    }

    /// Some rows of the bench's tables, and what others did to them since the replica read them.
    private func fill(_ bench: HubBench, _ random: inout SeededGenerator) throws {
        for id in 0..<6 {
            try bench.sql(
                "INSERT INTO customer VALUES ('c\(id)', 'n\(id)', 'Oslo', \(id).5, \(id))")
            try bench.sql("INSERT INTO purchase VALUES (\(id), 'c\(id / 2)', 'note')")
            try bench.sql("INSERT INTO line VALUES (\(id), 1, \(id)), (\(id), 2, NULL)")
        }
    }

    private func disturb(_ bench: HubBench, _ random: inout SeededGenerator) throws {
        let id = random.below(7)
        let sql = random.one(of: [
            "UPDATE customer SET name = 'h' WHERE id = 'c\(id)'",
            "UPDATE customer SET city = 'Bergen', code = \(id + 20) WHERE id = 'c\(id)'",
            "DELETE FROM line WHERE purchase = \(id)", "DELETE FROM purchase WHERE id = \(id)",
            "INSERT OR IGNORE INTO customer(id, name) VALUES ('n\(id)', 'h')",
            "UPDATE line SET amount = 77 WHERE number = 1",
        ])
        try bench.sql(sql)
    }

    /// Makes what the others did a minute old: clocks are measured again in each exchange, and who is
    /// later must not hang on a millisecond.
    private func age(_ bench: HubBench) throws {
        let tracks = try bench.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'moorage_track%'")
        for case .text(let track)? in tracks.map(\.first) {
            try bench.sql("UPDATE \(track) SET changed_at = changed_at - 60000")
        }
    }

    private func value(_ type: ColumnType, _ random: inout SeededGenerator) -> Value {
        switch type {
        case .integer: .integer(Int64(random.below(30)))
        case .decimal: .text("\(random.below(4)).50")
        default: .text(random.one(of: ["Oslo", "Bergen", "x", "note", "c1", "c2"]))
        }
    }

    private func change(
        _ replica: ScriptedReplica, _ known: [String: [[Value]]], _ random: inout SeededGenerator
    ) -> Change {
        let name = random.one(of: Self.tables)
        let table = replica.table(name)
        var row = random.one(of: known[name] ?? [])
        let before = row
        for column in row.indices where !table.isKey(column) && random.once(in: 2) {
            row[column] = value(table.columns[column].type, &random)
        }
        let operation: Change.Operation
        switch random.below(4) {
        case 0:
            if name == "customer" { row[0] = .text("n\(random.below(7))") }
            if name == "line" { row[1] = .integer(Int64(random.below(5))) }
            operation = .insert(row)
        case 1: operation = .delete(before: before)
        default:
            operation = .update(
                row.indices.filter { row[$0] != before[$0] }.map {
                    ColumnEdit(column: $0, old: before[$0], new: row[$0])
                })
        }
        return Change(
            table: name, key: table.key(of: row), operation: operation,
            editedAt: replica.now - Int64(random.below(3) * 100_000),
            isAgain: true)
    }

    @Test(arguments: MergeRule.deciding)
    func `change nothing more, by any rule`(rule: MergeRule) throws {
        var whole = 0
        let seeds = lawSeeds(8, nightly: 250)
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let rules = Dictionary(
                uniqueKeysWithValues: Self.tables.map { ($0, TableRules(rule: rule)) })
            let bench = try HubBench(rules: rules)
            try fill(bench, &random)
            let replica = try ScriptedReplica(bench, 1)
            try replica.exchange()
            let known = replica.rows.mapValues { Array($0.values).sorted { "\($0)" < "\($1)" } }
            for _ in 0..<random.below(5) { try disturb(bench, &random) }
            try age(bench)
            var changes: [Change] = []
            for _ in 0...random.below(4) {
                let next = change(replica, known, &random)
                if !changes.contains(where: { $0.rowName == next.rowName }) { changes.append(next) }
            }
            let first = replica.outcomes(try replica.exchange(replica.batch(changes)))
            let once = try rows(bench)
            let second = replica.outcomes(try replica.exchange(replica.batch(changes)))
            // What was refused may go in once the others have made room for it.
            let isRefused = first.contains { if case .refused = $0.kind { true } else { false } }
            guard changes.count == 1 || !isRefused else { continue }
            whole += 1
            #expect(try rows(bench) == once, "seed \(seed): \(changes), \(first), \(second)")
        }
        #expect(whole * 5 > seeds.count * 2)
    }
}
