import MoorageCore

/// Reads names that separators divide, such as `freight, "odd, name"`. A name with a separator or
/// a quote is in double quotes, and each quote in it is written twice.
struct NameReading {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skipSpaces() { while skip(" ") {} }

    /// The name up to the next separator or the end.
    ///
    /// - Returns: `nil` where there is none, and where a quote is not closed.
    mutating func name(before separators: [Unicode.Scalar]) -> String? {
        skipSpaces()
        let marks = separators.map { UInt8(ascii: $0) }
        let name: [UInt8]
        if skip("\"") {
            guard let quoted = quotedName() else { return nil }
            name = quoted
            skipSpaces()
        } else {
            let end = rest.firstIndex(where: marks.contains) ?? rest.endIndex
            let plain = rest[..<end]
            rest = rest[end...]
            let last = plain.lastIndex { $0 != UInt8(ascii: " ") }
            name = Array(plain[..<(last.map { $0 + 1 } ?? plain.startIndex)])
            guard !name.contains(UInt8(ascii: "\"")) else { return nil }
        }
        guard !name.isEmpty, rest.first.map(marks.contains) ?? true else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// The name as a list has it, in quotes where it would be read as something else.
    static func written(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let isPlain =
            bytes.first != UInt8(ascii: "-") && bytes.first != UInt8(ascii: " ")
            && bytes.last != UInt8(ascii: " ")
            && !bytes.contains {
                $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".")
                    || $0 == UInt8(ascii: "\"")
            }
        return isPlain ? name : SQLText.name(name)
    }

    private mutating func quotedName() -> [UInt8]? {
        var name: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\""), !skip("\"") { return name }
            name.append(byte)
        }
        return nil
    }
}
