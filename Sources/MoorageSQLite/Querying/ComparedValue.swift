import GRDBSQLite
import MoorageCore

/// The form in which SQLite compares and orders the values of a type by their meaning, as an SQL
/// function and as an argument. Values that are not of the type keep their own form, and are equal
/// to nothing else.
enum ComparedValue {
    /// The name of the function: `moorage_compared_timestamp_6`.
    static func function(_ type: ColumnType) -> String {
        let words = type.name.utf8.split { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")") }
        return "moorage_compared_"
            + words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
    }

    static func form(_ value: Value, _ type: ColumnType) -> Value {
        switch (type, value) {
        case (.decimal, .blob(let bytes)): return .blob([Kind.other.rawValue] + bytes)
        case (.decimal, _):
            guard case .text(let text) = type.normalized(value), let number = DecimalText(text)
            else { return value }
            return .blob(form(number))
        // A type with STRING in it has numeric affinity.
        case (.text, .integer(let number)): return .text(String(number))
        case (.text, .real(let number)) where number.isFinite: return .text(number.description)
        case (.real, .integer(let number)): return .real(Double(number))
        default: return type.normalized(value)
        }
    }

    // MARK: Decimals

    /// What a decimal's form begins with, in their order.
    private enum Kind: UInt8 {
        case negative, zero, positive, other
    }

    /// Bytes that are ordered as the numbers are: the sign, the place of the first digit, and the
    /// digits. Those of a negative number are turned around, and end with a byte above all others.
    private static func form(_ number: DecimalText) -> [UInt8] {
        guard !number.digits.isEmpty else { return [Kind.zero.rawValue] }
        let place = withUnsafeBytes(
            of: (UInt32(bitPattern: Int32(clamping: number.exponent)) ^ 1 << 31).bigEndian,
            Array.init)
        let bytes = place + number.digits
        return number.isNegative
            ? [Kind.negative.rawValue] + bytes.map { ~$0 } + [.max]
            : [Kind.positive.rawValue] + bytes
    }
}
