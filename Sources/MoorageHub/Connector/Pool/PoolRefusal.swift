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

    /// The reason, for programs.
    public let code: Code
    /// What happened, in a full sentence.
    public let message: String
    /// What to do about it, in full sentences.
    public let advice: String

    public var description: String { "\(message) \(advice)" }
}

extension CentralError {
    init(_ refusal: PoolRefusal) {
        self.init(.unavailable, refusal.description, poolRefusal: refusal)
    }
}
