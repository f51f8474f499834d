/// The pieces of a `CREATE INDEX` statement that SQLite tells in no other way.
struct IndexText {
    /// What the index holds, without the direction.
    let parts: [String]
    /// For which rows a partial index holds.
    let condition: String?

    init?(_ sql: String) {
        let bytes = Array(sql.utf8)
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        var tokens = Tokens(bytes: bytes)
        var parts: [String] = []
        var (depth, start) = (0, 0)
        var last: Range<Int>?
        func end(_ place: Int) {
            let direction = last.map { text($0).uppercased() }
            let end = direction == "ASC" || direction == "DESC" ? last?.lowerBound : nil
            parts.append(text(start..<(end ?? place)))
            start = place + 1
        }
        list: while let token = tokens.next() {
            switch bytes[token.lowerBound] {
            case UInt8(ascii: "("):
                if depth == 0 { start = token.upperBound }
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 {
                    end(token.lowerBound)
                    break list
                }
            case UInt8(ascii: ",") where depth == 1: end(token.lowerBound)
            default: break
            }
            last = token
        }
        guard !parts.isEmpty, depth == 0 else { return nil }
        self.parts = parts
        let word = tokens.next()
        condition = word.map(text)?.uppercased() == "WHERE" ? text(tokens.index..<bytes.count) : nil
    }
}

/// Words, quoted things and marks of a text, without blanks and comments.
private struct Tokens {
    let bytes: [UInt8]
    private(set) var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func next() -> Range<Int>? {
        while let byte = byte(index) {
            let start = index
            switch byte {
            case UInt8(ascii: "-") where self.byte(index + 1) == UInt8(ascii: "-"):
                skip { $0.byte($0.index) == UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where self.byte(index + 1) == UInt8(ascii: "*"):
                index += 2
                skip {
                    $0.byte($0.index) == UInt8(ascii: "*")
                        && $0.byte($0.index + 1) == UInt8(ascii: "/")
                }
                index = min(index + 2, bytes.count)
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                // A doubled quote ends one and begins the next.
                let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
                index += 1
                skip { $0.byte($0.index) == end }
                index = min(index + 1, bytes.count)
                return start..<index
            default:
                index += 1
                if byte <= 0x20 { continue }
                if Self.isLetter(byte) { skip { !Self.isLetter($0.bytes[$0.index]) } }
                return start..<index
            }
        }
        return nil
    }

    private mutating func skip(until isEnd: (Tokens) -> Bool) {
        while index < bytes.count, !isEnd(self) { index += 1 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
