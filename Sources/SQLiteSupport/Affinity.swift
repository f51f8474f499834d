package import MoorageCore

/// The class to which SQLite converts what a column stores (section 3.1 of its documentation).
package enum Affinity: Hashable, Sendable {
    case integer, text, blob, real, numeric

    /// - Parameters:
    ///   - declaredType: The column's declared type; empty where the column declares no type.
    ///   - isStrict: Whether the table is `STRICT`, where `ANY` keeps every value as it is.
    package init(declaredType: String, isStrict: Bool = false) {
        let type = declaredType.uppercased()
        if isStrict && type == "ANY" {
            self = .blob
        } else if type.contains("INT") {
            self = .integer
        } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
            self = .text
        } else if type.contains("BLOB") || type.isEmpty {
            self = .blob
        } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
            self = .real
        } else {
            self = .numeric
        }
    }
}

extension Affinity {
    /// A value in the form in which SQLite stores it in such a column.
    package func stored(_ value: Value) -> Value {
        switch (self, value) {
        case (.text, .integer(let number)): return .text(String(number))
        case (.integer, .text(let text)), (.numeric, .text(let text)):
            return Self.number(text) ?? value
        case (.real, .text(let text)):
            guard let number = Self.number(text) else { return value }
            return stored(number)
        case (.real, .integer(let number)): return .real(Double(number))
        default: return value
        }
    }

    /// The number that a text is; `nil` for any other text, and for a number that would lose digits.
    private static func number(_ text: String) -> Value? {
        if let integer = Int64(text) { return .integer(integer) }
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        guard isPlain, text.utf8.count <= 16, let real = Double(text), real.isFinite else {
            return nil
        }
        return Int64(exactly: real).map(Value.integer) ?? .real(real)
    }
}
