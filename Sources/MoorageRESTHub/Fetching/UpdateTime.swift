import Foundation

/// The time of a row's last change, as the server writes it.
///
/// It is a date of ISO 8601, also without a zone, or seconds or milliseconds since 1970. Any other text has to be greater
/// for a later time.
struct UpdateTime {
    let text: String
    private let number: Double?
    /// `nil` for a text that is no time that anybody else knows.
    let date: Date?

    init(_ text: String) {
        self.text = text
        if let read = Self.date(text) {
            date = read
            number = read.timeIntervalSince1970
            return
        }
        number = Double(text)
        switch number {
        case let seconds? where (1e9..<1e11).contains(seconds):
            date = Date(timeIntervalSince1970: seconds)
        case let milliseconds? where (1e12..<1e14).contains(milliseconds):
            date = Date(timeIntervalSince1970: milliseconds / 1000)
        default: date = nil
        }
    }

    /// A time without a zone counts as one in UTC, and one with a space as one with a `T`. Where the
    /// zone is another one, rows of the last hours come again, or the last minute does not.
    private static func date(_ text: String) -> Date? {
        // Anything longer is no time.
        guard text.utf8.count <= 40 else { return nil }
        let whole = text.replacing(" ", with: "T", maxReplacements: 1)
        for text in [whole, whole + "Z"] {
            let exact = try? Date(
                text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            if let date = exact ?? (try? Date(text, strategy: .iso8601)) { return date }
        }
        return nil
    }

    static func < (left: UpdateTime, right: UpdateTime) -> Bool {
        // Digits beyond what a date has decide between equal dates.
        if let one = left.number, let other = right.number, one != other { return one < other }
        return left.text < right.text
    }
}
