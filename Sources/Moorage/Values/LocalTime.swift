import GRDB
package import MoorageCore

/// A time of day without a date and without a time zone, such as an opening time.
///
/// Its text is `HH:MM:SS`, with up to six digits of a second behind it. The end of a day is
/// `24:00:00`.
public struct LocalTime: ColumnText {
    package let calendar: CalendarText
    public let description: String

    /// The first moment of a day.
    public static let midnight = LocalTime(CalendarText(microseconds: 0))

    /// `nil` if a number is out of its range. Only the end of a day has the hour 24.
    public init?(hour: Int, minute: Int, second: Int = 0, microsecond: Int = 0) {
        let calendar = CalendarText(
            hour: hour, minute: minute, second: second, microsecond: microsecond)
        guard let calendar else { return nil }
        self.init(calendar)
    }

    /// Reads `HH:MM`, `HH:MM:SS` or `HH:MM:SS.ffffff`. Further digits are rounded.
    public init?(_ description: String) {
        guard let calendar = CalendarText(time: description) else { return nil }
        self.calendar = calendar.timeRounded(to: 6)
        self.description = description
    }

    package init(_ calendar: CalendarText) {
        self.calendar = calendar.timeOfDay
        description = calendar.timeText(6)
    }

    /// 0 to 23, or 24 at the end of a day.
    public var hour: Int { calendar.hour }
    /// 0 to 59.
    public var minute: Int { calendar.minute }
    /// 0 to 59.
    public var second: Int { calendar.second }
    /// 0 to 999,999.
    public var microsecond: Int { calendar.microsecond }
}

extension LocalTime: CalendarColumn {}
