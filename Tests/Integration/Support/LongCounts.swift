import Foundation

/// Whether suites take their long counts, as they do at night: `MOORAGE_NIGHTLY` is 1.
enum LongCounts {
    static let areOn = ProcessInfo.processInfo.environment["MOORAGE_NIGHTLY"] == "1"
}
