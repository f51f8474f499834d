extension DecimalText {
    /// The most digits of an exact sum; numbers that lie further apart are not added.
    private static let maximumSumDigits = 200_000

    /// The exact sum; `nil` when it would have more digits than any database stores.
    func adding(_ other: DecimalText) -> DecimalText? {
        if other.digits.isEmpty { return self }
        if digits.isEmpty { return other }
        let top = max(exponent, other.exponent)
        let bottom = min(exponent - digits.count, other.exponent - other.digits.count)
        guard top - bottom <= Self.maximumSumDigits else { return nil }
        let left = placed(from: top, to: bottom)
        let right = other.placed(from: top, to: bottom)
        let isSum = isNegative == other.isNegative
        let isSwapped = !isSum && left.lexicographicallyPrecedes(right)
        let (large, small) = isSwapped ? (right, left) : (left, right)
        var result = [UInt8](repeating: 0, count: large.count + 1)
        var carry = 0
        for index in large.indices.reversed() {
            let digit = Int(large[index]) + (isSum ? Int(small[index]) : -Int(small[index])) + carry
            carry = digit > 9 ? 1 : digit < 0 ? -1 : 0
            result[index + 1] = UInt8(digit - carry * 10)
        }
        // The larger number minus the smaller one leaves no borrow.
        result[0] = UInt8(max(carry, 0))
        return DecimalText(
            isNegative: isSwapped ? other.isNegative : isNegative,
            digits: result.map { $0 + UInt8(ascii: "0") }, pointAt: top + 1)
    }

    var negated: DecimalText {
        DecimalText(isNegative: !isNegative, digits: digits, pointAt: exponent)
    }

    package func isLess(than other: DecimalText) -> Bool {
        if isNegative != other.isNegative { return isNegative }
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        let isCloser =
            exponent == other.exponent
            ? digits.lexicographicallyPrecedes(other.digits) : exponent < other.exponent
        return isNegative ? self != other && !isCloser : isCloser
    }

    /// The digits as numbers, from the place `top` down to the place `bottom`.
    private func placed(from top: Int, to bottom: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: top - exponent)
            + digits.map { $0 - UInt8(ascii: "0") }
            + [UInt8](repeating: 0, count: exponent - digits.count - bottom)
    }
}
