import MoorageCore

/// A word of a filter's text.
struct FilterToken {
    enum Kind: Hashable {
        /// A column's name, plain or in double quotes.
        case name(String)
        case keyword(Keyword)
        /// A decimal number in its normal form.
        case number(String)
        case text(String)
        /// The name behind a colon.
        case parameter(String)
        case mark(Mark)
        case end
    }

    /// In either case of ASCII; a column of such a name is written in double quotes.
    enum Keyword: String {
        case and = "AND"
        case or = "OR"
        case not = "NOT"
        case isWord = "IS"
        case inWord = "IN"
        case null = "NULL"
        case trueWord = "TRUE"
        case falseWord = "FALSE"

        /// Unicode's upper case would also read other letters as these, such as `ı` as `I`.
        init?(_ word: String) {
            let upper = word.utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
            self.init(rawValue: String(decoding: upper, as: UTF8.self))
        }
    }

    enum Mark: String {
        case open = "("
        case close = ")"
        case comma = ","
        case equal = "="
        case unequal = "<>"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    let kind: Kind
    /// The position of its first byte.
    let place: Int

    /// Whether a plain name can begin with the byte. Bytes beyond ASCII are letters.
    static func beginsName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    static func continuesName(_ byte: UInt8) -> Bool { beginsName(byte) || isDigit(byte) }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// Why a filter cannot be read, and where.
struct FilterFault: Error {
    /// Which character it is, from 1.
    let character: Int
    /// A full sentence that repeats nothing of the text: it may come from the environment.
    let problem: String
}

/// Cuts the text of a filter into tokens. Any text is read to an end or to a fault.
struct FilterReading {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    func fault(at place: Int, _ problem: String) -> FilterFault {
        let before = String(decoding: bytes[..<min(place, bytes.count)], as: UTF8.self)
        return FilterFault(character: before.unicodeScalars.count + 1, problem: problem)
    }

    /// The next token; `end` again and again once there is no more.
    mutating func next() throws(FilterFault) -> FilterToken {
        while let byte, Self.spaces.contains(byte) { index += 1 }
        let place = index
        return FilterToken(kind: try kind(), place: place)
    }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }
    private var following: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }
    private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    private mutating func kind() throws(FilterFault) -> FilterToken.Kind {
        guard let byte else { return .end }
        switch byte {
        case UInt8(ascii: "'"): return .text(try quoted(by: byte))
        case UInt8(ascii: "\""):
            let place = index
            let name = try quoted(by: byte)
            guard !name.isEmpty else { throw fault(at: place, FilterProblem.emptyName) }
            return .name(name)
        case UInt8(ascii: ":"): return .parameter(try parameter())
        case _ where FilterToken.beginsName(byte):
            let word = take(FilterToken.continuesName)
            if let keyword = FilterToken.Keyword(word) { return .keyword(keyword) }
            return .name(word)
        case _ where FilterToken.isDigit(byte) || isSign(byte): return .number(try number())
        default: return .mark(try mark())
        }
    }

    private func isSign(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") && following.map(FilterToken.isDigit) == true
    }

    private mutating func take(_ belongs: (UInt8) -> Bool) -> String {
        let start = index
        while let byte, belongs(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// The text in quotes, each quote in it written twice.
    private mutating func quoted(by quote: UInt8) throws(FilterFault) -> String {
        let start = index
        var content: [UInt8] = []
        index += 1
        while let byte {
            if byte == quote {
                guard following == quote else {
                    index += 1
                    return String(decoding: content, as: UTF8.self)
                }
                index += 1
            }
            guard byte != 0 else { throw fault(at: index, FilterProblem.nul) }
            content.append(byte)
            index += 1
        }
        throw fault(at: start, FilterProblem.openQuote)
    }

    /// The name has the characters that the name of a kind of scope may have.
    private mutating func parameter() throws(FilterFault) -> String {
        let start = index
        index += 1
        let name = take { byte in
            (FilterToken.continuesName(byte) && byte < 0x80) || byte == UInt8(ascii: "-")
        }
        let isName = name.utf8.first.map(FilterToken.beginsName) == true
        guard isName, name.utf8.count <= ScopeRule.maximumKindBytes,
            byte.map(FilterToken.continuesName) != true, byte != UInt8(ascii: ".")
        else { throw fault(at: start, FilterProblem.badParameter) }
        return name
    }

    private mutating func number() throws(FilterFault) -> String {
        let start = index
        if byte == UInt8(ascii: "-") { index += 1 }
        var text = String(decoding: bytes[start..<index], as: UTF8.self)
        var digits = take(FilterToken.isDigit)
        text += digits
        if byte == UInt8(ascii: "."), following.map(FilterToken.isDigit) == true {
            index += 1
            let fraction = take(FilterToken.isDigit)
            digits += fraction
            text += "." + fraction
        }
        guard byte.map(FilterToken.continuesName) != true, byte != UInt8(ascii: "."),
            digits.utf8.count <= Self.maximumDigits,
            case .text(let normal) = ColumnType.decimal.normalized(.text(text))
        else { throw fault(at: start, FilterProblem.badNumber(most: Self.maximumDigits)) }
        return normal
    }

    /// Every central database compares so many digits exactly, except SQLite.
    private static let maximumDigits = 38

    private mutating func mark() throws(FilterFault) -> FilterToken.Mark {
        let two = String(decoding: bytes[index..<min(index + 2, bytes.count)], as: UTF8.self)
        let pair = FilterToken.Mark(rawValue: two == "!=" ? "<>" : two)
        if let pair, pair.rawValue.utf8.count == 2 {
            index += 2
            return pair
        }
        let one = String(decoding: bytes[index..<(index + 1)], as: UTF8.self)
        guard let mark = FilterToken.Mark(rawValue: one) else {
            throw fault(at: index, FilterProblem.strangeCharacter)
        }
        index += 1
        return mark
    }
}
