import MoorageCore

/// Reads a column's default. Devices receive a constant. Only the server computes anything else.
enum DefaultText {
    /// Reads a default as MariaDB prints it: texts in quotes, NULL as a word, expressions as they
    /// are.
    static func parse(_ text: String, type: ColumnType) -> ColumnDefault {
        if text.uppercased() == "NULL" { return .none }
        if text.hasPrefix("'") {
            return unquoted(text).map { constant($0, type: type) } ?? .central
        }
        let isNumber = text.utf8.allSatisfy {
            ($0 >= 48 && $0 <= 57) || $0 == 45 || $0 == 46 || $0 == 43 || $0 | 32 == 101
        }
        guard isNumber, text.utf8.contains(where: { $0 >= 48 && $0 <= 57 }) else { return .central }
        return constant(text, type: type)
    }

    /// Reads a constant of this type. The server computes any other text, such as a bit literal.
    static func constant(_ words: String, type: ColumnType) -> ColumnDefault {
        let value: Value?
        switch type {
        case .integer: value = Int64(words).map(Value.integer)
        case .boolean: value = words == "1" ? .integer(1) : words == "0" ? .integer(0) : nil
        case .real: value = Double(words).map(Value.real)
        case .blob: value = nil
        default:
            let candidate = Value.text(words)
            value = type.accepts(candidate) ? type.normalized(candidate) : nil
        }
        return value.map(ColumnDefault.value) ?? .central
    }

    /// The text between the quotes. Within it a quote is doubled or follows a backslash.
    static func unquoted(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 2, bytes.last == UInt8(ascii: "'") else { return nil }
        var content: [UInt8] = []
        var index = 1
        while index < bytes.count - 1 {
            switch bytes[index] {
            case UInt8(ascii: "'"):
                index += 1
                guard index < bytes.count - 1, bytes[index] == UInt8(ascii: "'") else {
                    return nil
                }
                content.append(bytes[index])
            case UInt8(ascii: "\\") where index + 1 < bytes.count - 1:
                index += 1
                content.append(escaped[bytes[index]] ?? bytes[index])
            default: content.append(bytes[index])
            }
            index += 1
        }
        return String(decoding: content, as: UTF8.self)
    }

    private static let escaped: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "0"): 0,
        UInt8(ascii: "Z"): 26,
    ]
}
