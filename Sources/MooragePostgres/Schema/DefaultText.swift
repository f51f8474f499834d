import MoorageCore

/// Reads a column's default, as the server prints it. Devices receive a constant. Only the server
/// computes anything else.
enum DefaultText {
    static func parse(_ text: String?, type: ColumnType) -> ColumnDefault {
        guard let text else { return .none }
        var body = Substring(text)
        // The server prints (-1) with parentheses.
        while body.hasPrefix("("), body.hasSuffix(")") { body = body.dropFirst().dropLast() }
        guard let constant = constant(body) else { return .central }
        guard let words = constant else { return .none }
        let value: Value?
        switch type {
        case .integer: value = Int64(words).map(Value.integer)
        case .boolean:
            value =
                ["true", "t"].contains(words)
                ? .integer(1)
                : ["false", "f"].contains(words)
                    ? .integer(0) : nil
        case .real: value = Double(words).map(Value.real)
        case .blob: value = bytes(words).map(Value.blob)
        default:
            let candidate = Value.text(words)
            value = type.accepts(candidate) ? type.normalized(candidate) : nil
        }
        return value.map(ColumnDefault.value) ?? .central
    }

    /// The constant's text; `.some(nil)` for NULL, and `nil` for any other expression.
    private static func constant(_ text: Substring) -> String?? {
        if text.hasPrefix("'") {
            var result = ""
            var rest = text.dropFirst()
            while let character = rest.popFirst() {
                if character != "'" {
                    result.append(character)
                } else if rest.first == "'" {
                    rest.removeFirst()
                    result.append("'")
                } else {
                    return isCast(rest) ? .some(result) : nil
                }
            }
            return nil
        }
        let word = text.prefix { $0 != ":" }
        guard isCast(text.dropFirst(word.count)) else { return nil }
        if word.uppercased() == "NULL" { return .some(nil) }
        if word == "true" || word == "false" { return .some(String(word)) }
        let isNumber = word.utf8.allSatisfy {
            ($0 >= 48 && $0 <= 57) || $0 == 45 || $0 == 46 || $0 == 43 || $0 | 32 == 101
        }
        return isNumber && word.utf8.contains { $0 >= 48 && $0 <= 57 } ? .some(String(word)) : nil
    }

    /// Whether the text is empty or `::type`, without anything after it that could be an operator.
    private static func isCast(_ text: Substring) -> Bool {
        if text.isEmpty { return true }
        guard text.hasPrefix("::") else { return false }
        return text.dropFirst(2).allSatisfy {
            $0.isLetter || $0.isNumber || " _.\"(),[]".contains($0)
        }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("\\x") else { return nil }
        let digits = Array(text.utf8.dropFirst(2))
        guard digits.count % 2 == 0 else { return nil }
        var result: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard
                let byte = UInt8(
                    String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
            else { return nil }
            result.append(byte)
        }
        return result
    }
}
