/// A moment by one clock, in milliseconds since 1970.
///
/// Any clock may be wrong, so times of two clocks are never compared. Each kind has its own type,
/// and only ``EditTimes`` converts a device's time to the hub's clock. Sums and differences stay
/// within 64 bits.
public protocol ClockTime:
    Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible
{
    /// Milliseconds since the beginning of 1970 in UTC; negative before it.
    var milliseconds: Int64 { get }

    /// - Parameter milliseconds: Counted from the beginning of 1970 in UTC.
    init(milliseconds: Int64)
}

extension ClockTime {
    public var description: String { String(milliseconds) }

    /// A literal is a number of milliseconds since 1970.
    public init(integerLiteral milliseconds: Int64) { self.init(milliseconds: milliseconds) }

    public static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment this many milliseconds later.
    public static func + (time: Self, milliseconds: Int64) -> Self {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(milliseconds)
        return Self(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// The moment this many milliseconds earlier.
    public static func - (time: Self, milliseconds: Int64) -> Self {
        Self(milliseconds: difference(time.milliseconds, milliseconds))
    }

    /// Moves a moment this many milliseconds forward.
    public static func += (time: inout Self, milliseconds: Int64) { time = time + milliseconds }

    /// The milliseconds from an earlier moment to this one; negative when that moment is later.
    public func milliseconds(since earlier: Self) -> Int64 {
        Self.difference(milliseconds, earlier.milliseconds)
    }

    /// A number of milliseconds as text, as some tables keep it; `nil` for other text.
    public init?(text: String) {
        guard let milliseconds = Int64(text) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    private static func difference(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (right < 0 ? .max : .min) : difference
    }
}

/// A moment by a device's clock.
package struct DeviceTime: ClockTime {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
}

/// A moment by the clock of the central database, which the hub uses.
public struct HubTime: ClockTime {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
}

extension Value {
    /// A time as tables keep it: milliseconds since 1970.
    public static func time(_ time: some ClockTime) -> Value { .integer(time.milliseconds) }
}
