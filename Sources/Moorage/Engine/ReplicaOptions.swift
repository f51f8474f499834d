public import MoorageWire

/// How a replica keeps itself up to date. Every value has a default that suits an app.
public struct ReplicaOptions: Sendable {
    /// A push follows the last local commit after this time, …
    public var pushDelay: Duration = .milliseconds(200)
    /// … and the first after no more than this.
    public var maximumPushDelay: Duration = .seconds(2)
    public var pullInterval: Duration = .seconds(30)
    /// While the app is in front, changes come as they are made, where the hub grants it: over an answer that
    /// stays open. What is committed here then goes up at once, at most once in ``pushDelay``.
    public var live = true
    /// How often commits of other processes are looked for.
    public var otherProcessInterval: Duration = .seconds(1)
    public var firstRetryDelay: Duration = .seconds(1)
    public var maximumRetryDelay: Duration = .seconds(300)
    public var maximumRowsPerBatch = 5000
    public var maximumBytesPerBatch = 4_000_000
    public var pageLimits = PageLimits(maximumPages: 4)
    /// How long acknowledged batches are kept, in case the central database is restored.
    public var retention: Duration = .seconds(90 * 86_400)
    /// Called when whoever runs the hub ordered this replica to delete what it holds, before it does:
    /// the app can leave its screens, and delete what it keeps beside the file. The replica waits for it:
    /// do not wait for the replica (`stop`, `sync`) in it.
    public var willWipe: (@Sendable () async -> Void)?

    public init() {}

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
    /// Whether the replica now holds a state that the central database really had.
    public var isCaughtUp = false
}
