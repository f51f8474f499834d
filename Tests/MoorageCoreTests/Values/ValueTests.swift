import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `A value` {
    @Test func `is equal by class and bytes`() {
        #expect(Value.integer(1) != .real(1))
        #expect(Value.text("1") != .integer(1))
        #expect(Value.text("") != .null)
        #expect(Value.blob([]) != .text(""))
        #expect(Value.blob([]) != .null)
        #expect(Value.null == .null)
    }

    @Test func `keeps two Unicode forms apart`() {
        let composed = Value.text("\u{E9}")
        let decomposed = Value.text("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func `keeps the two zeros and every NaN apart`() {
        #expect(Value.real(0) != .real(-0.0))
        #expect(Value.real(.nan) == .real(.nan))
        #expect(Value.real(.nan) != .real(Double(bitPattern: 0x7FF8_0000_0000_0001)))
    }

    @Test func `hashes alike when it is equal`() {
        var random = SeededGenerator(seed: 1)
        let values = (0..<2000).map { _ in Value.random(using: &random) }
        for value in values {
            for other in values.prefix(50) where value == other {
                #expect(value.hashValue == other.hashValue)
            }
        }
    }

    @Test func `counts its bytes in UTF-8`() {
        #expect(Value.text("é").byteCount == 6)
        #expect(Value.blob([1, 2, 3]).byteCount == 7)
        #expect(Value.null.byteCount == 1)
        #expect(Value.integer(.max).byteCount == 9)
    }

    @Test func `names its kind without showing itself`() {
        #expect(Value.text("secret").kindName == "text")
        #expect(Value.null.kindName == "NULL")
        #expect(Value.null.isNull && !Value.integer(0).isNull)
    }
}

@Suite(.ownThreads) struct `A key` {
    @Test func `goes by bytes`() {
        #expect(RowKey([.text("abc")]) != RowKey([.text("ABC")]))
        #expect(RowKey([.text("\u{E9}")]) != RowKey([.text("e\u{301}")]))
        #expect(
            RowName(table: "\u{E9}", key: RowKey([.integer(1)]))
                != RowName(table: "e\u{301}", key: RowKey([.integer(1)])))
    }

    @Test func `is made in the form that equal values share`() {
        let table = TableDescription(
            name: "t",
            columns: [
                ColumnDescription(name: "id", type: .uuid),
                ColumnDescription(name: "n", type: .decimal),
            ], primaryKey: [1, 0])
        let id = "0F0E0D0C-0B0A-0908-0706-050403020100"
        let one = table.key([.text("9.80"), .text(id)])
        let other = table.key(of: [.text(id.lowercased()), .real(9.8)])
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
    }
}

@Suite(.ownThreads) struct `A uuid` {
    @Test func `is read in either case and written in lower case`() {
        let text = "0f0e0d0c-0b0a-0908-0706-050403020100"
        #expect(UUIDText.bytes(text.uppercased()).map(UUIDText.text) == text)
        #expect(UUIDText.bytes(text)?.first == 0x0F)
    }

    @Test(arguments: [
        "", "0f0e0d0c0b0a09080706050403020100", "{0f0e0d0c-0b0a-0908-0706-050403020100}",
        "0f0e0d0c-0b0a-0908-0706-05040302010g", "0f0e0d0c-0b0a-0908-0706-0504030201-0",
        "0f0e0d0c_0b0a_0908_0706_050403020100", "éf0e0d0c-0b0a-0908-0706-0504030201",
    ])
    func `is nothing else`(text: String) {
        #expect(UUIDText.bytes(text) == nil)
    }

    @Test func `is made at random with version and variant`() {
        var random = SeededGenerator(seed: 7)
        var seen: Set<String> = []
        for _ in 0..<1000 {
            let text = UUIDText.random(using: &random)
            let characters = Array(text)
            #expect(characters[14] == "4" && "89ab".contains(characters[19]))
            #expect(UUIDText.bytes(text).map(UUIDText.text) == text)
            seen.insert(text)
        }
        #expect(seen.count == 1000)
    }
}
