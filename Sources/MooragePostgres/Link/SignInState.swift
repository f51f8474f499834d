import CPostgres
import Foundation

/// Why a server that answered refused the sign-in.
///
/// For a failed connection libpq has only the server's words, which are translated and follow no
/// rule. If an attempt asks for terse errors before it reaches the server, the words are the
/// SQLSTATE.
enum SignInState {
    /// Asks the server once more. Returns `nil` where it does not answer in time.
    ///
    /// - Parameters:
    ///   - keywords: The names of the options, ending with `nil` as libpq expects.
    ///   - seconds: The time limit of the whole attempt.
    static func asked(
        _ keywords: [UnsafePointer<CChar>?], _ values: [UnsafePointer<CChar>?], within seconds: Int
    ) -> String? {
        guard let handle = PQconnectStartParams(keywords, values, 1) else { return nil }
        defer { PQfinish(handle) }
        PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        let end = ContinuousClock.now + .seconds(seconds)
        var events = Int16(POLLOUT)
        while PQstatus(handle) != CONNECTION_BAD {
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0, PQsocket(handle) >= 0 else { return nil }
            var waiting = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            guard poll(&waiting, 1, Int32(left)) >= 0 || errno == EINTR else { return nil }
            if waiting.revents == 0 { continue }
            switch PQconnectPoll(handle) {
            case PGRES_POLLING_READING: events = Int16(POLLIN)
            case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
            case PGRES_POLLING_OK: return nil
            default: return last(String(cString: PQerrorMessage(handle)))
            }
        }
        return nil
    }

    /// The state in `connection to server at … failed: FATAL:  28P01`, the last one where several
    /// servers answered.
    private static func last(_ message: String) -> String? {
        for line in message.split(separator: "\n").reversed() {
            guard let word = line.split(separator: " ").last, word.utf8.count == 5,
                word.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) })
            else { continue }
            return String(word)
        }
        return nil
    }
}
