import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Values in JSON` {
    private func read(_ document: String, _ type: ColumnType) throws -> Value? {
        type.value(of: try JSON(parsing: document))
    }

    private func written(_ value: Value, _ type: ColumnType) -> String {
        String(
            decoding: JSONWriter.document { AnsweredValue(value, of: type).write(to: &$0) },
            as: UTF8.self)
    }

    @Test(
        arguments: [
            ("0", 0), ("-42", -42), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("1e3", 1_000), ("1.0", 1), ("-0", 0), ("120E-1", 12), ("10e18", nil),
            ("9223372036854775808", nil), ("1.5", nil), ("1e-1", nil), ("1e999999999999", nil),
            (#""1""#, nil), ("true", nil), ("[1]", nil), ("{}", nil),
        ] as [(String, Int64?)])
    func `of integers are whole numbers of 64 bits`(document: String, number: Int64?) throws {
        #expect(try read(document, .integer) == number.map { .integer($0) })
    }

    @Test(
        arguments: [
            ("5", 5), ("0.1", 0.1), ("-1e-5", -1e-5), ("1e308", 1e308), ("1e309", nil),
            (#""5""#, nil), ("false", nil), (#""nan""#, nil),
        ] as [(String, Double?)])
    func `of reals are finite numbers`(document: String, number: Double?) throws {
        #expect(try read(document, .real) == number.map { .real($0) })
    }

    @Test(
        arguments: [
            (#""9.80""#, "9.80"), ("9.80", "9.80"), ("-0.005", "-0.005"), ("1e2", "1e2"),
            (#""12345678901234567890.123456789""#, "12345678901234567890.123456789"),
            (#""""#, nil), (#""9,80""#, nil), (#"" 9""#, nil), (#""NaN""#, nil), ("true", nil),
        ] as [(String, String?)])
    func `of decimals are strings or numbers, by their digits`(
        document: String, text: String?
    ) throws {
        #expect(try read(document, .decimal) == text.map { .text($0) })
    }

    @Test func `of booleans are true and false`() throws {
        #expect(try read("true", .boolean) == .integer(1))
        #expect(try read("false", .boolean) == .integer(0))
        for other in ["0", "1", #""true""#, "[]"] { #expect(try read(other, .boolean) == nil) }
    }

    @Test func `of text and blobs are strings`() throws {
        #expect(try read(#""é\u0000""#, .text) == .text("é\0"))
        #expect(try read(#""""#, .text) == .text(""))
        #expect(try read("5", .text) == nil)
        #expect(try read(#""AAEC/w==""#, .blob) == .blob([0, 1, 2, 255]))
        #expect(try read(#""""#, .blob) == .blob([]))
        for other in [#""AAE""#, #""AA-_""#, "0"] { #expect(try read(other, .blob) == nil) }
        let id = "6FA9DE85-6161-4583-9060-401245A55AF9"
        #expect(try read("\"\(id)\"", .uuid) == .text(id.lowercased()))
        #expect(try read(#""6fa9de85""#, .uuid) == nil)
    }

    @Test(
        arguments: [
            (#""1996-07-16""#, "1996-07-16"), (#""1996-07-16T00:00:00.000Z""#, "1996-07-16"),
            (#""1996-07-16 00:00""#, "1996-07-16"), (#""1996-07-16T10:00:00Z""#, nil),
            (#""1996-07-16T00:00:00+02:00""#, nil), (#""1996-02-30""#, nil), (#""16.7.1996""#, nil),
            ("19960716", nil),
        ] as [(String, String?)])
    func `of dates are days`(document: String, text: String?) throws {
        #expect(try read(document, .date) == text.map { .text($0) })
    }

    @Test(
        arguments: [
            (#""13:45:00""#, "13:45:00"), (#""13:45""#, "13:45:00"),
            (#""13:45:00.2504""#, "13:45:00.25"),
            (#""24:00:00""#, "24:00:00"), (#""25:00""#, nil), (#""13:45Z""#, nil),
            (#""1:45""#, nil),
        ] as [(String, String?)])
    func `of times are times of day`(document: String, text: String?) throws {
        #expect(try read(document, .time(fractionDigits: 3)) == text.map { .text($0) })
    }

    @Test(
        arguments: [
            (#""1996-07-16T13:45:00""#, "1996-07-16 13:45:00"),
            (#""1996-07-16t13:45:00.5""#, "1996-07-16 13:45:00.5"),
            (#""1996-07-16 13:45""#, "1996-07-16 13:45:00"),
            (#""1996-07-16""#, "1996-07-16 00:00:00"),
            // To drop the zone would name another moment.
            (#""1996-07-16T13:45:00Z""#, nil), (#""1996-07-16T13:45:00+02:00""#, nil),
            (#""1996-07-16T13:45:60""#, nil), ("0", nil),
            (#""9999-12-31T23:59:59.9999""#, nil),
        ] as [(String, String?)])
    func `of timestamps have no zone`(document: String, text: String?) throws {
        #expect(try read(document, .timestamp(fractionDigits: 3)) == text.map { .text($0) })
    }

    @Test(
        arguments: [
            (#""1996-07-16T13:45:00Z""#, "1996-07-16 13:45:00"),
            (#""1996-07-16t13:45:00z""#, "1996-07-16 13:45:00"),
            (#""1996-07-16T13:45:00+02:00""#, "1996-07-16 11:45:00"),
            (#""1996-07-16 13:45:00.1235-01:30""#, "1996-07-16 15:15:00.124"),
            (#""1996-07-16T13:45:00""#, "1996-07-16 13:45:00"),
            (#""9999-12-31T23:59:59-05:00""#, nil), (#""1996-07-16T13:45:00 Europe/Rome""#, nil),
        ] as [(String, String?)])
    func `of instants are in UTC`(document: String, text: String?) throws {
        #expect(try read(document, .instant(fractionDigits: 3)) == text.map { .text($0) })
    }

    @Test func `of JSON columns are documents, exactly`() throws {
        let document = #"{ "b" : 1.50, "a":[1e2,"\u00e9",null,-0.0], "c":{} }"#
        let stored = #"{"b":1.50,"a":[1e2,"é",null,-0.0],"c":{}}"#
        #expect(try read(document, .json) == .text(stored))
        #expect(written(.text(document), .json) == stored)
        #expect(try read(#""a""#, .json) == .text(#""a""#))
        #expect(try read("null", .json) == .null)
        #expect(written(.text("null"), .json) == "null")
        // What a file's text has that is no JSON.
        #expect(written(.text("{a: 1}"), .json) == #"{"$text":"{a: 1}"}"#)
        for stored in ["{a: 1}", #"{"$text":"x"}"#, #"{"$text":1}"#, #"{"a":1,"a":2}"#] {
            let answered = written(.text(stored), .json)
            #expect(try read(answered, .json) == .text(stored), "\(answered)")
        }
    }

    @Test(arguments: [
        ColumnType.integer, .boolean, .real, .decimal, .text, .blob, .uuid, .date,
        .time(fractionDigits: 6), .timestamp(fractionDigits: 6), .instant(fractionDigits: 6), .json,
    ])
    func `are null where they are NULL`(type: ColumnType) throws {
        #expect(try read("null", type) == .null)
        #expect(written(.null, type) == "null")
        #expect(AnsweredValue(.null, of: type).plainText == nil)
    }

    @Test func `come in the form that requests have`() {
        #expect(written(.integer(.max), .integer) == "9223372036854775807")
        #expect(written(.real(3), .integer) == "3")
        #expect(written(.real(0.1), .real) == "0.1")
        #expect(written(.integer(5), .real) == "5.0")
        #expect(written(.text("9.80"), .decimal) == #""9.80""#)
        #expect(written(.real(9.8), .decimal) == #""9.8""#)
        #expect(written(.integer(12), .decimal) == #""12""#)
        #expect(written(.integer(0), .boolean) == "false")
        #expect(written(.integer(7), .boolean) == "true")
        #expect(written(.blob([0, 1, 2, 255]), .blob) == #""AAEC/w==""#)
        #expect(written(.text("1996-07-16 00:00:00"), .date) == #""1996-07-16""#)
        #expect(written(.text("13:45"), .time(fractionDigits: 0)) == #""13:45:00""#)
        let stamp = Value.text("1996-07-16 13:45:00.50")
        #expect(written(stamp, .timestamp(fractionDigits: 6)) == #""1996-07-16T13:45:00.5""#)
        #expect(written(stamp, .instant(fractionDigits: 6)) == #""1996-07-16T13:45:00.5Z""#)
    }

    @Test func `that are not of their column's type come as what they are`() {
        #expect(written(.text("x"), .integer) == #""x""#)
        #expect(written(.real(1.5), .integer) == "1.5")
        #expect(written(.real(.infinity), .real) == #""inf""#)
        #expect(written(.real(.nan), .real) == #""nan""#)
        #expect(written(.blob([1]), .text) == #""AQ==""#)
        #expect(written(.text("infinity"), .instant(fractionDigits: 6)) == #""infinity""#)
        #expect(written(.text("maybe"), .boolean) == #""maybe""#)
        #expect(written(.integer(5), .json) == "5")
    }

    @Test(arguments: UInt64(1)...100)
    func `are read back as they are written`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for (type, value) in Sample.values(using: &random) {
            let document = written(value, type)
            let again = try read(document, type)
            #expect(again.map { type.equal($0, value) } == true, "\(type): \(document)")
            guard let text = AnsweredValue(value, of: type).plainText else { continue }
            let plain = type.value(ofText: text)
            #expect(plain.map { type.equal($0, value) } == true, "\(type): \(text)")
        }
    }
}

/// Random values of all types.
enum Sample {
    static func values(using random: inout SplitMix64) -> [(ColumnType, Value)] {
        let number = Int64.random(in: .min ... .max, using: &random)
        let moment = CalendarText(
            microseconds: Int64.random(
                in: -62_135_596_800_000_000...253_402_300_799_999_999, using: &random))
        let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        let real = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
        return [
            (.integer, .integer(number)), (.boolean, .integer(number & 1)),
            (.real, .real(real.isFinite ? real : 0)),
            (.decimal, .text("\(number).\(abs(number % 1_000))")),
            (.text, .text(String.random(using: &random))), (.blob, .blob(bytes)),
            (.uuid, .text(UUIDText.random(using: &random))),
            (.date, .text(moment.dateText)),
            (.time(fractionDigits: 6), .text(moment.timeText(6))),
            (.timestamp(fractionDigits: 6), .text(moment.text(6))),
            (.instant(fractionDigits: 6), .text(moment.text(6))),
            (.json, .text(#"{"a":[\#(number),"\#(number)",null]}"#)),
        ]
    }
}
