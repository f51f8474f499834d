import MoorageTesting
import TestSupport
import Testing

@testable import MoorageCore

private let items = TableDescription(
    name: "item",
    columns: [
        ColumnDescription(name: "id", type: .integer),
        ColumnDescription(name: "stock", type: .integer),
        ColumnDescription(name: "price", type: .decimal),
        ColumnDescription(name: "best", type: .integer),
        ColumnDescription(name: "tags", type: .json), ColumnDescription(name: "note", type: .text),
        ColumnDescription(name: "weight", type: .real),
        ColumnDescription(name: "seen", type: .timestamp(fractionDigits: 6)),
    ], primaryKey: [0])

private let rules = TableRules(columns: [
    "stock": .add, "price": .add, "best": .max, "tags": .union, "note": .text, "weight": .add,
    "seen": .min,
])

private func row(_ column: Int, _ value: Value) -> [Value] {
    var row: [Value] = [
        .integer(1), .integer(0), .text("0"), .integer(0), .text("[]"), .text(""), .real(0), .null,
    ]
    row[column] = value
    return row
}

/// What becomes of one column.
private func merged(
    _ column: Int, from old: Value, to new: Value, at centre: Value, isAgain: Bool = false,
    rules: TableRules = rules
) -> MergeResult {
    Merge(table: items, rules: rules).merge(
        Change(
            table: "item", key: RowKey([.integer(1)]),
            operation: .update([ColumnEdit(column: column, old: old, new: new)]), editedAt: 100,
            isAgain: isAgain),
        against: CentralRow(values: row(column, centre), changedAt: 200, isTombstone: false),
        editedAt: 100)
}

private func value(_ mergeResult: MergeResult) -> Value? {
    guard case .update(let values) = mergeResult.write else { return nil }
    return values.first?.value
}

@Suite(.ownThreads) struct `Adding` {
    @Test func `takes the difference to what is there, and loses nothing`() {
        let mergeResult = merged(1, from: .integer(5), to: .integer(8), at: .integer(20))
        #expect(value(mergeResult) == .integer(23))
        #expect(mergeResult.outcome == .merged && mergeResult.conflict == nil)
    }

    @Test func `counts a change whose result is there already`() {
        #expect(
            value(merged(1, from: .integer(5), to: .integer(6), at: .integer(6))) == .integer(7))
    }

    @Test func `is exact for decimals`() {
        #expect(
            value(
                merged(2, from: .text("0.1"), to: .text("0.3"), at: .text("99999999999999999999.1"))
            )
                == .text("99999999999999999999.3"))
        #expect(
            value(merged(2, from: .text("9.80"), to: .text("0"), at: .real(9.9))) == .text("0.1"))
    }

    @Test func `of decimals is the sum of their digits, for any two`() throws {
        for seed in lawSeeds(3000, nightly: 100_000) {
            var random = SeededGenerator(seed: seed)
            let numbers = (0..<2).map { _ in Int64(random.below(2_000_000)) - 1_000_000 }
            let scales = (0..<2).map { _ in random.below(4) }
            func decimal(_ index: Int) throws -> DecimalText {
                try #require(DecimalText("\(numbers[index])e-\(scales[index])"))
            }
            func scaled(_ index: Int) -> Int64 {
                (scales[index]..<4).reduce(numbers[index]) { number, _ in number * 10 }
            }
            let (left, right) = (try decimal(0), try decimal(1))
            let sum = try #require(DecimalText("\(scaled(0) + scaled(1))e-4"))
            #expect(left.adding(right) == sum, "seed \(seed)")
            #expect(left.isLess(than: right) == (scaled(0) < scaled(1)), "seed \(seed)")
            #expect(left.adding(left.negated) == DecimalText(0), "seed \(seed)")
        }
    }

    @Test func `refuses a sum that the column cannot hold`() {
        let mergeResult = merged(1, from: .integer(0), to: .integer(1), at: .integer(.max))
        guard case .refused(let refusal) = mergeResult.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .overflow && mergeResult.write == .none)
        #expect(mergeResult.conflict?.mine == [StoredValue(column: 1, value: .integer(1))])
        #expect(
            value(merged(1, from: .integer(.min), to: .integer(.max), at: .integer(.min)))
                == .integer(.max))
    }

    @Test func `refuses decimals that lie too far apart`() {
        let mergeResult = merged(2, from: .text("0"), to: .text("1e400000"), at: .text("1e-400000"))
        guard case .refused(let refusal) = mergeResult.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .overflow)
    }

    @Test func `leaves to the log what is offered again, whatever is there`() {
        for centre in [Int64(5), 6, 20] {
            let mergeResult = merged(
                1, from: .integer(5), to: .integer(6), at: .integer(centre), isAgain: true)
            #expect(mergeResult.write == .none && mergeResult.outcome == .overruled)
            #expect(mergeResult.conflict?.base == [StoredValue(column: 1, value: .integer(5))])
            #expect(mergeResult.conflict?.mine == [StoredValue(column: 1, value: .integer(6))])
        }
    }

    @Test func `takes nothing for 0 in the before-image, and leaves a cleared number to the time`()
    {
        #expect(value(merged(1, from: .null, to: .integer(5), at: .integer(7))) == .integer(12))
        #expect(merged(1, from: .integer(3), to: .null, at: .integer(7)).outcome == .overruled)
        #expect(merged(1, from: .integer(3), to: .integer(4), at: .null).outcome == .overruled)
    }

    @Test func `is the same in any order`() {
        for seed in lawSeeds(500, nightly: 20_000) {
            var random = SeededGenerator(seed: seed)
            let start = Int64(random.below(100))
            let asked = (0..<5).map { _ in start + Int64(random.below(21)) - 10 }
            func total(_ order: [Int64]) -> Value {
                order.reduce(Value.integer(start)) { centre, new in
                    value(merged(1, from: .integer(start), to: .integer(new), at: centre)) ?? centre
                }
            }
            let sum = start + asked.reduce(0) { $0 + $1 - start }
            #expect(total(asked) == .integer(sum), "seed \(seed)")
            #expect(total(asked.reversed()) == .integer(sum), "seed \(seed)")
        }
    }
}

@Suite(.ownThreads) struct `The larger and the smaller` {
    @Test func `stands, and the other is logged`() {
        let won = merged(3, from: .integer(1), to: .integer(9), at: .integer(5))
        #expect(value(won) == .integer(9) && won.outcome == .applied)
        #expect(won.conflict?.theirs == [StoredValue(column: 3, value: .integer(5))])
        let lost = merged(3, from: .integer(1), to: .integer(3), at: .integer(5))
        #expect(lost.write == .none && lost.outcome == .overruled)
        #expect(lost.conflict?.mine == [StoredValue(column: 3, value: .integer(3))])
    }

    @Test func `compares decimals by their value and times as moments`() {
        #expect(ColumnType.decimal.isBefore(.text("9.8"), .text("10")) == true)
        #expect(ColumnType.decimal.isBefore(.text("-9.8"), .text("-10")) == false)
        #expect(ColumnType.decimal.isBefore(.text("0"), .text("-1")) == false)
        #expect(ColumnType.decimal.isBefore(.text("1e-90"), .text("1e-89")) == true)
        let mergeResult = merged(
            7, from: .null, to: .text("2024-05-01T10:00:00"), at: .text("2024-05-01 10:00:00.5"))
        #expect(value(mergeResult) == .text("2024-05-01T10:00:00"))
    }

    @Test func `takes what is there for larger than nothing`() {
        #expect(value(merged(3, from: .integer(1), to: .integer(2), at: .null)) == .integer(2))
        #expect(merged(3, from: .integer(1), to: .null, at: .integer(2)).outcome == .overruled)
    }
}

@Suite(.ownThreads) struct `A union of sets` {
    @Test(arguments: [
        ("[]", #"["a"]"#, #"["b"]"#, #"["b","a"]"#),
        (#"["a","b"]"#, #"["a"]"#, #"["a","b","c"]"#, #"["a","c"]"#),
        (#"["a"]"#, #"["a","b"]"#, "[]", #"["b"]"#),
        ("[1]", "[1.0,2]", "[1,3]", "[1,3,2]"),
        (#"[{"x":1,"y":2}]"#, #"[{"y":2,"x":1},3]"#, "[]", "[3]"),
    ])
    func `keeps what either added, without what either removed`(
        base: String, mine: String, theirs: String, result: String
    ) {
        let mergeResult = merged(4, from: .text(base), to: .text(mine), at: .text(theirs))
        #expect(value(mergeResult) == .text(result))
        #expect(mergeResult.outcome == .merged && mergeResult.conflict == nil)
    }

    @Test func `of what is no set goes by the time`() {
        let mergeResult = merged(4, from: .text("[]"), to: .text("{}"), at: .text("[1]"))
        #expect(mergeResult.outcome == .overruled && mergeResult.conflict != nil)
    }

    @Test func `changes nothing more the second time`() {
        for seed in lawSeeds(2000, nightly: 50_000) {
            var random = SeededGenerator(seed: seed)
            func set() -> Value {
                .text(
                    "[\((0..<random.below(5)).map { _ in "\(random.below(6))" }.joined(separator: ","))]"
                )
            }
            let (base, mine, theirs) = (set(), set(), set())
            let once = value(merged(4, from: base, to: mine, at: theirs)) ?? theirs
            #expect(merged(4, from: base, to: mine, at: once).write == .none, "seed \(seed)")
        }
    }
}

@Suite(.ownThreads) struct `Texts, line by line` {
    private func merge(_ base: String, _ mine: String, _ theirs: String) -> String {
        TextMerge.merge(base: base, mine: mine, theirs: theirs)
    }

    @Test func `join edits of different lines`() {
        #expect(merge("a\nb\nc\n", "a!\nb\nc\n", "a\nb\nc!\n") == "a!\nb\nc!\n")
        #expect(merge("a\nb\nc\n", "b\nc\n", "a\nb\nc\nd\n") == "b\nc\nd\n")
        #expect(merge("a\nb", "a\nb\nc", "x\na\nb") == "x\na\nb\nc")
    }

    @Test func `keep both versions of the same lines, the central one first`() {
        #expect(merge("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n") == "a\ntheirs\nmine\nc\n")
        #expect(merge("", "mine", "theirs") == "theirs\nmine")
        #expect(merge("a\nb\n", "a\n", "a\nb!\n") == "a\nb!\n")
    }

    @Test func `take what both wrote once`() {
        #expect(merge("a\n", "a\nb\n", "a\nb\n") == "a\nb\n")
    }

    @Test func `change nothing more the second time, whatever the lines`() {
        for seed in lawSeeds(5000, nightly: 200_000) {
            var random = SeededGenerator(seed: seed)
            func text() -> String {
                let end = random.once(in: 2) ? "\n" : ""
                return (0..<random.below(7)).map { _ in ["a", "b", "c", ""][random.below(4)] }
                    .joined(separator: "\n") + end
            }
            let (base, mine, theirs) = (text(), text(), text())
            let once = merge(base, mine, theirs)
            #expect(merge(base, mine, once) == once, "seed \(seed)")
        }
    }

    @Test func `of any length come to an end`() {
        let lines = (0..<5000).map { "line \($0)\n" }
        let mine = lines.map { $0 + "mine\n" }.joined()
        let theirs = lines.map { $0 + "theirs\n" }.joined()
        let once = merge(lines.joined(), mine, theirs)
        #expect(once.utf8.count <= mine.utf8.count + theirs.utf8.count)
        #expect(merge(lines.joined(), mine, once) == once)
    }

    @Test func `are logged with both versions`() {
        let mergeResult = merged(5, from: .text("a"), to: .text("b"), at: .text("c"))
        #expect(value(mergeResult) == .text("c\nb") && mergeResult.outcome == .merged)
        #expect(mergeResult.conflict?.mine == [StoredValue(column: 5, value: .text("b"))])
        #expect(mergeResult.conflict?.theirs == [StoredValue(column: 5, value: .text("c"))])
    }
}
