/// A date, a time of day or both, read from text: the proleptic Gregorian calendar, years 0001 to
/// 9999.
package struct CalendarText: Hashable, Sendable {
    package internal(set) var year = 1, month = 1, day = 1
    package internal(set) var hour = 0, minute = 0, second = 0
    package internal(set) var microsecond = 0
    /// Seconds east of UTC, if the text gave them.
    package internal(set) var offset: Int?

    /// `YYYY-MM-DD`, or a timestamp whose time is midnight (what some programs store in a date
    /// column).
    package init?(date text: String) {
        guard let parsed = CalendarText(timestamp: text),
            parsed.hour == 0, parsed.minute == 0, parsed.second == 0, parsed.microsecond == 0
        else { return nil }
        self = parsed
    }

    /// `HH:MM[:SS[.ffffff]]`, or the end of the day, `24:00:00`.
    package init?(time text: String) {
        if text.hasSameBytes(as: "24:00:00") {
            hour = 24
            return
        }
        var scanner = Scanner(text)
        guard readTime(&scanner), scanner.isAtEnd else { return nil }
    }

    /// `YYYY-MM-DD[( |T)HH:MM[:SS[.ffffff]]][Z|±HH[:MM[:SS]]]`.
    package init?(timestamp text: String) {
        var scanner = Scanner(text)
        guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2),
            scanner.skip("-"),
            let day = scanner.digits(2), (1...9999).contains(year), (1...12).contains(month),
            (1...Self.daysIn(month, year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        if scanner.isAtEnd { return }
        guard scanner.skip(" ") || scanner.skip("T"), readTime(&scanner) else { return nil }
        if scanner.isAtEnd { return }
        guard readOffset(&scanner), scanner.isAtEnd else { return nil }
    }

    /// The same instant in UTC; `nil` when it is outside the years that text can express.
    package var inUTC: CalendarText? {
        guard let offset, offset != 0 else { return withoutOffset }
        return withoutOffset.adding(seconds: -offset)
    }

    /// Rounded half away from zero to this many digits of a second, as PostgreSQL does. `nil`
    /// beyond the last year.
    package func rounded(to digits: Int) -> CalendarText? {
        var (result, carry) = fractionRounded(to: digits)
        guard carry else { return result }
        result.microsecond -= 1_000_000
        return result.adding(seconds: 1)
    }

    /// A time of day, rounded in the same way. The last moments of a day become `24:00:00`.
    package func timeRounded(to digits: Int) -> CalendarText {
        var (result, carry) = fractionRounded(to: digits)
        guard carry else { return result }
        let total = hour * 3600 + minute * 60 + second + 1
        (result.hour, result.minute, result.second) = (total / 3600, total / 60 % 60, total % 60)
        result.microsecond = 0
        return result
    }

    private func fractionRounded(to digits: Int) -> (CalendarText, carry: Bool) {
        var unit = 1
        for _ in min(max(digits, 0), 6)..<6 { unit *= 10 }
        var result = self
        result.microsecond = (microsecond + unit / 2) / unit * unit
        return (result, result.microsecond >= 1_000_000)
    }

    package var dateText: String {
        Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2)
    }

    package func timeText(_ digits: Int) -> String {
        let whole =
            Self.padded(hour, 2) + ":" + Self.padded(minute, 2) + ":" + Self.padded(second, 2)
        var fraction = Array(Self.padded(microsecond, 6).utf8.prefix(max(0, min(digits, 6))))
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        return fraction.isEmpty ? whole : whole + "." + String(decoding: fraction, as: UTF8.self)
    }

    package func text(_ digits: Int) -> String { dateText + " " + timeText(digits) }

    package func adding(seconds: Int) -> CalendarText? {
        let total = hour * 3600 + minute * 60 + second + seconds
        let days = total >= 0 ? total / 86_400 : (total - 86_399) / 86_400
        let rest = total - days * 86_400
        var result = self
        (result.hour, result.minute, result.second) = (rest / 3600, rest / 60 % 60, rest % 60)
        var remaining = days
        while remaining > 0 {
            result.day += 1
            if result.day > Self.daysIn(result.month, result.year) {
                result.day = 1
                result.month += 1
                if result.month > 12 { (result.month, result.year) = (1, result.year + 1) }
            }
            remaining -= 1
        }
        while remaining < 0 {
            result.day -= 1
            if result.day < 1 {
                result.month -= 1
                if result.month < 1 { (result.month, result.year) = (12, result.year - 1) }
                guard result.year >= 1 else { return nil }
                result.day = Self.daysIn(result.month, result.year)
            }
            remaining += 1
        }
        return (1...9999).contains(result.year) ? result : nil
    }

    private mutating func readTime(_ scanner: inout Scanner) -> Bool {
        guard let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2),
            hour < 24,
            minute < 60
        else { return false }
        (self.hour, self.minute) = (hour, minute)
        guard scanner.skip(":") else { return true }
        guard let second = scanner.digits(2), second < 60 else { return false }
        self.second = second
        guard scanner.skip(".") else { return true }
        return readFraction(&scanner)
    }

    /// The seventh digit rounds the sixth. ``rounded(to:)`` handles a carry past 999,999.
    private mutating func readFraction(_ scanner: inout Scanner) -> Bool {
        var count = 0
        var value = 0
        while let digit = scanner.digits(1) {
            if count < 6 {
                value = value * 10 + digit
            } else if count == 6, digit >= 5 {
                value += 1
            }
            count += 1
            guard count <= 12 else { return false }
        }
        guard count > 0 else { return false }
        for _ in min(count, 6)..<6 { value *= 10 }
        microsecond = value
        return true
    }

    private mutating func readOffset(_ scanner: inout Scanner) -> Bool {
        if scanner.skip("Z") {
            offset = 0
            return true
        }
        let sign: Int
        if scanner.skip("+") {
            sign = 1
        } else if scanner.skip("-") {
            sign = -1
        } else {
            return false
        }
        guard let hours = scanner.digits(2), hours < 24 else { return false }
        var seconds = hours * 3600
        let hasColon = scanner.skip(":")
        if hasColon || !scanner.isAtEnd {
            guard let minutes = scanner.digits(2), minutes < 60 else { return false }
            seconds += minutes * 60
            if scanner.skip(":") {
                guard let rest = scanner.digits(2), rest < 60 else { return false }
                seconds += rest
            }
        }
        offset = sign * seconds
        return true
    }

    static func daysIn(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

/// Reads ASCII from the left. Every step either moves on or changes nothing.
private struct Scanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        guard index + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[index..<(index + count)] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        index += count
        return value
    }
}
