public import Foundation
import GRDB
package import MoorageCore

/// A moment in time, to the microsecond.
///
/// Its text is `YYYY-MM-DD HH:MM:SS` in UTC, with up to six digits of a second behind it.
public struct Instant: ColumnText {
    package let calendar: CalendarText
    public let description: String

    /// Rounded to a microsecond. A moment outside the years 0001 to 9999 becomes their first or last
    /// moment, and a date that is no number becomes the first one of 1970.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        let limit = 300_000_000_000_000_000.0
        let bounded = microseconds.isNaN ? 0 : min(max(microseconds, -limit), limit)
        self.init(CalendarText(microseconds: Int64(bounded)))
    }

    /// Reads `YYYY-MM-DD HH:MM:SS.ffffff`, with an offset such as `+02:00` or `Z` behind it. Without
    /// one the text is in UTC. The time and its end may be missing, and `T` may replace the blank.
    public init?(_ description: String) {
        guard let calendar = CalendarText(timestamp: description)?.inUTC?.rounded(to: 6)
        else { return nil }
        self.calendar = calendar
        self.description = description
    }

    package init(_ calendar: CalendarText) {
        self.calendar = calendar
        description = calendar.text(6)
    }

    /// This moment, by the system's clock.
    public static var now: Instant { Instant(Date()) }

    /// The same moment for Foundation.
    public var date: Date {
        Date(timeIntervalSince1970: Double(calendar.microseconds) / 1_000_000)
    }
}

extension Instant: CalendarColumn {}
