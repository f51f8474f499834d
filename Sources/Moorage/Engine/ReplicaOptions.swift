public import Foundation
public import Logging
package import MoorageWire

/// How a replica keeps itself up to date. Every value has a default that suits an app.
public struct ReplicaOptions: Sendable {
    /// How long a push waits after the last local commit; 200 ms by default.
    public var pushDelay: Duration = .milliseconds(200)
    /// How long a push waits after the first local commit, at most; 2 s by default.
    public var maximumPushDelay: Duration = .seconds(2)
    /// How long ``Replica/run()`` waits between two syncs while no live stream is open; 30 s by
    /// default. If another try alone cannot fix a failure, it waits at least as long, unless
    /// something wakes it.
    public var pullInterval: Duration = .seconds(30)
    /// Whether changes come as they are made while the app is in front, over a live stream, if the
    /// hub grants it. Local commits are then pushed at once, at most once in ``pushDelay``. True by
    /// default.
    public var live = true
    /// How often ``Replica/run()`` checks for commits of other processes; 1 s by default.
    public var otherProcessInterval: Duration = .seconds(1)
    /// A file beside the database that decides which process runs its replica: ``Replica/run()`` of
    /// one works, and those of the others wait. When it ends, however it ends, another one goes on
    /// within ``otherProcessInterval``. The process that works finds and sends what the others
    /// commit. ``Replica/sync()`` and ``Replica/catchUp(within:)`` exchange in any process.
    ///
    /// The replica makes the file, and nothing is stored in it. In an app group, put it into the
    /// group's folder. `nil` by default: an app of one process needs none.
    public var runLock: URL?
    /// How long ``Replica/run()`` waits after the first failure, give or take 20 %; 1 s by default.
    /// Each further failure doubles it. No wake-up makes a try follow a failure sooner than this.
    public var firstRetryDelay: Duration = .seconds(1)
    /// The longest wait after a failure, give or take 20 %; 300 s by default. The hub may ask for a
    /// longer one.
    public var maximumRetryDelay: Duration = .seconds(300)
    /// Changes in one batch, at most; 5,000 by default. With less than 1, nothing is pushed. A
    /// smaller limit of the hub applies instead. Changes that must go together may exceed it, up to
    /// the hub's limit.
    public var maximumRowsPerBatch = 5000
    /// Bytes of the changes in one batch; 4,000,000 by default. The batch ends with the change that
    /// reaches it. A smaller limit of the hub applies instead. Changes that must go together may
    /// exceed it, up to the hub's limit.
    public var maximumBytesPerBatch = 4_000_000
    /// Rows and removals in one page, at most; 5,000 by default. The hub may send fewer.
    public var maximumRowsPerPage = 5000
    /// Bytes of values in one page, at most; 2,000,000 by default. One row may exceed it.
    public var maximumBytesPerPage = 2_000_000
    /// Pages in one exchange, at most; 4 by default. The hub may send fewer.
    public var maximumPagesPerExchange = 4
    /// How long acknowledged batches are kept, in case the central database is restored; 90 days by
    /// default. The list of overruled changes is kept as long.
    public var retention: Duration = .seconds(90 * 86_400)
    /// What the app says of itself and of its device. The running operating system by default. The
    /// hub gets it with the counts that ``ReplicaStatus`` has, and never a row's content.
    public var device = DeviceDescription()
    /// Gets a line for each exchange, with its times and counts: at `info`, or at `warning` if it
    /// failed. No line has values or keys of rows, or a secret.
    ///
    /// By default it is `moorage.replica` of swift-log, from `notice` on. So failures are logged.
    /// For all exchanges, set its `logLevel` to `info`, or give a logger of the app's own.
    public var logger = ReplicaOptions.quietLogger
    /// Called before the replica deletes its data, because whoever runs the hub ordered that. The
    /// app can leave its screens, and delete what it keeps beside the file. The replica waits for
    /// this closure: do not wait for the replica (`stop`, `sync`) in it. `nil` by default: the
    /// replica then deletes its data at once.
    public var willWipe: (@Sendable () async -> Void)?

    /// Options with the default values.
    public init() {}

    private static var quietLogger: Logger {
        var logger = Logger(label: "moorage.replica")
        logger.logLevel = max(logger.logLevel, .notice)
        return logger
    }

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
    /// Exchanges with the hub that were answered to the end.
    public var exchanges = 0
    /// Changes that the hub answered, whatever their outcome.
    public var changesPushed = 0
    /// Those of the pushed changes that the hub refused; see ``Replica/refusedChanges``.
    public var changesRefused = 0
    /// Rows of the hub that were written here. A row that came twice counts twice.
    public var rowsReceived = 0
    /// Rows that were removed here, because the hub removed or refused them, or does not have them.
    public var rowsRemoved = 0
    /// Whether the replica now has a state that the central database really had.
    public var isCaughtUp = false
}
