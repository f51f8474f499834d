import MoorageCore
import MoorageTesting
import TestSupport
import Testing

let everyType: [ColumnType] = [
    .integer, .boolean, .real, .decimal, .text, .blob, .uuid, .date, .time(fractionDigits: 6),
    .time(fractionDigits: 0), .timestamp(fractionDigits: 6), .timestamp(fractionDigits: 3),
    .instant(fractionDigits: 6), .instant(fractionDigits: 0), .json,
]

@Suite(.ownThreads) struct `A column type` {
    struct Pair: Sendable, CustomStringConvertible {
        let type: ColumnType
        let left: Value
        let right: Value
        var description: String { "\(type.name): \(left) \(right)" }
        init(_ type: ColumnType, _ left: Value, _ right: Value) {
            (self.type, self.left, self.right) = (type, left, right)
        }
    }

    static let uuid = "0f0e0d0c-0b0a-0908-0706-050403020100"

    static let equal: [Pair] = [
        Pair(.integer, .integer(5), .real(5)), Pair(.integer, .integer(0), .real(-0.0)),
        Pair(.integer, .integer(.min), .real(-9_223_372_036_854_775_808)),
        Pair(.boolean, .integer(1), .integer(7)), Pair(.boolean, .text("true"), .integer(1)),
        Pair(.boolean, .text("f"), .integer(0)),
        Pair(.real, .real(0), .real(-0.0)), Pair(.real, .real(3), .integer(3)),
        Pair(.real, .real(.nan), .real(.nan)),
        Pair(.decimal, .text("9.8"), .text("9.80")), Pair(.decimal, .text("9.8"), .real(9.8)),
        Pair(.decimal, .text("14.00"), .integer(14)), Pair(.decimal, .text("-0"), .text("0.000")),
        Pair(.decimal, .text("1e3"), .text("1000")), Pair(.decimal, .text("+.5"), .text("0.5")),
        Pair(.uuid, .text(uuid.uppercased()), .text(uuid)),
        Pair(.uuid, .blob([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]), .text(uuid)),
        Pair(.date, .text("1899-12-31"), .text("1899-12-31 00:00:00")),
        Pair(.time(fractionDigits: 3), .text("10:00"), .text("10:00:00.0001")),
        Pair(.time(fractionDigits: 6), .text("10:00:00.5"), .text("10:00:00.500000")),
        Pair(
            .timestamp(fractionDigits: 6), .text("2024-02-29T10:00:00"),
            .text("2024-02-29 10:00:00.000")),
        Pair(
            .instant(fractionDigits: 6), .text("2024-01-01 00:30:00+01:00"),
            .text("2023-12-31 23:30:00Z")),
        Pair(
            .instant(fractionDigits: 3), .text("2024-01-01 00:00:00.0004"),
            .text("2024-01-01 00:00:00")),
        Pair(.json, .text(#"{"a":1,"b":[1.0]}"#), .text(#" { "b" : [1e0], "a" : 1.00 } "#)),
        Pair(.json, .text(#""\u00e9""#), .text("\"\u{E9}\"")),
        Pair(.text, .null, .null),
    ]

    static let different: [Pair] = [
        Pair(.integer, .integer(.max), .real(9_223_372_036_854_775_808)),
        Pair(.integer, .integer(5), .text("5")), Pair(.integer, .integer(0), .null),
        Pair(.boolean, .integer(0), .null), Pair(.boolean, .integer(0), .integer(1)),
        Pair(.real, .real(1), .real(1.0000000000000002)),
        Pair(.real, .real(9_007_199_254_740_992), .integer(9_007_199_254_740_993)),
        Pair(.decimal, .text("9.8"), .text("9.81")), Pair(.decimal, .text("NaN"), .text("0")),
        Pair(
            .decimal, .text("1234567890123456789012345678901234567890"),
            .text("1234567890123456789012345678901234567891")),
        Pair(.text, .text("\u{E9}"), .text("e\u{301}")), Pair(.text, .text("a"), .text("A")),
        Pair(.text, .text("9.8"), .text("9.80")), Pair(.text, .text(""), .null),
        Pair(.blob, .blob([]), .null), Pair(.blob, .blob([0]), .blob([0, 0])),
        Pair(.date, .text("1899-12-31"), .text("1899-12-31 00:00:01")),
        Pair(.time(fractionDigits: 6), .text("10:00:00.000001"), .text("10:00:00")),
        Pair(
            .timestamp(fractionDigits: 6), .text("2024-01-01 00:00:00"),
            .text("2024-01-01 00:00:00.000001")),
        Pair(.json, .text("[1,2]"), .text("[2,1]")), Pair(.json, .text("{}"), .text("[]")),
        Pair(.json, .text("not json"), .text("not  json")),
        Pair(.json, .text(#"{"\#u{E9}":1}"#), .text("{\"e\u{301}\":1}")),
    ]

    @Test(arguments: equal) func `holds equal what means the same`(pair: Pair) {
        #expect(pair.type.equal(pair.left, pair.right))
        #expect(pair.type.equal(pair.right, pair.left))
    }

    @Test(arguments: different) func `keeps apart what means something else`(pair: Pair) {
        #expect(!pair.type.equal(pair.left, pair.right))
        #expect(!pair.type.equal(pair.right, pair.left))
    }

    @Test func `normalizes once and for all`() {
        var random = SeededGenerator(seed: lawSeed + 2)
        for _ in 0..<trials(5000, nightly: 200_000) {
            let value = Value.random(using: &random)
            for type in everyType {
                let once = type.normalized(value)
                #expect(type.normalized(once) == once)
                #expect(type.equal(value, once))
                #expect(type.equal(value, value))
            }
        }
    }

    @Test func `holds NULL equal to NULL alone`() {
        for type in everyType {
            #expect(type.accepts(.null))
            #expect(type.equal(.null, .null))
            for value in [Value.integer(0), .text(""), .blob([]), .real(0)] {
                #expect(!type.equal(.null, value))
            }
        }
    }

    @Test func `accepts what is of it`() {
        let accepted: [(ColumnType, Value)] = [
            (.integer, .real(5)), (.boolean, .integer(3)), (.real, .integer(2)),
            (.decimal, .text("1e2")), (.decimal, .real(0.5)),
            (.uuid, .blob(Array(repeating: 1, count: 16))),
            (.date, .text("0001-01-01")), (.time(fractionDigits: 6), .text("24:00:00")),
            (.json, .text("null")), (.text, .text("\0")),
        ]
        for (type, value) in accepted { #expect(type.accepts(value), "\(type.name)") }
        let refused: [(ColumnType, Value)] = [
            (.integer, .real(5.5)), (.integer, .text("5")), (.boolean, .text("yes?")),
            (.real, .text("1")), (.decimal, .text("1,5")), (.decimal, .real(.infinity)),
            (.uuid, .blob([1])), (.uuid, .text("x")), (.date, .text("2023-02-29")),
            (.date, .integer(20230101)), (.time(fractionDigits: 6), .text("25:00:00")),
            (.json, .text("{")), (.blob, .text("x")), (.text, .blob([])),
        ]
        for (type, value) in refused { #expect(!type.accepts(value), "\(type.name)") }
    }

    @Test(arguments: everyType) func `is read by the name it writes`(type: ColumnType) {
        #expect(ColumnType(name: type.name) == type)
    }

    @Test(arguments: [
        "", "int", "time", "time()", "time(12)", "time(x)", "date(3)", "Text", "instant(3",
    ])
    func `is not read from another name`(name: String) {
        #expect(ColumnType(name: name) == nil)
    }
}
