import MoorageCore
import MoorageTesting
import TestSupport
import Testing

private let places = TableDescription(
    name: "place",
    columns: [
        ColumnDescription(name: "id", type: .integer), ColumnDescription(name: "name", type: .text),
        ColumnDescription(name: "price", type: .decimal),
        ColumnDescription(name: "height", type: .integer),
        ColumnDescription(name: "total", type: .integer, isGenerated: true),
    ], primaryKey: [0])

private func row(_ name: Value, _ price: Value, _ height: Value, total: Value = .null) -> [Value] {
    [.integer(1), name, price, height, total]
}

private func edit(_ column: Int, _ old: Value, _ new: Value) -> ColumnEdit {
    ColumnEdit(column: column, old: old, new: new)
}

private func fill(_ column: Int, _ old: Value, _ new: Value) -> ColumnEdit {
    ColumnEdit(column: column, old: old, new: new, isFill: true)
}

/// The central row was changed after the device's edits.
private func merge(
    _ edits: [ColumnEdit], against values: [Value]?, _ rules: TableRules = .merge(),
    isAgain: Bool = false
) -> MergeResult {
    Merge(table: places, rules: rules).merge(
        Change(
            table: "place", key: RowKey([.integer(1)]), operation: .update(edits), editedAt: 100,
            isAgain: isAgain),
        against: CentralRow(values: values, changedAt: 500, isTombstone: false), editedAt: 100)
}

/// All rules by column, and those that fit whole rows by row.
private let everyRules: [TableRules] =
    MergeRule.named.map { TableRules(rule: $0) }
    + (MergeRule.deciding + [.keepBoth]).map { TableRules(rule: $0, granularity: .row) }

/// A row as the conflict log has it.
private func logged(_ row: [Value]) -> [StoredValue] {
    row.enumerated().map { StoredValue(column: $0.offset, value: $0.element) }
}

private let unasked = MergeRule.handler(
    MergeHandler("unasked") { _ in
        Issue.record("A rule was asked about a fill.")
        return .mine
    })

@Suite(.ownThreads) struct `Merging a fill` {
    private let nothing = MergeResult(write: .none, outcome: .applied)

    private func wrote(_ column: Int, _ value: Value) -> MergeResult.Write {
        .update([StoredValue(column: column, value: value)])
    }

    @Test(arguments: everyRules, [true, false])
    func `writes it where the central value is what the device saw`(
        rules: TableRules, isAgain: Bool
    ) {
        let merged = merge(
            [fill(3, .null, .integer(7))], against: row(.text("Hut"), .null, .null), rules,
            isAgain: isAgain)
        #expect(merged == MergeResult(write: wrote(3, .integer(7)), outcome: .applied))
    }

    @Test(arguments: everyRules, [true, false])
    func `drops it in silence where the central value is another`(
        rules: TableRules, isAgain: Bool
    ) {
        let central = row(.text("Hut"), .null, .integer(9))
        let fill = fill(3, .null, .integer(7))
        #expect(merge([fill], against: central, rules, isAgain: isAgain) == nothing)
    }

    @Test func `compares by type`() {
        let central = row(.text("Hut"), .text("9.80"), .null)
        #expect(
            merge([fill(2, .text("9.8"), .text("1"))], against: central).write
                == wrote(2, .text("1")))
        #expect(merge([fill(2, .real(9.8), .text("9.8"))], against: central) == nothing)
        #expect(merge([fill(2, .text("1"), .text("9.8"))], against: central) == nothing)
    }

    @Test func `asks no rule of the owner's`() {
        let central = row(.text("Hut"), .null, .integer(9))
        for rules in [
            TableRules(rule: unasked), TableRules(columns: ["height": unasked]),
            TableRules(rule: unasked, granularity: .row),
        ] {
            #expect(merge([fill(3, .integer(8), .integer(7))], against: central, rules) == nothing)
            #expect(
                merge([fill(3, .integer(9), .integer(7))], against: central, rules).write
                    == wrote(3, .integer(7)))
        }
    }

    @Test func `of a row that is gone is dropped, and edits beside it are judged alone`() {
        let height = fill(3, .null, .integer(7))
        #expect(merge([height], against: nil) == nothing)
        let merged = merge([edit(1, .text("Hut"), .text("Lodge")), height], against: nil)
        guard case .refused(let refusal) = merged.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .gone && merged.write == .none)
        #expect(merged.conflict?.mine == [StoredValue(column: 1, value: .text("Lodge"))])
    }

    @Test func `never writes a generated column`() {
        let central = row(.text("Hut"), .null, .null)
        #expect(merge([fill(4, .null, .integer(7))], against: central) == nothing)
    }

    @Test(arguments: [Value.integer(1), .integer(0)])
    func `never sets the deletion marker`(value: Value) {
        let central = row(.text("Hut"), .null, .null)
        let merged = merge(
            [fill(3, .null, value)], against: central, TableRules(softDelete: "height"))
        #expect(merged == nothing)
    }
}

@Suite(.ownThreads) struct `Merging edits beside a fill` {
    private let central = row(.text("Barn"), .null, .null)
    private let name = edit(1, .text("Hut"), .text("Lodge"))
    private let height = fill(3, .null, .integer(7))
    private let written = StoredValue(column: 3, value: .integer(7))

    @Test(arguments: TableRules.Granularity.allCases)
    func `is overruled when they all lose, though the fill goes in`(
        granularity: TableRules.Granularity
    ) {
        let merged = merge(
            [name, height], against: central, TableRules(rule: .server, granularity: granularity))
        #expect(merged.outcome == .overruled && merged.write == .update([written]))
        #expect(merged.conflict?.mine == [StoredValue(column: 1, value: .text("Lodge"))])
        #expect(merged.conflict?.base?.map(\.column) == [1])
        // The log has the row as it was, and as it remains.
        let isWhole = granularity == .row
        #expect(
            merged.conflict?.theirs
                == (isWhole ? logged(central) : [StoredValue(column: 1, value: .text("Barn"))]))
        #expect(
            merged.conflict?.result
                == (isWhole
                    ? logged(row(.text("Barn"), .null, .integer(7)))
                    : [StoredValue(column: 1, value: .text("Barn"))]))
    }

    @Test(arguments: TableRules.Granularity.allCases)
    func `writes both when they win`(granularity: TableRules.Granularity) {
        let merged = merge(
            [name, height], against: central, TableRules(rule: .client, granularity: granularity))
        #expect(merged.outcome == .applied)
        #expect(merged.write.applied(to: central) == row(.text("Lodge"), .null, .integer(7)))
        #expect(merged.conflict?.mine?.map(\.column) == [1])
        if granularity == .row {
            #expect(merged.conflict?.theirs == logged(central))
            #expect(
                merged.conflict?.result == logged(row(.text("Lodge"), .null, .integer(7))))
        }
    }

    @Test func `is no conflict of a whole row for a fill that is lost`() {
        let central = row(.text("Hut"), .null, .integer(9))
        let merged = merge(
            [name, edit(2, .null, .null), height], against: central,
            TableRules(rule: .server, granularity: .row))
        #expect(merged.outcome == .applied && merged.conflict == nil)
        #expect(merged.write.applied(to: central) == row(.text("Lodge"), .null, .integer(9)))
    }

    @Test func `keeps the filled row beside the central one`() {
        let merged = merge([name, height], against: central, TableRules(rule: .keepBoth))
        #expect(merged.write == .keepBoth(row(.text("Lodge"), .null, .integer(7))))
        #expect(merged.conflict?.theirs == logged(central))
        #expect(merged.conflict?.result == logged(central))
        let lost = merge(
            [name, height], against: row(.text("Barn"), .null, .integer(9)),
            TableRules(rule: .keepBoth))
        #expect(lost.write == .keepBoth(row(.text("Lodge"), .null, .integer(9))))
    }

    @Test func `takes no time from a time column that is a fill`() {
        // By the hub's time the edit is the older one.
        let merged = merge(
            [name, fill(3, .integer(1), .integer(7))],
            against: row(.text("Barn"), .null, .integer(1)), TableRules(time: "height"))
        #expect(merged.outcome == .overruled && merged.write == .update([written]))
    }

    @Test func `fills nothing when a rule rejects them`() {
        let no = MergeRule.handler(MergeHandler("no") { _ in .reject("No.") })
        let merged = merge([name, height], against: central, TableRules(rule: no))
        guard case .refused = merged.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(merged.write == .none)
        #expect(merged.conflict?.theirs == logged(central))
        #expect(merged.conflict?.result == logged(central))
    }

    @Test func `fills nothing when their sum overflows`() {
        let central = row(.text("Hut"), .null, .integer(1))
        let merged = merge(
            [edit(3, .integer(0), .integer(.max)), fill(2, .null, .text("5"))], against: central,
            TableRules(columns: ["height": .add]))
        guard case .refused(let refusal) = merged.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .overflow && merged.write == .none)
        #expect(merged.conflict?.theirs == logged(central))
        #expect(merged.conflict?.result == logged(central))
    }

    @Test func `leaves a value that a handler sets in the filled column`() {
        let handler = MergeHandler("both") { _ in .values(["height": .integer(8)]) }
        let merged = merge([name, height], against: central, TableRules(rule: .handler(handler)))
        #expect(merged.write == .update([StoredValue(column: 3, value: .integer(8))]))
        #expect(merged.conflict?.theirs == logged(central))
        #expect(merged.conflict?.result == logged(row(.text("Barn"), .null, .integer(8))))
    }
}

@Suite(.ownThreads) struct `Fills, whatever the rows` {
    private static func value(_ column: Int, using random: inout SeededGenerator) -> Value {
        if random.once(in: 3) { return .null }
        return switch column {
        case 1: .text("n\(random.below(3))")
        case 2: .text(["1", "1.0", "2"][random.below(3)])
        default: .integer(Int64(random.below(3)))
        }
    }

    private static func row(using random: inout SeededGenerator) -> [Value] {
        (0...4).map { $0 == 0 ? .integer(1) : value($0, using: &random) }
    }

    /// The rule of a column never lets a fill replace what somebody wrote, and none is lost.
    @Test func `go in exactly where the central value is what the device saw`() {
        for seed in lawSeeds(5000, nightly: 200_000) {
            var random = SeededGenerator(seed: seed)
            let (old, new) = (Self.row(using: &random), Self.row(using: &random))
            let central = Self.row(using: &random)
            let edits = (1...3).map {
                ColumnEdit(column: $0, old: old[$0], new: new[$0], isFill: random.once(in: 2))
            }
            let merged = merge(
                edits, against: central,
                TableRules(
                    rule: random.one(of: MergeRule.deciding),
                    granularity: random.one(of: TableRules.Granularity.allCases)),
                isAgain: random.once(in: 3))
            let result = merged.write.applied(to: central)
            for fill in edits where fill.isFill {
                let type = places.columns[fill.column].type
                let goesIn = type.equal(central[fill.column], fill.old)
                #expect(
                    result.map {
                        type.equal($0[fill.column], goesIn ? fill.new : central[fill.column])
                    } == true, "seed \(seed)")
                #expect(
                    merged.conflict?.mine?.contains { $0.column == fill.column } != true,
                    "seed \(seed)")
            }
            let again = merge(
                edits.filter(\.isFill), against: result,
                TableRules(rule: random.one(of: MergeRule.deciding)))
            let isRepeated = edits.allSatisfy { edit in
                !edit.isFill
                    || !places.columns[edit.column].type.equal(
                        result?[edit.column] ?? .null, edit.old)
            }
            if isRepeated { #expect(again.write == .none, "seed \(seed)") }
        }
    }
}
