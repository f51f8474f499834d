/// The words of an SQL text, to inspect triggers: names, keywords, single marks and quoted texts.
/// Comments are left out. It reads the SQL that each database writes, and does not understand the
/// grammar.
public struct SQLWords: Sendable {
    /// One word, with its place in the text.
    public struct Word: Hashable, Sendable {
        /// How a word is written.
        public enum Kind: Hashable, Sendable {
            /// Letters, digits, `_` and `$` without quotes: a keyword, a name or a number.
            case plain
            /// A text in double quotes, backticks or brackets.
            case quotedName
            /// A text in single quotes or between dollar signs.
            case literal
            /// Any other single character, such as `.` or `=`.
            case mark
        }

        /// The word. For a quoted word this is the text between the quotes, with each doubled quote
        /// once.
        public let text: String
        /// How the word is written, which decides what it can be.
        public let kind: Kind
        /// The range of the word, with its quotes, in the text's UTF-8.
        public let range: Range<Int>

        /// Whether it is this keyword, in either case.
        public func isKeyword(_ keyword: String) -> Bool {
            kind == .plain && text.uppercased() == keyword
        }

        /// Whether it is this mark.
        public func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }

        /// Whether it can be a name. A keyword or a number without quotes counts, too.
        public var isName: Bool { kind == .plain || kind == .quotedName }
    }

    /// The words in the order of the text.
    public var words: [Word]

    /// A part of a text, as its words.
    public init(_ words: [Word]) { self.words = words }

    /// - Parameter hasEscapes: Whether a backslash in quotes escapes the next character.
    public init(_ sql: String, hasEscapes: Bool = false) {
        var reader = Reader(bytes: Array(sql.utf8), hasEscapes: hasEscapes)
        words = reader.read()
    }

    /// The statements of a text, which end with semicolons.
    public var statements: [SQLWords] {
        words.split { $0.isMark(";") }.map { SQLWords(Array($0)) }
    }
}

extension SQLWords {
    /// The tables that the statements write, without their schemas.
    public var written: [String] {
        let modifiers: Set<String> = [
            "ONLY", "OR", "IGNORE", "LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK", "ROLLBACK",
            "ABORT", "FAIL", "TABLE",
        ]
        var result: [String] = []
        func target(at start: Int) {
            var index = start
            while index < words.count, words[index].kind == .plain,
                modifiers.contains(words[index].text.uppercased())
                    || (words[index].isKeyword("REPLACE") && index > start)
            { index += 1 }
            guard index < words.count, words[index].isName, !words[index].isKeyword("SET"),
                !words[index].isKeyword("INTO")
            else { return }
            while index + 2 < words.count, words[index + 1].isMark("."), words[index + 2].isName {
                index += 2
            }
            result.append(words[index].text)
        }
        for (index, word) in words.enumerated() where word.kind == .plain {
            let before = index > 0 ? words[index - 1] : nil
            switch word.text.uppercased() {
            case "INTO", "INSERT", "TRUNCATE": target(at: index + 1)
            case "REPLACE":
                let isFunction = index + 1 < words.count && words[index + 1].isMark("(")
                if !isFunction, before?.isKeyword("OR") != true { target(at: index + 1) }
            case "UPDATE":
                // These do not write: `SELECT … FOR UPDATE`, and the events of a trigger.
                let isOther = ["FOR", "OR", "BEFORE", "AFTER", "ON"]
                    .contains { before?.isKeyword($0) == true }
                if !isOther { target(at: index + 1) }
            case "FROM" where before?.isKeyword("DELETE") == true: target(at: index + 1)
            default: break
            }
        }
        return result
    }

    /// Whether the statements assign a column of the new row.
    public var assignsNewRow: Bool {
        let starts = ["BEGIN", "THEN", "ELSE", "LOOP", "SET", "DO"]
        for (index, word) in words.enumerated() where word.text.uppercased() == "NEW" {
            guard word.isName, index + 2 < words.count else { continue }
            var next = index + 1
            if words[next].isMark("."), words[next + 1].isName { next += 2 }
            guard next < words.count else { continue }
            if words[next].isMark(":"), next + 1 < words.count, words[next + 1].isMark("=") {
                return true
            }
            guard words[next].isMark("=") else { continue }
            let before = index > 0 ? words[index - 1] : nil
            if before == nil || before?.isMark(";") == true || before?.isMark(",") == true
                || starts.contains(where: { before?.isKeyword($0) == true })
            {
                return true
            }
        }
        return false
    }
}

/// One pass over the bytes.
private struct Reader {
    let bytes: [UInt8]
    let hasEscapes: Bool
    private var index = 0

    init(bytes: [UInt8], hasEscapes: Bool) {
        self.bytes = bytes
        self.hasEscapes = hasEscapes
    }

    private func byte(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    mutating func read() -> [SQLWords.Word] {
        var words: [SQLWords.Word] = []
        while let byte = byte() {
            let start = index
            func add(_ text: String, _ kind: SQLWords.Word.Kind) {
                words.append(.init(text: text, kind: kind, range: start..<min(index, bytes.count)))
            }
            switch byte {
            case UInt8(ascii: "-") where self.byte(1) == UInt8(ascii: "-"): skipLine()
            case UInt8(ascii: "#") where hasEscapes: skipLine()
            case UInt8(ascii: "/") where self.byte(1) == UInt8(ascii: "*"): skipComment()
            case UInt8(ascii: "'"):
                add(quoted(byte, hasEscapes), .literal)
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                add(quoted(byte, false), .quotedName)
            case UInt8(ascii: "["):
                // In SQLite this is a name, elsewhere an index of an array.
                add(quoted(UInt8(ascii: "]"), false), .quotedName)
            case UInt8(ascii: "$"):
                if let text = dollarQuoted() {
                    add(text, .literal)
                } else {
                    words.append(plain())
                }
            default:
                if byte <= 0x20 { index += 1 } else { words.append(plain()) }
            }
        }
        return words
    }

    private mutating func skipLine() {
        while let byte = byte(), byte != UInt8(ascii: "\n") { index += 1 }
    }

    private mutating func skipComment() {
        index += 2
        while let byte = byte(), !(byte == UInt8(ascii: "*") && self.byte(1) == UInt8(ascii: "/")) {
            index += 1
        }
        index += 2
    }

    private mutating func quoted(_ end: UInt8, _ hasEscapes: Bool) -> String {
        var content: [UInt8] = []
        index += 1
        while let byte = byte() {
            if byte == UInt8(ascii: "\\"), hasEscapes {
                index += 1
            } else if byte == end {
                guard end != UInt8(ascii: "]"), self.byte(1) == end else { break }
                index += 1
            }
            if let byte = self.byte() { content.append(byte) }
            index += 1
        }
        index += 1
        return String(decoding: content, as: UTF8.self)
    }

    /// Reads `$tag$ … $tag$`. For another dollar sign it returns `nil` and reads nothing.
    private mutating func dollarQuoted() -> String? {
        var end = index + 1
        while end < bytes.count, Self.isLetter(bytes[end]), bytes[end] != UInt8(ascii: "$") {
            end += 1
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$") else { return nil }
        let tag = Array(bytes[index...end])
        var close = end + 1
        while close + tag.count <= bytes.count {
            if bytes[close] == tag[0], Array(bytes[close..<(close + tag.count)]) == tag {
                let text = String(decoding: bytes[(end + 1)..<close], as: UTF8.self)
                index = close + tag.count
                return text
            }
            close += 1
        }
        return nil
    }

    private mutating func plain() -> SQLWords.Word {
        let start = index
        while let byte = byte(), Self.isLetter(byte) { index += 1 }
        let isMark = index == start
        if isMark { index += 1 }
        return .init(
            text: String(decoding: bytes[start..<index], as: UTF8.self),
            kind: isMark ? .mark : .plain, range: start..<index)
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
