import MoorageCore
import MoorageTesting
import TestSupport
import Testing

private let products = TableDescription(
    name: "products",
    columns: [
        ColumnDescription(name: "id", type: .integer), ColumnDescription(name: "name", type: .text),
        ColumnDescription(name: "price", type: .decimal),
        ColumnDescription(name: "stock", type: .integer),
        ColumnDescription(name: "total", type: .integer, isGenerated: true),
    ], primaryKey: [0])

private func row(_ name: String, _ price: String, _ stock: Int64, total: Int64 = 0) -> [Value] {
    [.integer(1), .text(name), .text(price), .integer(stock), .integer(total)]
}

private func change(_ operation: Change.Operation, isAgain: Bool = false) -> Change {
    Change(
        table: "products", key: RowKey([.integer(1)]), operation: operation, editedAt: 100,
        isAgain: isAgain)
}

private func merge(
    _ operation: Change.Operation, against values: [Value]?, changedAt: HubTime? = 50,
    rules: TableRules = .merge(), isTombstone: Bool = false, isAgain: Bool = false
) -> MergeResult {
    Merge(table: products, rules: rules).merge(
        change(operation, isAgain: isAgain),
        against: CentralRow(values: values, changedAt: changedAt, isTombstone: isTombstone),
        editedAt: 100)
}

private func edit(_ column: Int, _ old: Value, _ new: Value) -> Change.Operation {
    .update([ColumnEdit(column: column, old: old, new: new)])
}

@Suite(.ownThreads) struct `Merging an update` {
    private let central = row("Milk", "9.80", 5)

    @Test func `writes an edit of a column nobody else changed`() {
        let mergeResult = merge(edit(1, .text("Milk"), .text("Oat")), against: central)
        #expect(mergeResult.write == .update([StoredValue(column: 1, value: .text("Oat"))]))
        #expect(mergeResult.outcome == .applied && mergeResult.conflict == nil)
    }

    @Test func `joins different columns`() {
        let theirs = row("Milk", "12", 5)
        let mergeResult = merge(
            edit(1, .text("Milk"), .text("Oat")), against: theirs, changedAt: 500,
            rules: .merge(else: .server))
        #expect(mergeResult.write.applied(to: theirs) == row("Oat", "12", 5))
        #expect(mergeResult.conflict == nil)
    }

    @Test func `compares by type: 9.8 is 9.80`() {
        let mergeResult = merge(edit(2, .real(9.8), .text("10")), against: central, changedAt: 500)
        #expect(mergeResult.write == .update([StoredValue(column: 2, value: .text("10"))]))
        #expect(mergeResult.conflict == nil)
        let done = merge(edit(2, .text("1"), .text("9.8")), against: central, changedAt: 500)
        #expect(done.write == .none && done.outcome == .applied && done.conflict == nil)
    }

    @Test(arguments: [
        (MergeRule.newest, Int64(50), true), (.newest, 100, false), (.newest, 150, false),
        (.server, 50, false), (.client, 150, true),
    ])
    func `goes by the rule where both changed a column`(
        rule: MergeRule, changedAt: Int64, wins: Bool
    ) {
        let mergeResult = merge(
            edit(1, .text("Mlik"), .text("Oat")), against: central,
            changedAt: HubTime(milliseconds: changedAt),
            rules: TableRules(rule: .server, columns: ["name": rule]))
        #expect(mergeResult.outcome == (wins ? .applied : .overruled))
        #expect(
            mergeResult.write == (wins ? .update([.init(column: 1, value: .text("Oat"))]) : .none))
        let conflict = mergeResult.conflict
        #expect(conflict?.kind == .updateUpdate && conflict?.rule == rule)
        #expect(conflict?.base == [.init(column: 1, value: .text("Mlik"))])
        #expect(conflict?.mine == [.init(column: 1, value: .text("Oat"))])
        #expect(conflict?.theirs == [.init(column: 1, value: .text("Milk"))])
        #expect(conflict?.result == [.init(column: 1, value: .text(wins ? "Oat" : "Milk"))])
    }

    @Test func `is merged when some columns went in and others lost`() {
        let operation = Change.Operation.update([
            ColumnEdit(column: 1, old: .text("Mlik"), new: .text("Oat")),
            ColumnEdit(column: 3, old: .integer(5), new: .integer(4)),
        ])
        let mergeResult = merge(operation, against: central, rules: TableRules(rule: .server))
        #expect(mergeResult.outcome == .merged)
        #expect(mergeResult.write == .update([StoredValue(column: 3, value: .integer(4))]))
        #expect(mergeResult.conflict?.mine?.map(\.column) == [1])
    }

    @Test func `of a row that is gone is refused and kept`() {
        let mergeResult = merge(
            edit(1, .text("Milk"), .text("Oat")), against: nil, isTombstone: true)
        guard case .refused(let refusal) = mergeResult.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .gone && mergeResult.write == .none)
        #expect(mergeResult.conflict?.mine == [.init(column: 1, value: .text("Oat"))])
        #expect(!refusal.message.contains("Oat"))
    }

    @Test func `that asks for nothing is answered even when the row is gone`() {
        #expect(merge(.update([]), against: nil).outcome == .applied)
        #expect(merge(.update([]), against: central).write == .none)
    }

    @Test func `never writes a generated column`() {
        let mergeResult = merge(edit(4, .integer(0), .integer(9)), against: central)
        #expect(mergeResult.write == .none && mergeResult.outcome == .applied)
    }

    @Test func `wins over a row that was never tracked`() {
        #expect(
            merge(edit(1, .text("x"), .text("y")), against: central, changedAt: nil).outcome
                == .applied)
    }
}

@Suite(.ownThreads) struct `Merging an insert` {
    @Test func `writes it where there is no row`() {
        let mine = row("Oat", "1", 1)
        #expect(merge(.insert(mine), against: nil).write == .insert(mine))
        #expect(merge(.insert(mine), against: nil, isTombstone: true).write == .insert(mine))
    }

    @Test func `is done when the row is equal by meaning`() {
        let mergeResult = merge(
            .insert(row("Oat", "1.0", 1, total: 7)), against: row("Oat", "1", 1))
        #expect(mergeResult.write == .none && mergeResult.conflict == nil)
    }

    @Test func `offered again is refused where a row went since`() {
        let mergeResult = merge(
            .insert(row("Oat", "1", 1)), against: nil, isTombstone: true, isAgain: true)
        guard case .refused(let refusal) = mergeResult.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .gone && mergeResult.write == .none)
        #expect(mergeResult.conflict?.mine?.count == 5)
    }

    @Test(arguments: [MergeRule.newest, .server, .client])
    func `is never joined by column with another insert`(rule: MergeRule) {
        let mine = row("Oat", "1", 1)
        let theirs = row("Rice", "1", 2)
        let mergeResult = merge(.insert(mine), against: theirs, rules: TableRules(rule: rule))
        let result = mergeResult.write.applied(to: theirs)
        #expect(result == (rule == .server ? theirs : mine))
        #expect(mergeResult.conflict?.kind == .insertInsert)
        #expect(mergeResult.conflict?.mine?.count == 5 && mergeResult.conflict?.theirs?.count == 5)
    }

    @Test func `does not write a key that only a collation holds equal`() {
        let mine: [Value] = [.integer(2), .text("Oat"), .text("1"), .integer(1), .integer(0)]
        let mergeResult = merge(
            .insert(mine), against: row("Oat", "1", 1), rules: TableRules(rule: .client))
        #expect(mergeResult.write == .none)
    }
}

@Suite(.ownThreads) struct `Merging a delete` {
    private let before = row("Milk", "9.80", 5)

    @Test func `deletes a row that nobody changed`() {
        #expect(merge(.delete(before: before), against: row("Milk", "9.8", 5)).write == .delete)
        #expect(merge(.delete(before: before), against: nil).outcome == .applied)
    }

    @Test(arguments: [
        (MergeRule.newest, Int64(50), true), (.newest, 150, false), (.server, 50, false),
        (.client, 150, true),
    ])
    func `goes by the table's rule where the row was changed`(
        rule: MergeRule, changedAt: Int64, wins: Bool
    ) {
        let mergeResult = merge(
            .delete(before: before), against: row("Oat", "9.80", 5),
            changedAt: HubTime(milliseconds: changedAt),
            rules: TableRules(rule: rule, columns: ["name": .client]))
        #expect(mergeResult.write == (wins ? .delete : .none))
        #expect(mergeResult.outcome == (wins ? .applied : .overruled))
        #expect(mergeResult.conflict?.kind == .deleteUpdate)
        #expect(mergeResult.conflict?.result == nil || !wins)
    }

    @Test func `by way of a refetch asks for nothing`() {
        #expect(merge(.refetch, against: before).write == .none)
        #expect(merge(.refetch, against: nil).outcome == .applied)
    }
}

@Suite(.ownThreads) struct `Merging, whatever the rows` {
    private static func randomRow(using random: inout SeededGenerator) -> [Value] {
        row(
            "n\(random.below(3))", ["1", "1.0", "2", "2.50"][random.below(4)],
            Int64(random.below(3)))
    }

    private static func randomOperation(using random: inout SeededGenerator) -> Change.Operation {
        switch random.below(5) {
        case 0: return .insert(randomRow(using: &random))
        case 1: return .delete(before: randomRow(using: &random))
        case 2: return .refetch
        default:
            let old = randomRow(using: &random)
            let new = randomRow(using: &random)
            return .update(
                (1...3).filter { _ in random.once(in: 2) }.map {
                    ColumnEdit(column: $0, old: old[$0], new: new[$0])
                })
        }
    }

    @Test func `a push that is repeated changes nothing`() {
        for seed in lawSeeds(10_000, nightly: 500_000) {
            var random = SeededGenerator(seed: seed)
            let merge = Merge(
                table: products,
                rules: TableRules(
                    rule: random.one(of: MergeRule.deciding),
                    columns: ["name": random.one(of: MergeRule.deciding)]))
            let central = CentralRow(
                values: random.once(in: 4) ? nil : Self.randomRow(using: &random),
                changedAt: random.once(in: 5)
                    ? nil : HubTime(milliseconds: Int64(random.below(200))),
                isTombstone: random.once(in: 2))
            let change = change(Self.randomOperation(using: &random), isAgain: random.once(in: 3))
            let editedAt = HubTime(milliseconds: Int64(random.below(200)))
            let first = merge.merge(change, against: central, editedAt: editedAt)
            let once = first.write.applied(to: central.values)
            let second = merge.merge(
                change,
                against: CentralRow(
                    values: once, changedAt: max(central.changedAt ?? editedAt, editedAt),
                    isTombstone: once == nil && (central.isTombstone || central.values != nil)),
                editedAt: editedAt)
            // Batch numbers exist for one case: a repetition that inserts a deleted row again.
            // Nothing else may change.
            if case .insert = change.operation, once == nil { continue }
            #expect(second.write.applied(to: once) == once, "seed \(seed)")
        }
    }

    @Test func `edits of different columns join in either order`() {
        for seed in lawSeeds(2000, nightly: 100_000) {
            var random = SeededGenerator(seed: seed)
            let base = Self.randomRow(using: &random)
            let a = Self.randomRow(using: &random)
            let b = Self.randomRow(using: &random)
            let merge = Merge(
                table: products, rules: TableRules(rule: random.one(of: MergeRule.deciding)))
            let first = change(edit(1, base[1], a[1]))
            let second = change(edit(3, base[3], b[3]))
            func both(_ changes: [Change]) -> [Value]? {
                var values: [Value]? = base
                for change in changes {
                    let mergeResult = merge.merge(
                        change,
                        against: CentralRow(values: values, changedAt: 1_000, isTombstone: false),
                        editedAt: HubTime(milliseconds: Int64(random.below(2000))))
                    #expect(mergeResult.conflict == nil)
                    values = mergeResult.write.applied(to: values)
                }
                return values
            }
            #expect(both([first, second]) == both([second, first]))
        }
    }

    @Test func `what loses is always in the conflict, with its values`() {
        for seed in lawSeeds(5000, nightly: 200_000) {
            var random = SeededGenerator(seed: seed)
            let central = random.once(in: 4) ? nil : Self.randomRow(using: &random)
            let operation = Self.randomOperation(using: &random)
            let mergeResult = merge(
                operation, against: central,
                changedAt: HubTime(milliseconds: Int64(random.below(200))),
                rules: TableRules(rule: random.one(of: MergeRule.deciding)),
                isTombstone: random.once(in: 2))
            let result = mergeResult.write.applied(to: central)
            switch operation {
            case .insert(let mine):
                if result.map({ products.equal(Array($0.dropLast()) + [mine[4]], mine) }) != true {
                    #expect(mergeResult.conflict?.mine?.map(\.value) == mine, "seed \(seed)")
                }
            case .update(let edits):
                for edit in edits
                where result.map({
                    products.columns[edit.column].type.equal($0[edit.column], edit.new)
                }) != true {
                    #expect(
                        mergeResult.conflict?.mine?.contains(
                            .init(column: edit.column, value: edit.new)) == true,
                        "seed \(seed)")
                }
            case .delete: if result != nil { #expect(mergeResult.conflict != nil, "seed \(seed)") }
            case .refetch: #expect(result == central)
            }
            // A delete without a conflict removes only a row that equals its before-image.
            if let central, result == nil, mergeResult.conflict == nil,
                case .delete(let before) = operation
            {
                #expect(products.equal(before, central))
            }
        }
    }
}
