public import Foundation
import GRDB
package import MoorageCore

/// A date and a time of day without a time zone: what a clock on the wall shows.
///
/// Its text is `YYYY-MM-DD HH:MM:SS`, with up to six digits of a second behind it.
public struct LocalDateTime: ColumnText {
    package let calendar: CalendarText
    public let description: String

    /// The end of a day becomes the next day's midnight; `nil` beyond the year 9999.
    public init?(date: LocalDate, time: LocalTime) {
        guard let calendar = CalendarText(date: date.calendar, time: time.calendar) else {
            return nil
        }
        self.init(calendar)
    }

    /// Reads `YYYY-MM-DD HH:MM:SS.ffffff`. The time and its end may be missing, and `T` may replace
    /// the blank. An offset behind the time is ignored, as a column without a time zone ignores
    /// it.
    public init?(_ description: String) {
        guard let calendar = CalendarText(timestamp: description)?.withoutOffset.rounded(to: 6)
        else { return nil }
        self.calendar = calendar
        self.description = description
    }

    /// What clocks of a time zone show at a moment; `nil` beyond the year 9999 or before 0001.
    public init?(_ moment: Date, in zone: TimeZone = .current) {
        let instant = Instant(moment)
        guard abs(instant.date.timeIntervalSince(moment)) < 1 else { return nil }
        let offset = zone.secondsFromGMT(for: instant.date)
        guard let calendar = instant.calendar.adding(seconds: offset) else { return nil }
        self.init(calendar)
    }

    package init(_ calendar: CalendarText) {
        self.calendar = calendar
        description = calendar.text(6)
    }

    /// The day.
    public var date: LocalDate { LocalDate(calendar) }
    /// The time of day.
    public var time: LocalTime { LocalTime(calendar) }

    /// The moment at which clocks of a time zone show this. If they show it twice, it is the first
    /// time. If they skip it, it is as much later as they skip.
    public func moment(in zone: TimeZone = .current) -> Date {
        let asUTC = Instant(CalendarText(microseconds: calendar.microseconds))
        // Clocks change by hours: a day earlier and later they show what is usual before and after.
        let before = zone.secondsFromGMT(for: asUTC.date.addingTimeInterval(-86_400))
        let after = zone.secondsFromGMT(for: asUTC.date.addingTimeInterval(86_400))
        let first = asUTC.date.addingTimeInterval(-Double(before))
        guard before != after, zone.secondsFromGMT(for: first) != before else { return first }
        let second = asUTC.date.addingTimeInterval(-Double(after))
        return zone.secondsFromGMT(for: second) == after ? second : first
    }
}

extension LocalDateTime: CalendarColumn {}
