/// A date, a time of day or both, read from text: the proleptic Gregorian calendar, years 0001 to
/// 9999.
struct CalendarText: Hashable, Sendable {
    private(set) var year = 1, month = 1, day = 1
    private(set) var hour = 0, minute = 0, second = 0
    private(set) var microsecond = 0
    /// Seconds east of UTC, if the text gave them.
    private(set) var offset: Int?

    /// A moment in UTC, in milliseconds since 1970. A moment outside the years that text can
    /// express becomes their first or last moment.
    init(milliseconds: Int64) {
        // Days count from 0000-03-01, so that leap days come last in a year.
        let first: Int64 = -62_135_596_800_000
        let last: Int64 = 253_402_300_799_999
        let time = min(max(milliseconds, first), last) + 62_167_219_200_000 - 60 * 86_400_000
        let days = Int(time / 86_400_000)
        let rest = Int(time % 86_400_000)
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60)
        microsecond = rest % 1000 * 1000
    }

    /// `YYYY-MM-DD`, or a timestamp whose time is midnight (what some programs store in a date
    /// column).
    init?(date text: String) {
        guard let parsed = CalendarText(timestamp: text),
            parsed.hour == 0, parsed.minute == 0, parsed.second == 0, parsed.microsecond == 0
        else { return nil }
        self = parsed
    }

    /// `HH:MM[:SS[.ffffff]]`, or the end of the day, `24:00:00`.
    init?(time text: String) {
        if text.hasSameBytes(as: "24:00:00") {
            hour = 24
            return
        }
        var scanner = Scanner(text)
        guard readTime(&scanner), scanner.isAtEnd else { return nil }
    }

    /// `YYYY-MM-DD[( |T)HH:MM[:SS[.ffffff]]][Z|±HH[:MM[:SS]]]`.
    init?(timestamp text: String) {
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
    var inUTC: CalendarText? {
        guard let offset, offset != 0 else { return with(offset: nil) }
        return with(offset: nil).adding(seconds: -offset)
    }

    /// Rounded half away from zero to this many digits of a second, as PostgreSQL does. `nil`
    /// beyond the last year.
    func rounded(to digits: Int) -> CalendarText? {
        var (result, carry) = fractionRounded(to: digits)
        guard carry else { return result }
        result.microsecond -= 1_000_000
        return result.adding(seconds: 1)
    }

    /// A time of day, rounded in the same way. The last moments of a day become `24:00:00`.
    func timeRounded(to digits: Int) -> CalendarText {
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

    var dateText: String { pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) }

    func timeText(_ digits: Int) -> String {
        let whole = pad(hour, 2) + ":" + pad(minute, 2) + ":" + pad(second, 2)
        var fraction = Array(pad(microsecond, 6).utf8.prefix(max(0, min(digits, 6))))
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        return fraction.isEmpty ? whole : whole + "." + String(decoding: fraction, as: UTF8.self)
    }

    func text(_ digits: Int) -> String { dateText + " " + timeText(digits) }

    private func with(offset: Int?) -> CalendarText {
        var result = self
        result.offset = offset
        return result
    }

    func adding(seconds: Int) -> CalendarText? {
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

    private static func daysIn(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    private func pad(_ number: Int, _ width: Int) -> String {
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
