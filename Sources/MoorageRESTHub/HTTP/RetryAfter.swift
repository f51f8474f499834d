import Foundation

/// How long a server asks to wait.
enum RetryAfter {
    /// The longest time that counts.
    private static let most = 86_400

    /// Whether a refusal is about the number of requests.
    static func isLimit(_ headers: [String: String]) -> Bool {
        headers["retry-after"] != nil
            || ["x-ratelimit-remaining", "ratelimit-remaining"].contains { headers[$0] == "0" }
    }

    /// - Returns: `nil` where the server names no time.
    static func duration(_ headers: [String: String]) -> Duration? {
        guard let text = headers["retry-after"] else {
            // Seconds since 1970 at GitHub. Others count from now, or write something else.
            guard let then = headers["x-ratelimit-reset"].flatMap({ Double($0) }),
                let now = headers["date"].flatMap(HTTPDate.date)?.timeIntervalSince1970,
                then > now
            else { return nil }
            return .seconds(min(max((then - now).rounded(.up), 1), Double(most)))
        }
        if let seconds = Int(text) { return .seconds(min(max(seconds, 1), most)) }
        // Both times are by the server's clock.
        guard let then = HTTPDate.date(text), let now = headers["date"].flatMap(HTTPDate.date)
        else { return nil }
        return .seconds(min(max((then.timeIntervalSince(now)).rounded(.up), 1), Double(most)))
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    static func date(_ text: String) -> Date? { format.date(from: text) }

    static func text(_ date: Date) -> String { format.string(from: date) }

    private static var format: DateFormatter {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format
    }
}
