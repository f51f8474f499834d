import Foundation

/// Up to when an answer has what changed: its `Last-Modified`, or else its `Date`.
///
/// A time has seconds, and a server may finish a change after it took the change's time. So the time
/// is no sign of equal rows within a minute of the answer (RFC 9110, 8.8.2.2).
struct ModifiedTime {
    /// As the server wrote it.
    let text: String
    /// Whether something may have changed since that has the same time, or an earlier one.
    let isRecent: Bool
    /// The time to ask from: a minute earlier, if it is recent. Rows that come again have equal
    /// digests.
    let asked: String

    /// - Returns: `nil` where the answer has neither header.
    init?(_ answer: RESTAnswer) {
        let date = answer.headers["date"]
        guard let text = answer.headers["last-modified"] ?? date else { return nil }
        self.text = text
        guard let time = HTTPDate.date(text) else {
            // A server that writes it in its own way compares it in its own way.
            isRecent = false
            asked = text
            return
        }
        let now = date.flatMap(HTTPDate.date) ?? time
        isRecent = now.timeIntervalSince(time) < 60
        asked = isRecent ? HTTPDate.text(time.addingTimeInterval(-60)) : text
    }
}
