/// Why a text is not JSON that we accept, and where. The error never quotes the text.
package struct JSONError: Error, Hashable, Sendable {
    package let message: String
    /// Bytes from the start of the document.
    package let offset: Int
    /// The text may be JSON, but needs more memory than it may use.
    package let isTooLarge: Bool
}

extension JSON {
    /// Deeper nesting is refused. None of our messages comes near this depth, and the parser
    /// recurses.
    package static let maximumDepth = 64
    /// About how many bytes of memory a document may need. A few bytes of text can need many.
    package static let maximumMemory = 256_000_000

    /// Parses one document that fills the text.
    package init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Parses one document that fills the bytes, within ``maximumMemory``.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        var left = Self.maximumMemory
        try self.init(parsing: bytes) { count in
            left -= count
            return left >= 0
        }
    }

    /// Parses one document that fills the bytes.
    ///
    /// - Parameter reserve: Called with about how many bytes of memory the parser is going to use.
    ///   It returns `false` to refuse them.
    /// - Throws: ``JSONError`` for anything that RFC 8259 does not allow, for invalid UTF-8 and for
    ///   lone surrogates. It also throws for two members of one name, nesting beyond
    ///   ``maximumDepth``, and memory that was refused.
    package init(
        parsing bytes: [UInt8], reserve: @escaping (Int) -> Bool
    ) throws(JSONError) {
        var parser = JSONParser(bytes: bytes, reserve: reserve)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.isAtEnd else { throw parser.error("text after the document") }
        self = value
    }
}

private struct JSONParser {
    /// What a value, or a member's name, needs in addition to its text. It has a box, a place in a
    /// growing list, and what is read from it.
    private static let bytesOfValue = 100
    /// Null has no box.
    private static let bytesOfNull = 24

    private let bytes: [UInt8]
    private let reserve: (Int) -> Bool
    private var index = 0

    init(bytes: [UInt8], reserve: @escaping (Int) -> Bool) {
        self.bytes = bytes
        self.reserve = reserve
    }

    var isAtEnd: Bool { index == bytes.count }

    func error(_ message: String) -> JSONError {
        JSONError(message: message, offset: index, isTooLarge: false)
    }

    private func use(memory count: Int) throws(JSONError) {
        guard reserve(count) else {
            throw JSONError(
                message: "it takes more memory than it may", offset: index, isTooLarge: true)
        }
    }

    mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    mutating func value(depth: Int) throws(JSONError) -> JSON {
        guard depth <= JSON.maximumDepth else { throw error("nested too deeply") }
        skipSpace()
        guard index < bytes.count else { throw error("the document ends too early") }
        let isNull = bytes[index] == UInt8(ascii: "n")
        try use(memory: isNull ? Self.bytesOfNull : Self.bytesOfValue)
        switch bytes[index] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        default: return .number(try number())
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { throw error("not a value") }
        for step in 0..<count where bytes[index + step] != text.utf8Start[step] {
            throw error("not a value")
        }
        index += count
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSON {
        index += 1
        var elements: [JSON] = []
        skipSpace()
        if consume("]") { return .array(elements) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if consume("]") { return .array(elements) }
            guard consume(",") else { throw error("a comma or the end of the array is missing") }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSON {
        index += 1
        var members: [(name: String, value: JSON)] = []
        var names: Set<Value> = []
        skipSpace()
        if consume("}") { return .object(members) }
        while true {
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
                throw error("a member's name is missing")
            }
            try use(memory: Self.bytesOfValue)
            let name = try string()
            // With two members of one name, two readers could read two different things.
            guard names.insert(.text(name)).inserted else {
                throw error("two members have one name")
            }
            skipSpace()
            guard consume(":") else { throw error("a colon is missing") }
            members.append((name, try value(depth: depth + 1)))
            skipSpace()
            if consume("}") { return .object(members) }
            guard consume(",") else { throw error("a comma or the end of the object is missing") }
        }
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func number() throws(JSONError) -> String {
        let start = index
        _ = consume("-")
        guard let whole = digits(), whole.count == 1 || bytes[whole.lowerBound] != UInt8(ascii: "0")
        else {
            throw error("not a value")
        }
        if consume("."), digits() == nil { throw error("not a number") }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if !consume("+") { _ = consume("-") }
            guard digits() != nil else { throw error("not a number") }
        }
        return try text(bytes[start..<index])
    }

    private mutating func digits() -> Range<Int>? {
        let start = index
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
        return index > start ? start..<index : nil
    }

    private mutating func string() throws(JSONError) -> String {
        index += 1
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""),
            bytes[index] != UInt8(ascii: "\\")
        {
            guard bytes[index] >= 0x20 else {
                throw error("a control character stands in a string")
            }
            index += 1
        }
        guard index < bytes.count else { throw error("a string does not end") }
        if bytes[index] == UInt8(ascii: "\"") {
            let text = try text(bytes[start..<index])
            index += 1
            return text
        }
        return try escapedString(from: start)
    }

    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var content = Array(bytes[start..<index])
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                let text = try text(content[...])
                index += 1
                return text
            }
            guard byte >= 0x20 else { throw error("a control character stands in a string") }
            index += 1
            if byte == UInt8(ascii: "\\") {
                content.append(contentsOf: Array(String(try escape()).utf8))
            } else {
                content.append(byte)
            }
        }
        throw error("a string does not end")
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard index < bytes.count else { throw error("a string does not end") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw error("an unknown escape stands in a string")
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800...0xDBFF).contains(first), consume("\\"), consume("u") else {
            throw error("half of a surrogate pair stands alone")
        }
        let second = try fourHexDigits()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half of a surrogate pair stands alone") }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        guard index + 4 <= bytes.count,
            bytes[index..<(index + 4)].allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }
            ),
            let value = UInt32(
                String(decoding: bytes[index..<(index + 4)], as: UTF8.self), radix: 16)
        else { throw error("four hex digits are missing") }
        index += 4
        return value
    }

    private func text(_ slice: ArraySlice<UInt8>) throws(JSONError) -> String {
        try use(memory: slice.count)
        guard let text = String(exactly: slice) else { throw error("text is not UTF-8") }
        return text
    }
}

extension String {
    /// The text of these bytes, or `nil` when they are not UTF-8. Nothing is repaired silently.
    package init?(exactly bytes: some Collection<UInt8>) {
        // Other modules call this unspecialized, so the work runs on plain bytes.
        let text =
            bytes.withContiguousStorageIfAvailable(Self.exactly)
            ?? Array(bytes).withUnsafeBufferPointer(Self.exactly)
        guard let text else { return nil }
        self = text
    }

    private static func exactly(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var text = String(decoding: bytes, as: UTF8.self)
        // A repair always changes the bytes. To compare them is cheaper than to decode twice.
        let isSame = text.withUTF8 { repaired in
            guard repaired.count == bytes.count else { return false }
            for index in bytes.indices where repaired[index] != bytes[index] { return false }
            return true
        }
        return isSame ? text : nil
    }
}
