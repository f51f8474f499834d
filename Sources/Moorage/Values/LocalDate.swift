public import Foundation
import GRDB
package import MoorageCore

/// A day of the calendar without a time and without a time zone, such as a birthday.
///
/// Its text is `YYYY-MM-DD`. The calendar is the proleptic Gregorian one, years 0001 to 9999.
public struct LocalDate: ColumnText {
    package let calendar: CalendarText
    public let description: String

    /// `nil` if the calendar has no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard let calendar = CalendarText(year: year, month: month, day: day) else { return nil }
        self.init(calendar)
    }

    /// Reads `YYYY-MM-DD`, also with the time of midnight behind it.
    public init?(_ description: String) {
        guard let calendar = CalendarText(date: description) else { return nil }
        self.calendar = calendar.atMidnight
        self.description = description
    }

    /// The day that a moment belongs to in a time zone; `nil` beyond the year 9999 or before 0001.
    public init?(_ moment: Date, in zone: TimeZone = .current) {
        guard let moment = LocalDateTime(moment, in: zone) else { return nil }
        self = moment.date
    }

    package init(_ calendar: CalendarText) {
        self.calendar = calendar.atMidnight
        description = calendar.dateText
    }

    /// 1 to 9999.
    public var year: Int { calendar.year }
    /// 1 to 12.
    public var month: Int { calendar.month }
    /// 1 to 31.
    public var day: Int { calendar.day }

    /// The first moment of the day in a time zone. Where clocks skip midnight, that is the moment
    /// they skip to.
    public func start(in zone: TimeZone = .current) -> Date {
        LocalDateTime(calendar).moment(in: zone)
    }
}

extension LocalDate: CalendarColumn {}
