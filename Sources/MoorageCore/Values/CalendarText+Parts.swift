/// Calendar text made of numbers, and numbers of calendar text.
extension CalendarText {
    /// Days from 0000-03-01 to 1970-01-01. Years begin in March here, so that leap days come last.
    private static let daysBefore1970 = 719_468
    private static let microsecondsADay: Int64 = 86_400_000_000

    /// A moment in UTC, in milliseconds since 1970. A moment outside the years that text can
    /// express becomes their first or last millisecond.
    init(milliseconds: Int64) {
        let first: Int64 = -62_135_596_800_000
        let last: Int64 = 253_402_300_799_999
        self.init(microseconds: min(max(milliseconds, first), last) * 1000)
    }

    /// A moment in UTC, in microseconds since 1970. A moment outside the years that text can
    /// express becomes their first or last moment.
    package init(microseconds: Int64) {
        let first: Int64 = -62_135_596_800_000_000
        let last: Int64 = 253_402_300_799_999_999
        let shift = Int64(Self.daysBefore1970) * Self.microsecondsADay
        let time = min(max(microseconds, first), last) + shift
        let days = Int(time / Self.microsecondsADay)
        let rest = Int(time % Self.microsecondsADay)
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let seconds = rest / 1_000_000
        (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        microsecond = rest % 1_000_000
    }

    /// A date; `nil` if the calendar has no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.daysIn(month, year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// A time of day; `nil` if a number is out of its range. Only the end of a day has the hour 24.
    package init?(hour: Int, minute: Int, second: Int, microsecond: Int) {
        let isEndOfDay = hour == 24 && minute == 0 && second == 0 && microsecond == 0
        guard (0..<24).contains(hour) || isEndOfDay, (0..<60).contains(minute),
            (0..<60).contains(second), (0..<1_000_000).contains(microsecond)
        else { return nil }
        (self.hour, self.minute, self.second) = (hour, minute, second)
        self.microsecond = microsecond
    }

    /// A date and a time of day. The end of a day becomes the next day's midnight; `nil` beyond the
    /// last year.
    package init?(date: CalendarText, time: CalendarText) {
        var result = date.atMidnight
        (result.minute, result.second) = (time.minute, time.second)
        result.microsecond = time.microsecond
        if time.hour < 24 {
            result.hour = time.hour
            self = result
        } else if let next = result.adding(seconds: 86_400) {
            self = next
        } else {
            return nil
        }
    }

    /// The date alone.
    package var atMidnight: CalendarText {
        var result = self
        (result.hour, result.minute, result.second, result.microsecond) = (0, 0, 0, 0)
        result.offset = nil
        return result
    }

    /// The time of day alone.
    package var timeOfDay: CalendarText {
        var result = self
        (result.year, result.month, result.day) = (1, 1, 1)
        result.offset = nil
        return result
    }

    /// As it is written, whatever time zone that is in.
    package var withoutOffset: CalendarText {
        var result = self
        result.offset = nil
        return result
    }

    /// The moment in UTC that the text names, in microseconds since 1970. Text without an offset is
    /// in UTC.
    package var microseconds: Int64 {
        let year = month <= 2 ? self.year - 1 : self.year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - Self.daysBefore1970
        let seconds = hour * 3600 + minute * 60 + second - (offset ?? 0)
        return Int64(days) * Self.microsecondsADay + Int64(seconds) * 1_000_000
            + Int64(microsecond)
    }
}
