import MoorageTesting
import TestSupport
import Testing

@testable import MoorageCore

@Suite(.ownThreads) struct `A decimal` {
    @Test(arguments: [
        ("9.80", "9.8"), ("000.500", "0.5"), ("-0.0", "0"), ("1e3", "1000"), ("12E-1", "1.2"),
        (".5", "0.5"), ("5.", "5"), ("+7", "7"), ("1e79", "1" + String(repeating: "0", count: 79)),
        ("1e+16", "10000000000000000"), ("-120", "-120"),
        ("0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"),
        (
            "1234567890123456789012345678901234567890.1000",
            "1234567890123456789012345678901234567890.1"
        ),
        ("1e999999", "0.1e1000000"), ("1e-999999", "0.1e-999998"),
    ])
    func `has one form`(text: String, form: String) {
        #expect(DecimalText(text)?.normalized == form)
        #expect(DecimalText(form)?.normalized == form)
    }

    @Test(arguments: [
        "", "-", "+", ".", "e5", "1e", "1e+", "1e5.0", "1 ", " 1", "1,5", "0x10", "NaN", "inf",
        "1__0",
        "--1", "1.2.3", "١", "1e1000001", "1e99999999999999999999", "1e9223372036854775807",
        "1e-9223372036854775808",
    ])
    func `is nothing else`(text: String) {
        #expect(DecimalText(text) == nil)
    }

    @Test func `of any length keeps every digit`() throws {
        let long =
            String(repeating: "9", count: 100_000) + "." + String(repeating: "1", count: 99_000)
        let decimal = try #require(DecimalText(long))
        #expect(decimal.significantDigits == 199_000)
        #expect(decimal == DecimalText(long + "000"))
        #expect(decimal != DecimalText(long + "0001"))
        #expect(DecimalText(String(repeating: "1", count: 200_001)) == nil)
    }

    @Test func `agrees with integers and moves its point exactly`() {
        var random = SeededGenerator(seed: lawSeed + 3)
        for _ in 0..<trials(5000, nightly: 200_000) {
            let number = Int64.random(in: .min ... .max, using: &random)
            let shift = random.below(40)
            let digits = String(number)
            #expect(DecimalText(number) == DecimalText(digits))
            #expect(
                DecimalText("\(digits)e\(shift)")
                    == DecimalText(digits + String(repeating: "0", count: shift)))
            #expect(DecimalText("\(digits)e-\(shift)e") == nil)
            #expect(
                DecimalText("\(digits).\(String(repeating: "0", count: shift))1")
                    != DecimalText(digits))
        }
    }

    @Test func `counts the digits that a double must keep`() {
        #expect(ColumnType.significantDigits(ofDecimal: "0.00123000") == 3)
        #expect(ColumnType.significantDigits(ofDecimal: "1200") == 2)
        #expect(ColumnType.significantDigits(ofDecimal: "0") == 0)
        #expect(ColumnType.significantDigits(ofDecimal: "x") == nil)
    }
}
