public import Foundation
import MoorageWire

/// What a person wants to know of a replica first: the line at the top of a screen.
public enum ReplicaHeadline: Hashable, Sendable {
    /// Everything that the hub had is here, and nothing waits to be sent.
    case upToDate
    /// Changes go up or come down.
    ///
    /// - Parameter fraction: How much of a long copy is here, from 0 to 1; `nil` if nobody knows.
    case working(fraction: Double?)
    /// The hub cannot be reached, or nobody runs a replica that is not up to date. The app goes on
    /// reading and writing.
    ///
    /// - Parameter since: When the exchanges began to fail, or when the replica last caught up;
    ///   `nil` if it never did.
    case offline(since: Date?)
    /// The user has to sign in again.
    case signInRequired
    /// The hub wants a newer version of the app.
    case updateRequired
    /// A person has to look at something: refused changes, suspended tables, or an error that is not
    /// the network's, such as a full disk.
    case attention(count: Int)
}

extension ReplicaStatus {
    /// The most important of what there is to say.
    ///
    /// A sign-in and an update come first, because nothing is synced without them. Then come the
    /// hub that cannot be reached, what needs attention, and work. A replica that has caught up
    /// stays ``ReplicaHeadline/upToDate`` while it asks the hub for news.
    public var headline: ReplicaHeadline {
        if phase == .updateRequired { return .updateRequired }
        if let lastError {
            switch lastError.recovery {
            case .signIn: return .signInRequired
            case .updateApp: return .updateRequired
            case .retry where lastError.cause is HubError:
                // Rows arrive again.
                if phase == .pulling, failingSince == nil { return .working(fraction: fraction) }
                return .offline(since: failingSince)
            case .retry, .changeSchema, .choose, .changeCall, .askOperator, .reportBug:
                return .attention(count: attentionCount + 1)
            }
        }
        if attentionCount > 0 { return .attention(count: attentionCount) }
        if isCaughtUp { return .upToDate }
        // The other process knows more.
        if phase == .waiting, hasEverCaughtUp, pendingCount == 0 { return .upToDate }
        if phase == .stopped { return .offline(since: lastCaughtUp) }
        return .working(fraction: fraction)
    }

    /// How many things a person has to look at: refused changes and suspended tables. Conflicts that
    /// a rule decided are in ``overruledCount``.
    public var attentionCount: Int { refusedCount + suspendedTables.count }

    private var fraction: Double? {
        guard let rowsDone, let rowsExpected, rowsExpected > 0 else { return nil }
        return .fraction(rowsDone, of: rowsExpected)
    }
}
