import Foundation

/// The time of a row's last change, as the server writes it.
///
/// It is a date of ISO 8601, or seconds or milliseconds since 1970. Any other text has to be greater
/// for a later time.
struct UpdateTime {
    let text: String
    private let number: Double?
    /// `nil` for a text that is no time that anybody else knows.
    let date: Date?

    init(_ text: String) {
        self.text = text
        let exact = try? Date(
            text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        if let read = exact ?? (try? Date(text, strategy: .iso8601)) {
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

    static func < (left: UpdateTime, right: UpdateTime) -> Bool {
        // Digits beyond what a date has decide between equal dates.
        if let one = left.number, let other = right.number, one != other { return one < other }
        return left.text < right.text
    }
}
