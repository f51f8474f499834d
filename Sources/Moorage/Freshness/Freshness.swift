public import Foundation

/// A value that was read from the file, and how fresh it is.
public struct Fresh<Value: Sendable>: Sendable {
    /// What was read.
    public let value: Value
    /// What is known of its age.
    public let freshness: Freshness

    /// A value for previews and tests of an app's screens.
    public init(_ value: Value, _ freshness: Freshness) {
        self.value = value
        self.freshness = freshness
    }
}

/// How fresh rows are that were read from the file.
public enum Freshness: Hashable, Sendable {
    /// The rows as the file has them, while the hub is being asked, or while changes made here are
    /// not at the hub yet. One's own writes are among them.
    case local
    /// The rows that the hub had at this time by its own clock. Every change made here is at the
    /// hub.
    case fresh(asOf: Date)
    /// The rows may be older than the hub's.
    case stale(StaleReason)
}

/// Why rows may be older than the hub's.
public enum StaleReason: Hashable, Sendable {
    /// The hub cannot be reached.
    ///
    /// - Parameter since: See ``ReplicaStatus/failingSince``.
    case offline(since: Date?)
    /// The user has to sign in again.
    case signedOut
    /// The hub wants a newer version of the app.
    case updateRequired
    /// A table that was read is suspended: see ``ReplicaStatus/suspendedTables``.
    case suspended
    /// The hub did not answer in time.
    case deadline
    /// The exchange failed for another reason: see ``ReplicaStatus/lastError``.
    case failed(ReplicaError.Code)
}

extension Freshness {
    /// - Parameters:
    ///   - status: The replica's status before the rows were read.
    ///   - isSuspended: Whether a table that is read is suspended.
    ///   - asked: What became of the question to the hub.
    init(_ status: ReplicaStatus, isSuspended: Bool, asked: AskedHub) {
        if isSuspended {
            self = .stale(.suspended)
        } else if let reason = StaleReason(status) {
            self = .stale(reason)
        } else if status.isCaughtUp, let time = status.freshAsOf {
            self = .fresh(asOf: time)
        } else if case .failed(let reason) = asked {
            self = .stale(reason)
        } else {
            self = .local
        }
    }
}

extension StaleReason {
    fileprivate init?(_ status: ReplicaStatus) {
        if status.phase == .updateRequired {
            self = .updateRequired
            return
        }
        guard let error = status.lastError else { return nil }
        switch error.recovery {
        case .signIn: self = .signedOut
        case .updateApp: self = .updateRequired
        case .retry where error.cause is HubError: self = .offline(since: status.failingSince)
        case .retry, .changeSchema, .choose, .changeCall, .askOperator, .reportBug:
            self = .failed(error.code)
        }
    }
}

/// What became of the question to the hub with which a sequence begins.
enum AskedHub: Hashable, Sendable {
    case waiting, answered
    case failed(StaleReason)

    /// - Parameter error: What ``Replica/catchUp(within:)`` threw.
    static func failed(with error: any Error) -> AskedHub {
        guard let error = error as? ReplicaError, error.code != .notCaughtUp else {
            return .failed(.deadline)
        }
        return .failed(.failed(error.code))
    }
}
