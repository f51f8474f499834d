import MoorageTesting
import TestSupport
import Testing

@testable import MoorageCore

@Suite(.ownThreads) struct `The JSON parser` {
    @Test(arguments: [
        "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\" 1}", "{1:1}", "nul", "nulll", "True", "tru",
        "fals",
        "01", "-", "+1", "-01", "1.", ".5", "1.e5", "1e", "1e+", "0x1", "NaN", "Infinity", "1 2",
        "\"",
        "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u+123\"", "\"\t\"", "\"\n\"", "\"\0\"",
        "[1]]", "{}{}", "// x\n1", "/* */1", "\u{FEFF}1", "\u{A0}1", "undefined", "[1,2", "\"a",
        "{\"a\":1", "{\"a\":1,\"b\"", "{\"a\":1 \"b\":2}",
    ])
    func `refuses what is malformed`(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud800x""#, #""\ud800\n""#,
        #""\ud800\u0041""#,
        #""\udfff\ud800""#,
    ])
    func `refuses half a surrogate pair`(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test func `reads a whole surrogate pair, an escape of every kind, and NUL`() throws {
        let parsed = try JSON(parsing: #""\ud83d\uDC1F\"\\\/\b\f\n\r\t\u0000é""#)
        guard case .string(let text) = parsed else {
            Issue.record("no string")
            return
        }
        #expect(text.hasSameBytes(as: "🐟\"\\/\u{8}\u{C}\n\r\t\0é"))
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0x80, 0x22], [0xFF],
            [0xEF, 0xBB, 0xBF, 0x31],
            [0x7B, 0x22, 0xE9, 0x22, 0x3A, 0x31, 0x7D],
        ] as [[UInt8]])
    func `refuses what is not UTF-8`(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSON(parsing: bytes) }
    }

    @Test func `refuses two members of one name, and knows names by bytes`() throws {
        #expect(throws: JSONError.self) { try JSON(parsing: #"{"a":1,"a":1}"#) }
        #expect(throws: JSONError.self) { try JSON(parsing: #"{"a":1,"\u0061":1}"#) }
        let both = try JSON(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        guard case .number("2")? = both["e\u{301}"] else {
            Issue.record("the second member")
            return
        }
    }

    @Test func `stops at its depth`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSON(parsing: nested(JSON.maximumDepth))
        #expect(throws: JSONError.self) { try JSON(parsing: nested(JSON.maximumDepth + 2)) }
        #expect(throws: JSONError.self) {
            try JSON(parsing: String(repeating: "[", count: 1_000_000))
        }
        #expect(throws: JSONError.self) {
            try JSON(parsing: String(repeating: "{\"a\":", count: 1_000_000))
        }
    }

    /// A few bytes of each element take a hundred bytes in memory.
    @Test(arguments: ["0", "[]", "{}", "\"\"", "true", "{\"a\":0}"])
    func `stops before it takes more memory than it may`(element: String) throws {
        let text = "[" + repeatElement(element, count: 2_000).joined(separator: ",") + "]"
        var left = 100_000
        let error = #expect(throws: JSONError.self) {
            try JSON(parsing: Array(text.utf8)) { count in
                left -= count
                return left >= 0
            }
        }
        #expect(error?.isTooLarge == true)
        #expect(left > -200)
    }

    @Test func `counts a text by its length, and NULL less than other values`() throws {
        func used(_ json: String) throws -> Int {
            var used = 0
            _ = try JSON(parsing: Array(json.utf8)) {
                used += $0
                return true
            }
            return used
        }
        let text = String(repeating: "x", count: 1_000)
        #expect(try used("\"\(text)\"") == 1_100)
        #expect(try used("\"\\n\(text)\"") == 1_101)
        #expect(try used("{\"\(text)\":null}") == 1_224)
        #expect(try used("1\(text.replacing("x", with: "0"))") == 1_101)
    }

    @Test func `keeps numbers as they were written`() throws {
        for text in [
            "0", "-0", "9.80", "1E400", "123456789012345678901234567890", "1e-9223372036854775808",
        ] {
            guard case .number(text) = try JSON(parsing: text) else {
                Issue.record("\(text)")
                continue
            }
        }
    }

    @Test func `says where, and never what`() {
        let secret = "hunter2"
        for text in [
            "[\"\(secret)\", x]", "{\"\(secret)\":}", "\"\(secret)",
            "{\"\(secret)\":1,\"\(secret)\":2}",
        ] {
            do {
                _ = try JSON(parsing: text)
                Issue.record("parsed")
            } catch {
                #expect(!error.message.contains(secret))
                #expect((0...text.utf8.count).contains(error.offset))
            }
        }
    }

    @Test func `never traps on garbled documents`() {
        var random = SeededGenerator(seed: lawSeed + 5)
        let document = Array(
            #"{"a":[1,-2.5e+3,"x\u00e9\ud83d\udc1f\n",null,true,false,{"b":{}}],"c":"é\\"}"#.utf8)
        for _ in 0..<trials(20_000, nightly: 2_000_000) {
            var bytes = document
            for _ in 0...random.below(3) {
                let place = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(random.one(of: document), at: place)
                default: bytes.removeLast(random.below(bytes.count))
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            if let json = try? JSON(parsing: bytes) {
                var writer = JSONWriter()
                writer.json(json)
                let again = try? JSON(parsing: writer.bytes)
                #expect(again.map(json.hasSameStructure) == true)
            }
        }
    }
}

@Suite(.ownThreads) struct `JSON structure` {
    @Test(arguments: [
        ("1", "1.0", true), ("1", "10e-1", true), ("1", "1.01", false), ("0", "-0", true),
        ("1e-9223372036854775808", "1e-9223372036854775808", true),
        ("1e-9223372036854775808", "1e-9223372036854775807", false),
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, true), (#"{"a":null}"#, "{}", false),
        ("[1,[2]]", "[1,[2]]", true), ("[1]", "[1,1]", false), ("null", "false", false),
        ("\"\u{E9}\"", "\"e\u{301}\"", false), (#""a""#, #""\u0061""#, true), ("\"1\"", "1", false),
    ])
    func `is compared by what it says`(left: String, right: String, same: Bool) throws {
        #expect(ColumnType.json.equal(.text(left), .text(right)) == same)
        let table = TableDescription(
            name: "t", columns: [ColumnDescription(name: "j", type: .json)], primaryKey: [0])
        let isSame = table.fingerprint(of: [.text(left)]) == table.fingerprint(of: [.text(right)])
        #expect(isSame == same, "rows have equal fingerprints exactly when they are equal")
    }
}

@Suite(.ownThreads) struct `The JSON writer` {
    @Test func `writes what the parser reads`() throws {
        for text in hardTexts {
            var writer = JSONWriter()
            writer.object {
                $0.name(text)
                $0.array {
                    $0.string(text)
                    $0.null()
                    $0.bool(false)
                    $0.integer(.min)
                    $0.real(-0.0)
                }
            }
            let parsed = try JSON(parsing: writer.bytes)
            guard case .array(let elements)? = parsed[text], case .string(let read) = elements[0]
            else {
                Issue.record("\(text.debugDescription)")
                continue
            }
            #expect(read.hasSameBytes(as: text) && elements.count == 5)
            #expect(!writer.bytes.contains(0x0A), "a document is one line")
        }
    }

    @Test func `writes every finite real so that it comes back bit for bit`() throws {
        var random = SeededGenerator(seed: lawSeed + 6)
        for index in 0..<trials(20_000, nightly: 1_000_000) {
            let number =
                index < hardReals.count ? hardReals[index] : Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            var writer = JSONWriter()
            writer.real(number)
            guard case .number(let text) = try JSON(parsing: writer.bytes) else { continue }
            #expect(Double(text)?.bitPattern == number.bitPattern)
            #expect(text.contains { ".eE".contains($0) }, "a real is told from an integer")
        }
    }
}

@Suite(.ownThreads) struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of RFC 4648 hold`(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zh==", "Zm9=", "=", "==", "===", "====", "Zg==Zg==", "Zg\n=", "Z-==",
        "Zm9v ", "é===",
        "Zm=v", "A===",
    ])
    func `anything else than what is written is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `random bytes come back`() {
        var random = SeededGenerator(seed: 8)
        for count in 0..<600 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }
}

@Suite(.ownThreads) struct `Text from bytes` {
    @Test func `is exact or nothing`() {
        #expect(String(exactly: Array("é\0🐟".utf8)) == "é\0🐟")
        #expect(String(exactly: [] as [UInt8])?.isEmpty == true)
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x80]] {
            #expect(String(exactly: bytes) == nil)
        }
        // The replacement character itself is text like any other.
        #expect(String(exactly: [0xEF, 0xBF, 0xBD]) == "\u{FFFD}")
    }
}
