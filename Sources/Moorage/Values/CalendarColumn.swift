package import MoorageCore

/// A column's text that is equal and ordered by the calendar, not by its bytes.
package protocol CalendarColumn: Comparable, Hashable {
    var calendar: CalendarText { get }
}

extension CalendarColumn {
    public static func == (left: Self, right: Self) -> Bool { left.calendar == right.calendar }

    public func hash(into hasher: inout Hasher) { hasher.combine(calendar) }

    public static func < (left: Self, right: Self) -> Bool {
        left.calendar.microseconds < right.calendar.microseconds
    }
}
