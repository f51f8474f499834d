public import Foundation
import MoorageSupport

/// What a replica does and contains at a moment.
public struct ReplicaStatus: Equatable, Sendable {
    public enum Phase: Hashable, Sendable {
        /// Nobody runs it.
        case stopped
        /// Up to date as far as it knows.
        case idle
        case pushing, pulling
        /// It failed, and tries again by itself at ``ReplicaStatus/nextTry``.
        case retrying
    }

    public var phase: Phase = .stopped
    /// Whether changes come as they are made; otherwise they come by interval.
    public var isLive = false
    /// Rows of the current scan that are here, and about how many there are in all.
    public var rowsDone: Int?
    public var rowsExpected: Int?
    /// By the device's clock; `nil` if it never caught up.
    public var lastCaughtUp: Date?
    /// Whether the replica has everything that the hub had at ``lastCaughtUp``, and nothing waits
    /// to be pushed. A local commit makes it false at once.
    public var isCaughtUp = false
    public var pendingCount = 0
    public var refusedCount = 0
    /// Changes that lost a conflict, and that the app has not dismissed.
    public var overruledCount = 0
    public var withheldCount = 0
    /// Rows whose unique value another local row still has.
    public var deferredCount = 0
    /// Foreign keys that name no row, as in the central database; 1,000 of each at most.
    public var danglingCount = 0
    /// Suspended tables, with the reason.
    public var suspendedTables: [SuspendedReplicaTable] = []
    public var lastError: ReplicaError?
    /// By the device's clock.
    public var nextTry: Date?

    /// A replica that was not opened yet; for previews and tests of an app's screens.
    public init() {}

    /// Whether the replica ever had a complete copy.
    public var hasEverCaughtUp: Bool { lastCaughtUp != nil }
}
