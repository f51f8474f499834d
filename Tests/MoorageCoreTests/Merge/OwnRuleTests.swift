import MoorageCore
import TestSupport
import Testing

private let notes = TableDescription(
    name: "note",
    columns: [
        ColumnDescription(name: "id", type: .text), ColumnDescription(name: "title", type: .text),
        ColumnDescription(name: "body", type: .text),
        ColumnDescription(name: "size", type: .integer),
    ], primaryKey: [0])

private let central: [Value] = [.text("n"), .text("T"), .text("B"), .integer(1)]

private func merge(_ operation: Change.Operation, _ rules: TableRules) -> MergeResult {
    Merge(table: notes, rules: rules).merge(
        Change(table: "note", key: RowKey([.text("n")]), operation: operation, editedAt: 100),
        against: CentralRow(values: central, changedAt: 200, isTombstone: false), editedAt: 100)
}

private func edits(_ values: [Int: (Value, Value)]) -> Change.Operation {
    .update(
        values.sorted { $0.key < $1.key }.map {
            ColumnEdit(column: $0.key, old: $0.value.0, new: $0.value.1)
        })
}

private let both = edits([1: (.text("o"), .text("m")), 3: (.integer(1), .integer(7))])

@Suite(.ownThreads) struct `A handler of the owner's` {
    private func rule(_ decide: @escaping @Sendable (MergeQuestion) throws -> MergeAnswer)
        -> MergeRule
    {
        .handler(MergeHandler("mine", decide: decide))
    }

    @Test func `sees base, mine and theirs, who and when`() {
        let mergeResult = merge(
            both,
            TableRules(
                rule: rule { question in
                    #expect(question.kind == .updateUpdate && question.columns == ["title"])
                    #expect(question.base?["title"] == .text("o"))
                    #expect(question.mine?["title"] == .text("m"))
                    #expect(question.mine?["body"] == nil)
                    #expect(question.theirs["body"] == .text("B"))
                    #expect(question.origin.editedAt == 100 && question.theirsChangedAt == 200)
                    return .theirs
                }))
        // The other column was changed by nobody else.
        #expect(mergeResult.write == .update([StoredValue(column: 3, value: .integer(7))]))
        #expect(
            mergeResult.outcome == .merged && mergeResult.conflict?.rule?.name == "handler mine")
    }

    @Test func `picks one side`() {
        let mergeResult = merge(both, TableRules(rule: rule { _ in .mine }))
        #expect(
            mergeResult.write
                == .update([
                    .init(column: 3, value: .integer(7)), .init(column: 1, value: .text("m")),
                ]))
        #expect(mergeResult.outcome == .applied)
    }

    @Test func `combines, and may change other columns`() {
        let mergeResult = merge(
            both,
            TableRules(rule: rule { _ in .values(["title": .text("T+m"), "body": .text("x")]) }))
        #expect(
            mergeResult.write
                == .update([
                    .init(column: 3, value: .integer(7)), .init(column: 1, value: .text("T+m")),
                    .init(column: 2, value: .text("x")),
                ]))
        #expect(mergeResult.outcome == .merged)
        #expect(mergeResult.conflict?.mine?.first == .init(column: 1, value: .text("m")))
    }

    @Test func `rejects, and the change is refused with its reason and kept`() {
        let mergeResult = merge(both, TableRules(rule: rule { _ in .reject("Closed.") }))
        #expect(mergeResult.write == .none)
        #expect(mergeResult.outcome == .refused(Refusal(code: .rule, message: "Closed.")))
        #expect(mergeResult.conflict?.kind == .refused && mergeResult.conflict?.mine?.count == 2)
    }

    @Test func `that throws refuses the change`() {
        struct Failure: Error {}
        let mergeResult = merge(both, TableRules(rule: rule { _ in throw Failure() }))
        guard case .refused(let refusal) = mergeResult.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .rule)
    }

    @Test(arguments: [
        ["id": Value.text("x")] as NamedValues, ["none": .text("x")], ["size": .text("much")],
    ])
    func `that answers what cannot be is refused`(values: NamedValues) {
        let mergeResult = merge(both, TableRules(rule: rule { _ in .values(values) }))
        guard case .refused(let refusal) = mergeResult.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .rule && refusal.message.contains("note."))
    }

    @Test func `of one column is asked about that column alone`() {
        let mergeResult = merge(
            both,
            TableRules(
                rule: .server,
                columns: [
                    "title": rule { question in
                        #expect(question.columns == ["title"])
                        return .values(["title": .text("both")])
                    }
                ]))
        #expect(
            mergeResult.write
                == .update([
                    .init(column: 1, value: .text("both")), .init(column: 3, value: .integer(7)),
                ]))
    }

    @Test func `decides inserts and deletes of a table`() {
        let insert = merge(
            .insert([.text("n"), .text("m"), .null, .null]),
            TableRules(
                rule: rule { question in
                    #expect(question.kind == .insertInsert && question.base == nil)
                    return .mine
                }))
        #expect(insert.outcome == .applied && insert.conflict?.kind == .insertInsert)
        let delete = merge(
            .delete(before: [.text("n"), .text("o"), .text("B"), .integer(1)]),
            TableRules(
                rule: rule { question in
                    #expect(question.kind == .deleteUpdate && question.mine == nil)
                    return .mine
                }))
        #expect(delete.write == .delete && delete.conflict?.result == nil)
    }
}

@Suite(.ownThreads) struct `Row by row` {
    private let rules = TableRules(rule: .server, granularity: .row)

    /// `size` was edited; `title` tells what the device started from.
    private func edit(title: String) -> Change.Operation {
        edits([1: (.text(title), .text(title)), 3: (.integer(1), .integer(7))])
    }

    @Test func `an edit of a row that nobody changed goes in`() {
        let mergeResult = merge(edit(title: "T"), rules)
        #expect(mergeResult.write == .update([.init(column: 3, value: .integer(7))]))
        #expect(mergeResult.outcome == .applied && mergeResult.conflict == nil)
    }

    @Test func `another column's change is a conflict of the whole row`() {
        let mergeResult = merge(edit(title: "before"), rules)
        #expect(mergeResult.write == .none && mergeResult.outcome == .overruled)
        #expect(mergeResult.conflict?.theirs?.count == 4)
    }

    @Test func `the winner's row stands whole`() {
        let mergeResult = merge(
            edit(title: "before"), TableRules(rule: .client, granularity: .row))
        #expect(
            mergeResult.write
                == .update([
                    .init(column: 1, value: .text("before")), .init(column: 3, value: .integer(7)),
                ]))
    }

    @Test func `column by column the same edits join`() {
        #expect(
            merge(edit(title: "before"), .merge(else: .server)).write
                == .update([.init(column: 3, value: .integer(7))]))
    }
}

@Suite(.ownThreads) struct `Priority and a table's own time` {
    private func merge(mine: Int, theirs: Int, editedAt: HubTime) -> Outcome.Kind {
        Merge(table: notes, rules: .merge()).merge(
            Change(table: "note", key: RowKey([.text("n")]), operation: both, editedAt: 1),
            against: CentralRow(
                values: central, changedAt: 200, isTombstone: false, priority: theirs),
            from: ChangeOrigin(priority: mine, editedAt: editedAt)
        ) { _, _ in .theirs }.outcome
    }

    @Test func `a higher priority wins over a later edit, and time between equals`() {
        #expect(merge(mine: 1, theirs: 0, editedAt: 100) == .applied)
        #expect(merge(mine: 0, theirs: 1, editedAt: 300) == .merged)
        #expect(merge(mine: 1, theirs: 1, editedAt: 300) == .applied)
        #expect(merge(mine: 1, theirs: 1, editedAt: 100) == .merged)
    }

    @Test(arguments: [(0, true), (1, false), (2, false)])
    func `newest goes by the table's own column when told so`(theirs: Int64, wins: Bool) {
        let operation = edits([1: (.text("o"), .text("m")), 3: (.integer(-1), .integer(1))])
        let mergeResult = Merge(table: notes, rules: TableRules(time: "size")).merge(
            Change(table: "note", key: RowKey([.text("n")]), operation: operation, editedAt: 100),
            against: CentralRow(
                values: [.text("n"), .text("T"), .null, .integer(theirs)], changedAt: 50,
                isTombstone: false), editedAt: 100)
        #expect(mergeResult.outcome == (wins ? .applied : theirs == 1 ? .merged : .overruled))
    }
}

@Suite(.ownThreads) struct `An SQL rule` {
    @Test func `takes base, mine and theirs for values, outside of quotes alone`() {
        let rule = RuleExpression(
            "max(mine, Theirs) + length('mine') + \"base\" + x.mine + mine(1)")
        #expect(rule.problem == nil)
        #expect(
            rule.pieces == [
                .sql("max("), .word(.mine), .sql(", "), .word(.theirs),
                .sql(") + length('mine') + \"base\" + x.mine + mine(1)"),
            ])
    }

    @Test(arguments: [
        "", "1 + 1", "mine; DROP TABLE note", "mine ? 1", "mine + $1", "(mine", "mine)", "'mine",
        "mine -- theirs", "mine /* x */", "mine\u{0}",
    ])
    func `that is no expression of them is a mistake`(text: String) {
        #expect(RuleExpression(text).problem != nil)
    }
}

@Suite(.ownThreads) struct `Rules that do not fit` {
    private let orders = TableDescription(
        name: "orders",
        columns: [
            ColumnDescription(name: "id", type: .date),
            ColumnDescription(name: "note", type: .text),
            ColumnDescription(name: "total", type: .decimal),
            ColumnDescription(name: "sum", type: .decimal, isGenerated: true),
        ], primaryKey: [0])

    @Test(arguments: [
        (TableRules(columns: ["note": .add]), "orders.note"),
        (TableRules(columns: ["total": .text]), "orders.total"),
        (TableRules(columns: ["total": .union]), "orders.total"),
        (TableRules(columns: ["note": .max]), "orders.note"),
        (TableRules(columns: ["none": .server]), "orders.none"),
        (TableRules(columns: ["id": .server]), "orders.id"),
        (TableRules(columns: ["sum": .add]), "orders.sum"),
        (TableRules(columns: ["note": .keepBoth]), "orders.note"),
        (TableRules(columns: ["note": .expression(RuleExpression("1"))]), "orders.note"),
        (TableRules(columns: ["note": .handler(MergeHandler("") { _ in .mine })]), "orders.note"),
        (TableRules(rule: .handler(MergeHandler(" ") { _ in .mine })), "orders"),
        (
            TableRules(rule: .handler(MergeHandler("a", timeLimit: .zero) { _ in .mine })), "orders"
        ),
        (TableRules(rule: .add), "orders.note"), (TableRules(rule: .keepBoth), "orders.id"),
        (TableRules(rule: .add, granularity: .row), "orders"),
        (TableRules(columns: ["note": .server], granularity: .row), "orders.note"),
        (TableRules(inserts: .add), "orders"), (TableRules(keyBlock: 10), "orders"),
        (TableRules(deletes: .add), "orders"), (TableRules(softDelete: "gone"), "gone"),
        (TableRules(softDelete: "note"), "orders.note"), (TableRules(time: "at"), "at"),
        (TableRules(time: "note"), "orders.note"),
    ])
    func `are named with their table and column`(rules: TableRules, name: String) throws {
        let problem = try #require(rules.problem(in: orders))
        #expect(problem.contains(name) && problem.hasSuffix("."))
    }

    @Test func `are told from those that do`() {
        #expect(
            TableRules(
                rule: .server, columns: ["total": .add, "note": .text], deletes: .client,
                updateOfDeleted: .resurrect, softDelete: nil, time: "total"
            ).problem(in: orders) == nil)
        #expect(TableRules(rule: .add, columns: ["note": .server]).problem(in: orders) == nil)
    }
}

@Suite(.ownThreads) struct `A mark for deleted rows` {
    private func marker(_ type: ColumnType, isNullable: Bool = true) throws -> SoftDelete {
        let table = TableDescription(
            name: "t",
            columns: [
                ColumnDescription(name: "id", type: .integer),
                ColumnDescription(name: "gone", type: type, isNullable: isNullable),
            ], primaryKey: [0])
        return try #require(SoftDelete(TableRules(softDelete: "gone"), in: table))
    }

    @Test func `is the time of the delete, or the truth`() throws {
        let time: HubTime = 1_525_000_862_000
        let expected: [(ColumnType, Value)] = [
            (.boolean, .integer(1)), (.integer, .integer(1)), (.date, .text("2018-04-29")),
            (.timestamp(fractionDigits: 6), .text("2018-04-29 11:21:02")),
        ]
        for (type, value) in expected {
            let marker = try marker(type)
            #expect(marker.deletedValue(at: time) == StoredValue(column: 1, value: value))
            #expect(marker.isSoftDeleted([.integer(1), value]))
            #expect(!marker.isSoftDeleted([.integer(1), marker.clear.value]))
        }
        #expect(try marker(.integer, isNullable: false).clear.value == .integer(0))
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01 00:00:00"), (-1, "1969-12-31 23:59:59.999"),
        (951_782_400_000, "2000-02-29 00:00:00"), (Int64.min, "0001-01-01 00:00:00"),
        (Int64.max, "9999-12-31 23:59:59.999"),
    ])
    func `tells any time of the calendar`(time: Int64, text: String) throws {
        #expect(
            try marker(.timestamp(fractionDigits: 6)).deletedValue(at: HubTime(milliseconds: time))
                .value
                == .text(text))
    }
}
