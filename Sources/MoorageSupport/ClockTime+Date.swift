package import Foundation
package import MoorageCore

// Outside a time is a date; inside it is a number of milliseconds since 1970, as it is stored and
// sent.

extension ClockTime {
    /// To the millisecond; what lies beyond 64 bits is the last moment on that side.
    package init(_ date: Date) {
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(exactly: exact) ?? (exact < 0 ? .min : .max))
    }

    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
