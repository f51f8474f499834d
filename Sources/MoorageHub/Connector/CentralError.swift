public import MoorageCore

/// Why a central database did not do what it was asked.
public struct CentralError: Error, Sendable, CustomStringConvertible {
    /// What the hub knows of a failure. It decides whether the hub tries again, refuses one change,
    /// or answers with an error.
    public enum Kind: Hashable, Sendable {
        /// A constraint or a trigger refused a change. Only that change is at fault.
        case refused(Refusal)
        /// A deadlock, a lock time-out or a serialization failure: the whole transaction is worth
        /// another try.
        case conflict
        /// No connection, or it broke.
        case unavailable
        /// A checkpoint that this connector never gave.
        case invalidCheckpoint
        /// Anything else.
        case failed
    }

    /// What the hub does about the failure depends on this alone.
    public let kind: Kind
    /// A full sentence: the database's own words about names and states, never about values.
    public let message: String

    /// Why the pool lent no connection, where that is the cause.
    public let poolRefusal: PoolRefusal?

    /// - Parameter message: A full sentence of codes and names. It never contains a row's values.
    public init(_ kind: Kind, _ message: String) {
        self.init(kind, message, poolRefusal: nil)
    }

    init(_ kind: Kind, _ message: String, poolRefusal: PoolRefusal?) {
        self.kind = kind
        self.message = message
        self.poolRefusal = poolRefusal
    }

    public var description: String { message }
}
