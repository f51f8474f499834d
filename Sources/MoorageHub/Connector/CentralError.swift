public import MoorageCore

/// What a central database answered instead of doing as told.
public struct CentralError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// A constraint or a trigger said no to a change: that change's own fault.
        case refused(Refusal)
        /// A deadlock, a lock time-out, a serialization failure: the whole transaction is worth
        /// another try.
        case conflict
        /// No connection, or it broke.
        case unavailable
        /// A mark that this connector never gave.
        case invalidMark
        /// Anything else.
        case failed
    }

    public let kind: Kind
    /// A full sentence: the database's own words about names and states, never about values.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { message }
}
