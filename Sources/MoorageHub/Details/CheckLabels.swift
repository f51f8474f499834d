/// The labels that a simple check allows a column, such as `status IN ('open', 'closed')`.
///
/// It reads what SQLite, PostgreSQL, MariaDB and MySQL write for that, and nothing else. A check
/// with any other word, or with a backslash in a label, is not a simple one.
struct CheckLabels: Hashable {
    /// The column's name in the check, whose case may differ from the column's own.
    let column: String
    /// At least one, in the check's order.
    let labels: [String]

    /// More text than a list of labels has.
    private static let maximumBytes = 20_000

    init?(_ check: String) {
        guard check.utf8.count <= Self.maximumBytes, let tokens = CheckToken.read(check) else {
            return nil
        }
        let whole = tokens[...].bare
        guard let place = whole.outer({ $0.isWord("IN") || $0 == .mark("=") }),
            let list = whole[(place + 1)...].list(isArray: whole[place] == .mark("=")),
            let column = whole[..<place].bare.column
        else { return nil }
        var labels: [String] = []
        var rest = list
        while true {
            let end = rest.outer { $0 == .mark(",") } ?? rest.endIndex
            guard let label = rest[..<end].bare.label else { return nil }
            labels.append(label)
            guard end < rest.endIndex else { break }
            rest = rest[(end + 1)...]
        }
        self.column = column
        self.labels = labels
    }
}

/// A piece of a check.
private enum CheckToken: Hashable {
    /// A keyword, a name or a number without quotes.
    case word(String)
    /// A name in quotes.
    case name(String)
    case literal(String)
    case mark(Unicode.Scalar)

    func isWord(_ keyword: String) -> Bool {
        if case .word(let word) = self { word.uppercased() == keyword } else { false }
    }
}

extension ArraySlice<CheckToken> {
    /// The place of the first token outside of brackets that fits.
    fileprivate func outer(_ fits: (CheckToken) -> Bool) -> Int? {
        var depth = 0
        for place in indices {
            if depth == 0, fits(self[place]) { return place }
            switch self[place] {
            case .mark("("), .mark("["): depth += 1
            case .mark(")"), .mark("]"): depth -= 1
            default: break
            }
        }
        return nil
    }

    /// The tokens between two brackets that are the first and the last token.
    fileprivate func content(_ open: Unicode.Scalar, _ close: Unicode.Scalar) -> Self? {
        guard first == .mark(open), let end = dropFirst().outer({ $0 == .mark(close) }),
            end == endIndex - 1
        else { return nil }
        return dropFirst().dropLast()
    }

    /// The tokens without brackets around them and casts behind them. It removes more than any
    /// database writes, and not without end.
    fileprivate var bare: Self {
        var rest = self
        for _ in 0..<16 {
            if let content = rest.content("(", ")") {
                rest = content
            } else if let cast = rest.outer({ $0 == .mark(":") }), rest[cast...].isCast {
                rest = rest[..<cast]
            } else {
                break
            }
        }
        return rest
    }

    /// `::character varying(10)`
    private var isCast: Bool {
        guard count > 2, dropFirst().first == .mark(":") else { return false }
        return dropFirst(2).allSatisfy { token in
            switch token {
            case .word, .name: true
            case .mark(let mark): ".,()[]".unicodeScalars.contains(mark)
            case .literal: false
            }
        }
    }

    /// The elements behind `IN`, or behind the `=` of `= ANY (ARRAY[…])`.
    fileprivate func list(isArray: Bool) -> Self? {
        guard isArray else { return content("(", ")") }
        guard first?.isWord("ANY") == true else { return nil }
        let array = dropFirst().bare
        guard array.first?.isWord("ARRAY") == true else { return nil }
        return array.dropFirst().content("[", "]")
    }

    fileprivate var column: String? {
        guard count == 1 else { return nil }
        switch first {
        case .word(let name)?, .name(let name)?: return name
        default: return nil
        }
    }

    /// A literal, which may have a character set before it: `_utf8mb4'open'`.
    fileprivate var label: String? {
        var rest = self
        if count == 2, case .word(let set)? = first, set.hasPrefix("_") { rest = dropFirst() }
        guard rest.count == 1, case .literal(let label)? = rest.first else { return nil }
        return label
    }
}

extension CheckToken {
    /// The tokens of a check; `nil` for a text with something that no simple check has.
    fileprivate static func read(_ check: String) -> [CheckToken]? {
        var rest = Array(check.utf8)[...]
        var tokens: [CheckToken] = []
        while let byte = rest.first {
            switch Unicode.Scalar(byte) {
            case "\0"..." ": rest.removeFirst()
            case "'":
                guard let text = quoted("'", &rest) else { return nil }
                tokens.append(.literal(text))
            case "\\":
                // MySQL lists a check with a backslash before each quote.
                guard let text = quoted("\\'", &rest) else { return nil }
                tokens.append(.literal(text))
            case "\"":
                guard let text = quoted("\"", &rest) else { return nil }
                tokens.append(.name(text))
            case "`":
                guard let text = quoted("`", &rest) else { return nil }
                tokens.append(.name(text))
            case "[" where tokens.last == nil || tokens.last == .mark("("):
                // A name in SQLite. The brackets of an array come after a word.
                rest.removeFirst()
                let name = rest.prefix { $0 != UInt8(ascii: "]") }
                tokens.append(.name(String(decoding: name, as: UTF8.self)))
                rest = rest[name.endIndex...].dropFirst()
            case "(", ")", "[", "]", ",", ".", ":", "=":
                tokens.append(.mark(Unicode.Scalar(byte)))
                rest.removeFirst()
            default:
                let word = rest.prefix(while: isLetter)
                guard !word.isEmpty else { return nil }
                tokens.append(.word(String(decoding: word, as: UTF8.self)))
                rest = rest[word.endIndex...]
            }
        }
        return tokens
    }

    /// Reads a text in quotes, each quote in it doubled. `nil` for one that has a backslash, which
    /// databases understand differently, or no end.
    private static func quoted(_ quote: String, _ rest: inout ArraySlice<UInt8>) -> String? {
        let quote = Array(quote.utf8)
        guard rest.starts(with: quote) else { return nil }
        rest = rest.dropFirst(quote.count)
        var content: [UInt8] = []
        while let byte = rest.first {
            if rest.starts(with: quote) {
                rest = rest.dropFirst(quote.count)
                guard rest.starts(with: quote) else {
                    return String(decoding: content, as: UTF8.self)
                }
                content += quote
                rest = rest.dropFirst(quote.count)
                continue
            }
            if byte == UInt8(ascii: "\\") { return nil }
            content.append(byte)
            rest.removeFirst()
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "$", "\u{80}"...: true
        default: false
        }
    }
}
