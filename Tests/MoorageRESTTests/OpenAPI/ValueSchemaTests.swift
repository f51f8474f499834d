import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `The schema of a column's values` {
    private static let types: [ColumnType] = [
        .integer, .boolean, .real, .decimal, .text, .blob, .uuid, .date, .time(fractionDigits: 3),
        .timestamp(fractionDigits: 6), .instant(fractionDigits: 0), .json,
    ]

    private func text(
        _ type: ColumnType, _ use: ValueSchema.Use, isNullable: Bool = false
    ) -> String {
        let part = ValueSchema(type: type, use: use, isNullable: isNullable).part
        return String(decoding: JSONWriter.document { part.write(to: &$0) }, as: UTF8.self)
    }

    private func schema(
        _ type: ColumnType, _ use: ValueSchema.Use, isNullable: Bool = false
    ) throws -> JSON {
        try JSON(parsing: text(type, use, isNullable: isNullable))
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: width - text.utf8.count) + text
    }

    private let check = SchemaCheck(document: .null)

    @Test func `names type and format of an answer`() {
        #expect(
            text(.integer, .answer) == """
                {"type":"integer","format":"int64","minimum":-9223372036854775808,\
                "maximum":9223372036854775807}
                """)
        #expect(text(.boolean, .answer) == #"{"type":"boolean"}"#)
        #expect(text(.real, .answer) == #"{"type":"number","format":"double"}"#)
        #expect(
            text(.decimal, .answer).hasPrefix(#"{"type":"string","format":"decimal","pattern":"#))
        #expect(text(.text, .answer) == #"{"type":"string"}"#)
        #expect(
            text(.blob, .answer).hasPrefix(
                #"{"type":"string","contentEncoding":"base64","pattern":"#))
        #expect(text(.uuid, .answer) == #"{"type":"string","format":"uuid"}"#)
        #expect(text(.date, .answer) == #"{"type":"string","format":"date"}"#)
        #expect(text(.time(fractionDigits: 3), .answer).contains(#""format":"time-local""#))
        #expect(text(.timestamp(fractionDigits: 3), .answer).contains(#""date-time-local""#))
        #expect(
            text(.instant(fractionDigits: 3), .answer)
                == #"{"type":"string","format":"date-time"}"#)
        #expect(text(.json, .answer) == "{}")
    }

    @Test func `has null where the column does`() {
        #expect(text(.text, .answer, isNullable: true) == #"{"type":["string","null"]}"#)
        #expect(text(.boolean, .request, isNullable: true) == #"{"type":["boolean","null"]}"#)
        #expect(
            text(.decimal, .request, isNullable: true)
                .hasPrefix(#"{"type":["string","number","null"],"#))
        #expect(text(.json, .request, isNullable: true) == "{}")
        #expect(
            text(.json, .request)
                == #"{"type":["object","array","string","number","boolean"]}"#)
        #expect(
            text(.json, .mergePatch, isNullable: true)
                == #"{"type":["array","string","number","boolean","null"]}"#)
    }

    @Test(arguments: UInt64(1)...100)
    func `accepts what answers have, also in a request`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for (type, value) in Sample.values(using: &random) {
            let answer = AnsweredValue(value, of: type)
            let document = try JSON(
                parsing: JSONWriter.document { answer.write(to: &$0) })
            for use in [ValueSchema.Use.answer, .request] {
                let problem = check.problem(of: document, try schema(type, use))
                #expect(problem == nil, "\(type), \(use)")
            }
            // A schema of a path is that of a text, or of what a text is written as.
            guard type != .json, case .string(let text) = document, type != .blob else { continue }
            #expect(check.accepts(.string(text), try schema(type, .path)), "\(type): \(text)")
        }
    }

    @Test(arguments: [
        "", "0", "-1", "+1.5", "1.", ".5", ".", "1e5", "1E-05", "1e", "1e+1000000", "1e1000001",
        "1e0001000000", "NaN", " 1", "1 ", "1\n", "0x1", "--1", "1,5", "9.80", "1e+-5",
    ])
    func `of decimals accepts what the hub reads`(text: String) throws {
        let accepts = check.accepts(.string(text), try schema(.decimal, .request))
        #expect(accepts == (ColumnType.decimal.value(of: .string(text)) != nil))
    }

    @Test(arguments: [
        "", "AA==", "AAE=", "AAEC", "AAECAw==", "AB==", "AAF=", "A", "AA", "AAA", "AA=", "A===",
        "AA-_", "AA+/", "AAEC\n", "====", "AAECAA==AA==",
    ])
    func `of blobs accepts what the hub reads`(text: String) throws {
        let accepts = check.accepts(.string(text), try schema(.blob, .request))
        #expect(accepts == (ColumnType.blob.value(of: .string(text)) != nil), "\(text)")
        let path = text.replacing("+", with: "-").replacing("/", with: "_")
        let accepted = check.accepts(.string(path), try schema(.blob, .path))
        #expect(accepted == (Base64.decode(urlSafe: path) != nil), "\(path)")
    }

    /// The last days of months, and days that there are only in leap years.
    @Test(arguments: [1, 4, 96, 99, 100, 400, 1900, 1996, 2000, 2023, 2024, 2100, 9999])
    func `of timestamps has the days that there are`(year: Int) throws {
        let schema = try schema(.timestamp(fractionDigits: 6), .request)
        let type = ColumnType.timestamp(fractionDigits: 6)
        for month in 0...13 {
            for day in 0...32 {
                let date = padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
                let text = date + "T13:45:00"
                let accepts = check.accepts(.string(text), schema)
                #expect(accepts == (type.value(of: .string(text)) != nil), "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            ("0000-01-01T00:00:00", false), ("1996-07-16T24:00:00", false),
            ("1996-07-16T23:59:60", false), ("1996-07-16T23:59:59.123456789012", true),
            ("1996-07-16T23:59:59.1234567890123", false), ("1996-07-16T13:45:00Z", false),
            ("1996-07-16T13:45:00\n", false),
        ])
    func `of timestamps has the times that there are`(text: String, isAccepted: Bool) throws {
        let type = ColumnType.timestamp(fractionDigits: 6)
        #expect(check.accepts(.string(text), try schema(type, .request)) == isAccepted)
        #expect((type.value(of: .string(text)) != nil) == isAccepted)
    }

    @Test func `of times has as many digits as the column`() throws {
        let answer = try schema(.time(fractionDigits: 3), .answer)
        #expect(check.accepts(.string("13:45:00.123"), answer))
        #expect(!check.accepts(.string("13:45:00.1234"), answer))
        #expect(check.accepts(.string("24:00:00"), answer))
        let whole = try schema(.time(fractionDigits: 0), .answer)
        #expect(check.accepts(.string("13:45:00"), whole))
        #expect(!check.accepts(.string("13:45:00.1"), whole))
    }

    @Test func `never looks ahead, which some validators cannot`() {
        for type in Self.types {
            for use in [ValueSchema.Use.answer, .request, .mergePatch, .path] {
                #expect(!text(type, use).contains("(?"))
            }
        }
    }
}
