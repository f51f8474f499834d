package import MoorageWire

/// How a replica keeps itself up to date. Every value has a default that suits an app.
public struct ReplicaOptions: Sendable {
    /// How long a push waits after the last local commit.
    public var pushDelay: Duration = .milliseconds(200)
    /// How long a push waits after the first local commit, at most.
    public var maximumPushDelay: Duration = .seconds(2)
    public var pullInterval: Duration = .seconds(30)
    /// Whether changes come as they are made while the app is in front, over a live stream, if the
    /// hub grants it. Local commits are then pushed at once, at most once in ``pushDelay``.
    public var live = true
    /// How often the replica checks for commits of other processes.
    public var otherProcessInterval: Duration = .seconds(1)
    public var firstRetryDelay: Duration = .seconds(1)
    public var maximumRetryDelay: Duration = .seconds(300)
    public var maximumRowsPerBatch = 5000
    public var maximumBytesPerBatch = 4_000_000
    /// Rows and removals in one page, at most; the hub may send fewer.
    public var maximumRowsPerPage = 5000
    /// Bytes of values in one page, at most. One row may exceed it.
    public var maximumBytesPerPage = 2_000_000
    /// Pages in one exchange, at most.
    public var maximumPagesPerExchange = 4
    /// How long acknowledged batches are kept, in case the central database is restored.
    public var retention: Duration = .seconds(90 * 86_400)
    /// Called before the replica deletes its data, because whoever runs the hub ordered that. The
    /// app can leave its screens, and delete what it keeps beside the file. The replica waits for
    /// this closure: do not wait for the replica (`stop`, `sync`) in it.
    public var willWipe: (@Sendable () async -> Void)?

    public init() {}

    package var pageLimits: PageLimits {
        get {
            PageLimits(
                maximumRows: maximumRowsPerPage, maximumBytes: maximumBytesPerPage,
                maximumPages: maximumPagesPerExchange)
        }
        set {
            maximumRowsPerPage = newValue.maximumRows
            maximumBytesPerPage = newValue.maximumBytes
            maximumPagesPerExchange = newValue.maximumPages
        }
    }

    var batchLimits: BatchLimits {
        BatchLimits(maximumRows: maximumRowsPerBatch, maximumBytes: maximumBytesPerBatch)
    }
}

/// What one sync did.
public struct SyncSummary: Hashable, Sendable {
    public var exchanges = 0
    public var changesPushed = 0
    public var changesRefused = 0
    public var rowsReceived = 0
    public var rowsRemoved = 0
    /// Whether the replica now has a state that the central database really had.
    public var isCaughtUp = false
}
