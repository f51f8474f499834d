import MoorageCore
import TestSupport
import Testing

@Suite(.ownThreads) struct `Values near others` {
    private static let types: [(ColumnType, Value)] = [
        (.integer, .integer(11)), (.boolean, .integer(0)), (.real, .real(1.5)),
        (.decimal, .text("11.25")), (.text, .text("aB-09")), (.json, .text("{}")),
        (.blob, .blob([0, 255])), (.uuid, .text("00000000-0000-4000-8000-0000000000ff")),
        (.date, .text("2020-02-28")), (.time(fractionDigits: 0), .text("11:59:59")),
        (.timestamp(fractionDigits: 3), .text("2020-12-31 23:59:59.5")),
        (.instant(fractionDigits: 0), .text("2020-12-31 23:59:59")),
    ]

    @Test(arguments: types)
    func `are of the type, and other values`(type: ColumnType, value: Value) {
        var seen: Set<Value> = [type.normalized(value)]
        for offset in type == .boolean ? [1] : [1, 2, 3, -1, -2, 1000, 1024] {
            guard let near = type.stepped(value, by: offset) else {
                Issue.record("\(type.name) has nothing at \(offset)")
                continue
            }
            #expect(type.accepts(near), "\(type.name) at \(offset): \(near)")
            #expect(seen.insert(type.normalized(near)).inserted, "\(type.name) at \(offset)")
        }
    }

    @Test func `keep a decimal's digits, a text's length and the classes of its characters`() {
        #expect(ColumnType.decimal.stepped(.text("11.25"), by: 1) == .text("11.26"))
        #expect(ColumnType.decimal.stepped(.text("0.01"), by: -2) == .text("-0.01"))
        #expect(ColumnType.text.stepped(.text("aZ-09"), by: 1) == .text("aZ-10"))
        #expect(ColumnType.text.stepped(.text("aZ-99"), by: 1) == .text("bA-00"))
        #expect(ColumnType.text.stepped(.text("aa"), by: -1) == .text("zz"))
        #expect(ColumnType.text.stepped(.text("é"), by: 3) == .text("é~3"))
    }

    @Test func `end where the type ends`() {
        #expect(ColumnType.integer.stepped(.integer(.max), by: 1) == nil)
        #expect(ColumnType.date.stepped(.text("9999-12-31"), by: 1) == nil)
        #expect(ColumnType.date.stepped(.text("0001-01-01"), by: -1) == nil)
        #expect(ColumnType.time(fractionDigits: 0).stepped(.text("23:59:59"), by: 1) == nil)
        #expect(ColumnType.date.stepped(.text("2020-01-01"), by: 1 << 40) == nil)
        #expect(ColumnType.real.stepped(.real(1e300), by: 1) == nil)
        #expect(ColumnType.integer.stepped(.null, by: 1) == nil)
    }
}
