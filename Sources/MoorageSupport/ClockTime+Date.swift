package import Foundation
package import MoorageCore

// To callers a time is a date. Inside it is a number of milliseconds since 1970, as it is stored
// and sent.

extension ClockTime {
    /// Rounds to the millisecond. A date beyond 64 bits becomes the last moment on that side.
    package init(_ date: Date) {
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(exactly: exact) ?? (exact < 0 ? .min : .max))
    }

    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
