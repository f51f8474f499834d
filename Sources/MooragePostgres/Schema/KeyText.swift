import MoorageCore

/// Which texts PostgreSQL reads as a value of a type. A text that it cannot read makes the whole
/// statement fail, and with it every other key that the statement names.
enum KeyText {
    /// Whether the server reads a text that comes from a device.
    static func isReadable(_ text: String, as column: NativeColumn) -> Bool {
        guard column.type.accepts(.text(text)) else { return false }
        switch column.family {
        case .numeric, .money: return isShortDecimal(text)
        // Near the first and the last year a text keeps its offset. The server accepts fewer
        // offsets there than a device.
        case .timestamp, .instant:
            let time = text.utf8.dropFirst(10)
            return !time.contains { "+-Z".utf8.contains($0) }
        default: return true
        }
    }

    /// Whether the server reads a text of a tracking table, which may be one that devices cannot
    /// store.
    static func isReadableOwn(_ text: String, as column: NativeColumn) -> Bool {
        if isReadable(text, as: column) { return true }
        switch column.family {
        case .numeric, .money:
            return ["NaN", "Infinity", "-Infinity"].contains(text) || isLongDecimal(text)
        case .date, .timestamp, .instant:
            return text == "infinity" || text == "-infinity" || isFarTime(text, in: column)
        default: return false
        }
    }

    /// `0.1e131072`: long keys are sent with an exponent, which the server reads as far as
    /// `numeric` goes.
    private static func isLongDecimal(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: "e", omittingEmptySubsequences: false)
        guard let mantissa = parts.first, parts.count <= 2,
            let exponent = parts.count == 2 ? Int(parts[1]) : 0
        else { return false }
        let sides = mantissa.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(sides.count),
            sides.allSatisfy({ side in
                !side.isEmpty && side.utf8.allSatisfy { (48...57).contains($0) }
            })
        else { return false }
        let whole = sides[0] == "0" ? 0 : sides[0].utf8.count
        let fraction = sides.count == 2 ? sides[1].utf8.count : 0
        return (-16_383...131_072).contains(exponent) && whole + exponent <= 131_072
            && fraction - exponent <= 16_383
    }

    /// At most as many digits as `numeric` keeps, without an exponent, because PostgreSQL writes
    /// none.
    private static func isShortDecimal(_ text: String) -> Bool {
        let bytes = text.utf8
        if bytes.contains(UInt8(ascii: "e")) || bytes.contains(UInt8(ascii: "E")) { return false }
        let whole = bytes.prefix { $0 != UInt8(ascii: ".") }.count
        return whole <= 131_072 && bytes.count - whole <= 16_384
    }

    /// A date before Christ or after the year 9999. The calendar repeats itself every 400 years.
    private static func isFarTime(_ text: String, in column: NativeColumn) -> Bool {
        let isBeforeChrist = text.hasSuffix(" BC")
        let words = isBeforeChrist ? String(text.dropLast(3)) : text
        let digits = words.prefix { $0 != "-" }
        guard (4...7).contains(digits.utf8.count), let year = Int(digits), year > 0 else {
            return false
        }
        let rest = String(words.dropFirst(digits.count))
        let last = column.family == .date ? 5_874_897 : 294_276
        guard isBeforeChrist ? isAfterFirstDay(year, rest) : year <= last else { return false }
        let same = ((isBeforeChrist ? 1 - year : year) % 400 + 400) % 400 + 2000
        let near = "\(same)" + rest
        if column.family == .date, rest.utf8.count != 6 { return false }
        return isReadable(near, as: column)
    }

    /// PostgreSQL counts days from 4714-11-24 BC on.
    private static func isAfterFirstDay(_ year: Int, _ rest: String) -> Bool {
        year < 4714
            || year == 4714
                && !Array(rest.utf8).lexicographicallyPrecedes(Array("-11-24".utf8))
    }
}
