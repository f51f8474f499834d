/// One element of a header that is a list, such as `Accept` or `Prefer` (RFC 9110, 5.6).
struct HeaderElement: Hashable {
    /// A name, and a value in or without quotes.
    struct Parameter: Hashable {
        /// In lower case.
        let name: String
        /// Without its quotes; empty where there is none.
        let value: String
    }

    /// What comes before the parameters, without the spaces around it.
    let value: String
    let parameters: [Parameter]

    /// The elements of all values of a header. Commas and semicolons within quotes divide nothing.
    static func all(of values: [String]) -> [HeaderElement] {
        values.flatMap { value in
            parts(of: Array(value.utf8)[...], at: UInt8(ascii: ",")).compactMap {
                HeaderElement($0)
            }
        }
    }

    /// - Returns: `nil` for an element without anything in it.
    private init?(_ text: ArraySlice<UInt8>) {
        var parts = Self.parts(of: text, at: UInt8(ascii: ";")).map(Self.trimmed)
        let first = parts.removeFirst()
        if first.isEmpty { return nil }
        value = String(decoding: first, as: UTF8.self)
        parameters = parts.map { Parameter($0) }
    }

    /// The first part as a name and a value, as `Prefer` has it.
    var preference: Parameter { Parameter(Array(value.utf8)[...]) }

    /// Divides at a mark. There is at least one part.
    private static func parts(
        of text: ArraySlice<UInt8>, at mark: UInt8
    ) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in zip(text.indices, text) {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == mark, !isQuoted {
                parts.append(text[start..<index])
                start = index + 1
            }
        }
        return parts + [text[start...]]
    }

    fileprivate static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = text.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }
        return end.map { start[...$0] } ?? []
    }
}

extension HeaderElement.Parameter {
    fileprivate init(_ text: ArraySlice<UInt8>) {
        let end = text.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
        name = String(decoding: HeaderElement.trimmed(text[..<end]), as: UTF8.self).lowercased()
        value = Self.unquoted(HeaderElement.trimmed(text[end...].dropFirst()))
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> String {
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else {
            return String(decoding: text, as: UTF8.self)
        }
        var content: [UInt8] = []
        var rest = text.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            content.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return String(decoding: content, as: UTF8.self)
    }
}
