import Foundation
import Moorage
import MoorageCore
import TestSupport
import Testing

@testable import MoorageUI

@MainActor @Suite(.ownThreads) struct `Lists for a screen` {
    private static let mine = "UPDATE note SET title = 'mine', stars = 5 WHERE id = 1"
    private static let theirs = "UPDATE note SET title = 'theirs', stars = 9 WHERE id = 1"

    private func conflict(
        _ mine: String = mine, _ theirs: String = theirs
    ) async throws -> (NotesBench, ConflictsModel, OverruledChange) {
        let bench = try await NotesBench()
        let model = ConflictsModel(bench.replica)
        try await eventually("the list was read") { @MainActor in model.list.isLoaded }
        #expect(model.list.entries == [])
        try await bench.conflict(mine, theirs)
        try await eventually("the conflict is listed") { @MainActor in
            model.list.entries.count == 1
        }
        return (bench, model, try #require(model.list.entries.first))
    }

    @Test func `a conflict has the values of both sides`() async throws {
        let (_, _, conflict) = try await conflict()
        #expect(
            conflict.fields == [
                ConflictField(
                    column: "stars", base: .integer(1), mine: .integer(5), theirs: .integer(9),
                    result: .integer(9)),
                ConflictField(
                    column: "title", base: .text("old"), mine: .text("mine"),
                    theirs: .text("theirs"), result: .text("theirs")),
            ])
    }

    @Test func `keeping mine writes it again`() async throws {
        let (bench, model, conflict) = try await conflict()
        await model.keepMine(conflict)
        #expect(model.list.entries == [])
        let row = try #require(try await bench.row(1))
        #expect(row["title"] == .text("mine"))
        #expect(row["stars"] == .integer(5))
    }

    @Test func `keeping theirs changes nothing that is there already`() async throws {
        let (bench, model, conflict) = try await conflict()
        await model.keepTheirs(conflict)
        #expect(model.list.entries == [])
        #expect(bench.replica.status.pendingCount == 0)
        #expect(try await bench.row(1)?["title"] == .text("theirs"))
    }

    /// The listed conflict with other values.
    private static func like(
        _ listed: OverruledChange, mine: [String: Value]?, theirs: [String: Value]?,
        result: [String: Value]?, rule: String? = nil
    ) -> OverruledChange {
        OverruledChange(
            id: listed.id, table: listed.table, key: listed.key, kind: listed.kind, mine: mine,
            theirs: theirs, result: result, rule: rule, at: listed.at)
    }

    @Test(arguments: [["title": Value.text("other")], nil])
    func `keeping theirs writes what the merge left out`(theirs: [String: Value]?) async throws {
        let (bench, model, listed) = try await conflict()
        await model.keepTheirs(
            Self.like(listed, mine: listed.mine, theirs: theirs, result: listed.result))
        #expect(model.list.failure == nil && model.list.entries == [])
        #expect(try await bench.row(1)?["title"] == theirs?["title"])
    }

    @Test func `of whole rows, only columns that differ are shown`() async throws {
        let (_, _, listed) = try await conflict()
        let row: [String: Value] = ["id": .integer(1), "title": .text("a"), "stars": .null]
        let other = row.merging(["title": .text("b")]) { $1 }
        let whole = Self.like(listed, mine: row, theirs: other, result: other)
        #expect(whole.fields.map(\.column) == ["title"])
        let deletion = Self.like(listed, mine: nil, theirs: other, result: nil)
        #expect(deletion.fields.map(\.column) == ["id", "stars", "title"])
        let lost = OverruledChange(
            id: 1, table: "note", key: listed.key, kind: .delete, base: row, theirs: other,
            result: other, at: listed.at)
        #expect(lost.fields.map(\.column) == ["title"])
        #expect(listed.key.displayText == "1")
    }

    @Test func `after both rows were kept, neither side is written`() async throws {
        let (bench, model, listed) = try await conflict()
        let both = Self.like(
            listed, mine: listed.mine, theirs: listed.theirs, result: listed.theirs,
            rule: "keepBoth")
        await model.keepMine(both)
        let edit = ConflictEdit(both)
        edit.fields[1].text = "mixed"
        #expect(await !model.save(edit))
        #expect(model.list.entries.count == 1 && bench.replica.status.pendingCount == 0)
        await model.keepResult(both)
        #expect(model.list.entries == [])
    }

    @Test func `an edited value goes in, the others stay`() async throws {
        let (bench, model, conflict) = try await conflict()
        let edit = ConflictEdit(conflict)
        edit.fields[1].text = "both"
        edit.take(edit.fields[0].sides.mine, for: edit.fields[0])
        #expect(edit.values == ["title": .text("both"), "stars": .integer(5)])
        await model.save(edit)
        #expect(model.list.entries == [])
        let row = try #require(try await bench.row(1))
        #expect(row["title"] == .text("both"))
        #expect(row["stars"] == .integer(5))
        #expect(row["weight"] == .real(0.5))
    }

    @Test func `what is no value of its column is not saved`() async throws {
        let (_, model, conflict) = try await conflict()
        let edit = ConflictEdit(conflict)
        edit.fields[0].text = "many"
        #expect(edit.values == nil)
        await model.save(edit)
        #expect(model.list.entries.count == 1)
        edit.fields[0].isNull = true
        #expect(edit.values == ["stars": .null])
    }

    @Test func `numbers with a fraction and bytes are edited, too`() async throws {
        let (bench, model, conflict) = try await conflict(
            "UPDATE note SET weight = 2.5, picture = x'AA' WHERE id = 1",
            "UPDATE note SET weight = 3, picture = x'BBCC' WHERE id = 1")
        let edit = ConflictEdit(conflict)
        #expect(edit.fields.map(\.column) == ["picture", "weight"])
        #expect(edit.fields.map(\.isTyped) == [false, true])
        #expect(edit.fields.map(\.text) == ["2 bytes", "3.0"])
        edit.take(conflict.fields[0].mine, for: edit.fields[0])
        for text in ["", "inf", "nan", "1,5"] {
            edit.fields[1].text = text
            #expect(edit.values == nil, "\(text)")
        }
        edit.fields[1].text = "1e-3"
        await model.save(edit)
        let row = try #require(try await bench.row(1))
        #expect(row["weight"] == .real(0.001))
        #expect(row["picture"] == .blob([0xAA]))
    }

    @Test func `a decision that a constraint forbids stays, and says why`() async throws {
        let (bench, model, conflict) = try await conflict()
        let edit = ConflictEdit(conflict)
        edit.fields[1].text = "two"
        #expect(await !model.save(edit))
        #expect((model.list.failure as? ReplicaError)?.code == .resubmitBlocked)
        #expect(model.list.entries.count == 1 && model.list.inWork == [])
        // Another conflict does not hide the reason.
        try await bench.conflict(
            "UPDATE note SET title = 'm' WHERE id = 2", "UPDATE note SET title = 't' WHERE id = 2")
        try await eventually("it is listed") { @MainActor in model.list.entries.count == 2 }
        #expect(model.list.failure != nil)
        await model.keepResult(conflict)
        #expect(model.list.failure == nil && model.list.entries.count == 1)
    }

    @Test func `a refused change is written again or given up`() async throws {
        let bench = try await NotesBench()
        let model = RefusalsModel(bench.replica)
        try await bench.edit("UPDATE note SET title = 'bad' || id")
        try await bench.replica.sync()
        try await eventually("they are listed") { @MainActor in model.list.entries.count == 2 }
        let (first, second) = (model.list.entries[0], model.list.entries[1])
        #expect(model.canRetry(first) && first.code == .check)
        await model.dismiss(second)
        #expect(model.list.entries.map(\.id) == [first.id])
        await model.retry(first)
        #expect(bench.replica.status.pendingCount == 1)
        try await bench.replica.sync()
        try await eventually("it is refused again") { @MainActor in
            model.list.entries.map(\.id) != [first.id] && model.list.entries.count == 1
        }
    }

    @Test func `a list without a replica is decided by itself`() async {
        let refused = RefusedChange(
            id: 1, table: "note", key: RowKey([.integer(1)]), kind: .update, code: .check,
            message: "no", at: .now)
        let model = RefusalsModel(refused: [refused])
        #expect(model.list.isLoaded)
        await model.retry(refused)
        #expect(model.list.entries == [])
    }

    @Test func `a second decision waits for none`() async throws {
        let (_, model, conflict) = try await conflict()
        async let first: Void = model.keepMine(conflict)
        async let second: Void = model.keepTheirs(conflict)
        _ = await (first, second)
        #expect(model.list.failure == nil && model.list.inWork == [])
        #expect(model.list.entries == [])
    }

    @Test func `a list is released with its screen`() async throws {
        let bench = try await NotesBench()
        weak var list: ReviewModel<OverruledChange>?
        do {
            let model = ConflictsModel(bench.replica)
            try await eventually("the list was read") { @MainActor in model.list.isLoaded }
            list = model.list
        }
        try await eventually("nobody has the list") { @MainActor in list == nil }
    }
}
