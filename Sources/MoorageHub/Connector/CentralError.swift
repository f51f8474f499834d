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
        /// A checkpoint that this connector never gave.
        case invalidCheckpoint
        /// Anything else.
        case failed
    }

    public let kind: Kind
    /// A full sentence: the database's own words about names and states, never about values.
    public let message: String

    /// Why the pool of connections lent none, where that is the cause.
    public let poolRefusal: PoolRefusal?

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

extension CentralError {
    /// A write succeeded, and a trigger or rule of the owner's left the row out of it.
    package static func leftOut(of table: String) -> CentralError {
        let message = "A trigger or rule of the owner's left the row of \(table) as it was."
        return CentralError(.refused(Refusal(code: .trigger, message: message)), message)
    }
}
