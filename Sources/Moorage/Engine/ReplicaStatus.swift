public import Foundation
import MoorageSupport

/// What a replica does and contains at a moment.
public struct ReplicaStatus: Equatable, Sendable {
    /// What a replica does at a moment.
    public enum Phase: Hashable, Sendable {
        /// Nobody runs it: neither ``Replica/run()`` nor ``Replica/start()`` is at work.
        case stopped
        /// It waits for the next sync, and is up to date as far as it knows.
        case idle
        /// Another process runs the file's replica (``ReplicaOptions/runLock``), and sends what this
        /// one commits.
        case waiting
        /// It sends local changes, and waits for the answer.
        case pushing
        /// It asks the hub for changes, or writes them.
        case pulling
        /// It failed, and tries again by itself at ``ReplicaStatus/nextTry``.
        case retrying
        /// The hub wants a newer version of the app (``ReplicaStatus/lastError`` has the code
        /// `clientTooOld`). The app goes on reading and writing its file, and its changes are kept.
        /// The replica tries again after about an hour, when it is started, and with
        /// ``Replica/sync()``.
        case updateRequired
    }

    /// What the replica does now.
    public var phase: Phase = .stopped
    /// Whether a live stream is open, so changes come as they are made. Otherwise they come by
    /// interval.
    public var isLive = false
    /// Rows of the current scan that are here; `nil` between two scans.
    public var rowsDone: Int?
    /// About how many rows the current scan brings in all; `nil` between two scans, and if the hub
    /// has not said.
    public var rowsExpected: Int?
    /// The tables that the current scan brings rows of, in the order in which they come. It is empty
    /// between two scans, and if the hub has not said.
    public var tables: [TableProgress] = []
    /// When the replica last caught up with the hub, by the device's clock; `nil` if it never did.
    public var lastCaughtUp: Date?
    /// The same moment by the hub's clock; `nil` if it never caught up, or not since an earlier
    /// version of this library.
    public var freshAsOf: Date?
    /// Whether the replica has everything that the hub had at ``lastCaughtUp``, and nothing waits
    /// to be pushed. A local commit makes it false at once.
    public var isCaughtUp = false
    /// Whether the last exchange brought everything that the hub had, whatever waits to be pushed.
    var hasPulled = false
    /// Local changes that the hub has not answered: one for each row, and one for each change in
    /// flight. Those of suspended tables count, too.
    public var pendingCount = 0
    /// Entries of ``Replica/refusedChanges``.
    public var refusedCount = 0
    /// Changes that lost a conflict, and that the app has not dismissed.
    public var overruledCount = 0
    /// Rows whose value this device, or any device, cannot store; see ``Replica/withheldValues``.
    public var withheldCount = 0
    /// Rows whose unique value another local row still has.
    public var deferredCount = 0
    /// Foreign keys that name no row, as in the central database; 1,000 of each at most.
    public var danglingCount = 0
    /// Suspended tables, with the reason.
    public var suspendedTables: [SuspendedReplicaTable] = []
    /// Why the last exchange failed; `nil` after one that succeeded, and before the first one.
    public var lastError: ReplicaError?
    /// Since when nothing has arrived because exchanges fail, by the device's clock; `nil` once rows
    /// arrive, and after an exchange that succeeded. If none did since the launch, it is
    /// ``lastCaughtUp``.
    public var failingSince: Date?
    /// When the replica tries again, by the device's clock; `nil` while nothing failed. During the
    /// try it is in the past.
    public var nextTry: Date?

    /// A replica that was not opened yet; for previews and tests of an app's screens.
    public init() {}

    /// Whether the replica ever had a complete copy.
    public var hasEverCaughtUp: Bool { lastCaughtUp != nil }
}
