public import Foundation
import MoorageCore
import MoorageSupport

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
    /// All rows that the hub had at this time by its own clock. Every change made here is at the
    /// hub, except those of suspended tables.
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
    ///   - status: The replica's status before the file was read.
    ///   - age: What the file says, as it was when the rows were read.
    ///   - asked: What became of the question to the hub.
    ///   - isAnswered: Whether an exchange has caught up since the question.
    init(_ status: ReplicaStatus, _ age: FileAge, asked: AskedHub, isAnswered: Bool) {
        if age.isSuspended {
            self = .stale(.suspended)
        } else if let reason = StaleReason(status) {
            self = .stale(reason)
        } else if case .failed(let reason) = asked, !isAnswered {
            self = .stale(reason)
        } else if status.hasPulled, !age.hasUnanswered, let time = age.caughtUp {
            self = .fresh(asOf: time.date)
        } else {
            self = .local
        }
    }
}

/// What a file says of the age of its rows.
struct FileAge: Hashable, Sendable {
    /// When the replica last caught up, by the hub's clock.
    var caughtUp: HubTime?
    /// Whether changes made here are not at the hub. Those of suspended tables do not count.
    var hasUnanswered = false
    /// Whether a table that is read is suspended.
    var isSuspended = false
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
