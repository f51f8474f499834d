import MoorageCore
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `Tables with names that differ only in case` {
    private func table(_ name: String, _ names: AppNames = AppNames()) -> TableDescription {
        var table = TableDescription(
            name: name, columns: [ColumnDescription(name: "id", type: .integer)], primaryKey: [0])
        table.appNames = names
        return table
    }

    @Test func `are synced, as long as no configured name is like one of them`() {
        let alike = [table("Item"), table("item")]
        #expect(alike.problemOfNames == nil)
        #expect((alike + [table("line", AppNames(name: "row"))]).problemOfNames == nil)
        #expect((alike + [table("line", AppNames(name: "ITEM"))]).problemOfNames != nil)
        #expect([table("Item", AppNames(name: "item")), table("item")].problemOfNames != nil)
    }

    /// Whichever comes first in the schema, the configured name is the one to change.
    @Test func `are told from a configured name in any order`() {
        let tables = [table("a", AppNames(renamedFrom: ["B"])), table("b")]
        #expect(tables.problemOfNames != nil)
        #expect(tables.problemOfNames == Array(tables.reversed()).problemOfNames)
    }
}
