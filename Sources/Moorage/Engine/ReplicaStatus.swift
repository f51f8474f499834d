public import Foundation
import MoorageSupport

/// What a replica does and holds at a moment.
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
    /// Changes come as they are made; otherwise by interval.
    public var isLive = false
    /// Rows of the scan under way that are here, and how many there are in all, about.
    public var rowsDone: Int?
    public var rowsExpected: Int?
    /// By the device's clock; `nil` when it never was.
    public var lastCaughtUp: Date?
    /// Nothing is missing that the hub had at ``lastCaughtUp``, and nothing waits to be pushed. A local
    /// commit makes it false at once.
    public var isCaughtUp = false
    public var pendingCount = 0
    public var refusedCount = 0
    /// Changes that lost a conflict, and that the app has not dismissed.
    public var overruledCount = 0
    public var withheldCount = 0
    /// Rows whose unique value another local row still holds.
    public var deferredCount = 0
    /// Foreign keys of rows that name no row, as the hub's database has it; 1,000 of each at most.
    public var danglingCount = 0
    /// Tables that stand still, with the reason.
    public var suspendedTables: [SuspendedReplicaTable] = []
    public var lastError: ReplicaError?
    /// By the device's clock.
    public var nextTry: Date?

    /// A replica that was not opened yet; for previews and tests of an app's screens.
    public init() {}

    /// Whether the replica ever held a whole copy.
    public var hasEverCaughtUp: Bool { lastCaughtUp != nil }
}
