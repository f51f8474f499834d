/// A decimal number read from text, digit by digit, without a binary fraction in between.
package struct DecimalText: Hashable, Sendable {
    package let isNegative: Bool
    /// Significant digits as ASCII, without leading or trailing zeros; empty for zero.
    package let digits: [UInt8]
    /// The value is 0.`digits` × 10^`exponent`.
    package let exponent: Int

    /// More digits than any database stores. The limit keeps hostile text cheap.
    private static let maximumLength = 200_000
    private static let maximumExponent = 1_000_000

    package init(_ number: Int64) {
        let magnitude = Array(String(number.magnitude).utf8)
        self.init(isNegative: number < 0, digits: magnitude, pointAt: magnitude.count)
    }

    /// `nil` when the text is not a plain or scientific decimal number. Spaces and `NaN` are not
    /// allowed.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else { return nil }
        var index = 0
        var isNegative = false
        if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            index = 1
        }
        var digits: [UInt8] = []
        var pointAt: Int?
        loop: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(bytes[index])
            case UInt8(ascii: ".") where pointAt == nil: pointAt = digits.count
            default: break loop
            }
            index += 1
        }
        guard !digits.isEmpty else { return nil }
        var power = 0
        if index < bytes.count {
            guard bytes[index] | 0x20 == UInt8(ascii: "e"),
                let parsed = Int(String(decoding: bytes[(index + 1)...], as: UTF8.self)),
                (-Self.maximumExponent...Self.maximumExponent).contains(parsed)
            else { return nil }
            power = parsed
        }
        self.init(
            isNegative: isNegative, digits: digits, pointAt: (pointAt ?? digits.count) + power)
    }

    init(isNegative: Bool, digits: [UInt8], pointAt: Int) {
        let zero = UInt8(ascii: "0")
        let leading = digits.prefix { $0 == zero }.count
        let significant = digits.dropFirst(leading)
        let trailing = significant.reversed().prefix { $0 == zero }.count
        self.digits = Array(significant.dropLast(trailing))
        self.isNegative = isNegative && !self.digits.isEmpty
        exponent = self.digits.isEmpty ? 0 : pointAt - leading
    }

    /// `9.80`, `9.8` and `98e-1` all become `9.8`. Two such texts are equal exactly when the
    /// numbers are.
    package var normalized: String {
        if digits.isEmpty { return "0" }
        // A short number has plain notation, so that a person can read it.
        let count = digits.count
        var text = isNegative ? "-" : ""
        if exponent > 0, exponent <= 80 {
            let whole = digits.prefix(exponent)
            text += String(decoding: whole, as: UTF8.self)
            text += String(repeating: "0", count: exponent - whole.count)
            if count > exponent {
                text += "." + String(decoding: digits[exponent...], as: UTF8.self)
            }
        } else if exponent <= 0, exponent > -80 {
            text +=
                "0." + String(repeating: "0", count: -exponent)
                + String(decoding: digits, as: UTF8.self)
        } else {
            text += "0." + String(decoding: digits, as: UTF8.self) + "e\(exponent)"
        }
        return text
    }

    /// How many digits the number has in all, before and after the point.
    package var significantDigits: Int { digits.count }
}

extension ColumnType {
    /// How many significant digits a decimal text has; `nil` for any other text. A binary double
    /// keeps up to 15.
    public static func significantDigits(ofDecimal text: String) -> Int? {
        DecimalText(text)?.significantDigits
    }
}
