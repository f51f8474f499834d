/// Why a ``ConnectionPool`` lends no connection.
public struct PoolRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened. Codes stay the same from release to release.
    public enum Code: String, Sendable {
        /// The pool was closed.
        case closed = "poolClosed"
        /// The work waited for as long as it may.
        case timedOut = "poolTimedOut"
        /// The number of pieces of work that may wait is reached.
        case tooManyWaiting = "poolFull"
    }

    public let code: Code
    /// What happened, in a full sentence.
    public let message: String
    /// What to do about it, in full sentences.
    public let advice: String

    public var description: String { "\(message) \(advice)" }

    static let closed = PoolRefusal(
        code: .closed, message: "The connections to the central database were closed.",
        advice: "Start the hub again.")

    static func timedOut(_ patience: Duration) -> PoolRefusal {
        PoolRefusal(
            code: .timedOut,
            message: """
                No connection to the central database became free within \(patience.components.seconds) \
                seconds.
                """,
            advice: """
                Try again later. If it happens often, allow more connections (maximumConnections) or find \
                the statements that take long.
                """)
    }

    static func tooManyWaiting(_ limit: Int) -> PoolRefusal {
        PoolRefusal(
            code: .tooManyWaiting,
            message:
                "\(limit) pieces of work already wait for a connection to the central database.",
            advice: """
                Try again later. If it happens often, allow more connections (maximumConnections) or fewer \
                exchanges at once.
                """)
    }
}

extension CentralError {
    init(_ refusal: PoolRefusal) {
        self.init(.unavailable, refusal.description, poolRefusal: refusal)
    }
}
