import Foundation
public import GRDB
import Logging
import MoorageCore
import MoorageSupport
import MoorageWire

/// Keeps the tables of an app's own SQLite file the same as a central database's.
///
/// The app goes on reading and writing its file as before, with records, raw SQL and observations.
/// It never waits for the network. ``run()`` keeps the replica up to date until its task is
/// cancelled. ``start()`` and ``stop()`` manage such a task for apps that have none. ``sync()``
/// runs once.
///
/// Every call is safe on any thread, but a `Database` argument belongs to its own queue. An
/// asynchronous call throws ``ReplicaError`` if the file fails: `database`, `diskFull`, `corrupt`,
/// `metadataDamaged` or `databaseClosed`. It throws `CancellationError` if its task is cancelled.
/// What was committed until then stays. Each change is made as a whole or not at all.
public actor Replica {
    let database: any DatabaseWriter
    let store: ReplicaStore
    let hub: any HubConnection
    let options: ReplicaOptions
    let clock: any ReplicaClock
    let random: ReplicaRandom
    let statusPublisher = StatusPublisher()
    let wakeUp = WakeUp()
    let exchangeMutex = AsyncMutex()
    nonisolated var logger: Logger { options.logger }
    var task: Task<Void, any Error>?
    let front = Locked(true)
    /// One call of ``run()`` works at a time.
    let runMutex = AsyncMutex()
    var isRunning = false
    /// Whether another process runs the file's replica.
    var isWaiting = false
    nonisolated let runLock: ProcessLock?
    /// SQLite's `data_version` of the file, as the app's writer had it when it was looked at last;
    /// `nil` before the first run.
    var fileVersion: Int?
    /// Whether an exchange succeeded since the launch.
    private var hasExchanged = false
    /// Rows that exchanges wrote or removed since the launch.
    var rowsArrived = 0
    var machine: RunMachine
    var occasions = LoopOccasions()
    let seen = LogWatermark()
    private var observer: LogObserver?
    private let counting = Coalesced()

    /// Makes a file that has the tables a replica, or opens a file that is one. It adds tables and
    /// triggers named `_moorage_…`, and changes nothing of the app's. It needs no network, and syncs
    /// nothing yet.
    ///
    /// ``open(database:hub:tables:migrator:options:clock:random:)`` also migrates the file, makes
    /// tables, and finishes a clone.
    ///
    /// - Parameters:
    ///   - database: The app's `DatabasePool` or `DatabaseQueue`. Keep it open while the replica is
    ///     in use.
    ///   - hub: Where the replica finds its hub.
    ///   - tables: The tables to sync.
    ///   - options: Intervals, delays and limits.
    ///   - clock: The time. Only a test needs another one than the device's.
    ///   - random: Random numbers. Only a test needs others than the system's.
    /// - Throws: ``ReplicaError``, which says what table or column is in the way and what fixes it.
    ///   Such a code is `noSuchTable`, `notATable` or `tableNotEmpty`, for a table that is new in
    ///   the list. The file's first sync compares the tables with the hub's, and throws such errors
    ///   too. From then on, a table that does not fit the hub's is suspended alone; see
    ///   ``ReplicaStatus/suspendedTables``. The code is `fileNotEmpty` for an unfinished clone, and
    ///   `metadataNewer` if a newer version wrote the file. It is `configuration` for a hub behind
    ///   plain HTTP on another machine.
    public init(
        database: any DatabaseWriter, hub: ReplicaHub, tables: [ReplicaTable],
        options: ReplicaOptions = ReplicaOptions(), clock: any ReplicaClock = SystemClock(),
        random: ReplicaRandom = .system
    ) async throws {
        var store = ReplicaStore(tables: tables)
        store.retention = options.retention
        self.init(
            database: database, store: store, hub: try hub.checkedConnection(), options: options,
            clock: clock, random: random)
        try await open()
    }

    init(
        database: any DatabaseWriter, store: ReplicaStore, hub: any HubConnection,
        options: ReplicaOptions, clock: any ReplicaClock, random: ReplicaRandom
    ) {
        self.database = database
        var store = store
        store.journal = ExchangeJournal(options.logger)
        self.store = store
        self.hub = hub
        self.options = options
        self.clock = clock
        self.random = random
        machine = RunMachine(options)
        runLock = options.runLock.map(ProcessLock.init)
    }

    /// Reads the file. The app's writes never wait for it.
    func reading<Result: Sendable>(
        _ body: @escaping @Sendable (Database, ReplicaStore) throws -> Result
    ) async throws -> Result {
        try await store.reading(database, body)
    }

    /// Writes to the file, and converts errors.
    func access<Result: Sendable>(
        _ body: @escaping @Sendable (Database, ReplicaStore) throws -> Result
    ) async throws -> Result {
        try await store.access(database, body)
    }

    /// Makes the status follow the app's own commits from now on, whether the replica runs or not.
    func observe() async throws {
        let observer = LogObserver(seen) { [statusPublisher, wakeUp, counting, weak self] in
            statusPublisher.committed()
            wakeUp.signal(.commit)
            counting.run { [weak self] in await self?.recount() }
        }
        self.observer = observer
        try await access { [seen] db, store in
            try seen.advance(db, store)
            // The database only keeps a weak reference.
            db.add(transactionObserver: observer, extent: .observerLifetime)
        }
        try await refreshStatus()
    }

    func newID() -> String {
        var generator = random.generator
        return UUIDText.random(using: &generator)
    }

    // MARK: One sync

    /// Pushes what is pending and pulls what changed, once; one sync at a time.
    ///
    /// It waits for the hub, and before that for another sync of this replica. It does not try
    /// again after a failure. If the task is cancelled, what arrived stays. The next sync sends an
    /// unanswered batch again.
    ///
    /// - Returns: What the sync did, and whether the replica has caught up.
    /// - Throws: ``ReplicaError``, and `CancellationError` if the task is cancelled. Its code is
    ///   often one of the hub (``ReplicaError/Code/hub(_:)``), such as `unreachable` or
    ///   `unauthorized`. Unanswered changes stay pending, except after `replicaWiped`.
    @discardableResult
    public func sync() async throws -> SyncSummary {
        let summary = try await syncOnce { _, _ in }
        // A loop that waits after a failure need not wait any longer.
        wakeUp.signal(.synced)
        return summary
    }

    func syncOnce(
        then progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> SyncSummary {
        try await exchangeMutex.withLock {
            do {
                let summary = try await driver(progress).run()
                rowsArrived += summary.rowsReceived + summary.rowsRemoved
                try await succeeded(isCaughtUp: summary.isCaughtUp)
                statusPublisher.update { $0.phase = restingPhase }
                if !isRunning { await saveExchanges() }
                return summary
            } catch {
                await failed(error)
                statusPublisher.update { $0.phase = restingPhase }
                throw error
            }
        }
    }

    /// The phase between two exchanges.
    var restingPhase: ReplicaStatus.Phase {
        if !isRunning { return .stopped }
        if isWaiting { return .waiting }
        if machine.nextTry == nil { return .idle }
        return machine.needsUpdate ? .updateRequired : .retrying
    }

    func succeeded(isCaughtUp: Bool) async throws {
        machine.exchanged(at: clock.time)
        hasExchanged = true
        store.syncEnded(with: nil)
        let commits = statusPublisher.commits
        try await refreshStatus()
        statusPublisher.update {
            $0.lastError = nil
            $0.failingSince = nil
            $0.nextTry = nil
            if !isCaughtUp {
                $0.isCaughtUp = false
                $0.hasPulled = false
            }
        }
        if isCaughtUp { statusPublisher.caughtUp(at: commits) }
    }

    func failed(_ error: any Error) async {
        guard let error = error as? ReplicaError else { return }
        machine.exchangeFailed()
        store.syncEnded(with: error)
        show(error)
        await recount()
        if error.code == .hub(.replicaWiped) { await wipe() }
        // A file that is locked or full would only make the caller wait.
        if error.cause is HubError { await saveExchanges() }
    }

    /// Puts an error into the status.
    func show(_ error: ReplicaError) {
        let now = clock.time.date
        statusPublisher.update { [hasExchanged] in
            $0.lastError = error
            $0.failingSince = $0.failingSince ?? (hasExchanged ? now : $0.lastCaughtUp ?? now)
            $0.isCaughtUp = false
            $0.hasPulled = false
        }
    }

    func driver(_ report: @escaping @Sendable (Int, Int?) -> Void) -> SyncDriver {
        let statusPublisher = statusPublisher
        let database = database
        let store = store
        return SyncDriver(
            store: store, database: database, hub: hub, options: options, clock: clock,
            random: random, seen: seen
        ) { progress in
            switch progress {
            case .pushing: statusPublisher.update { $0.phase = .pushing }
            case .pulling: statusPublisher.update { $0.phase = .pulling }
            case .applied(let result):
                statusPublisher.update { status in
                    status.phase = .pulling
                    status.failingSince = nil
                    if let expected = result.rowsExpected {
                        status.rowsDone = result.rowsDone
                        status.rowsExpected = expected
                        status.tables = result.tables
                    }
                }
                report(result.rowsDone, result.rowsExpected)
            }
        }
    }

    func refreshStatus() async throws {
        let number = statusPublisher.beginCounting()
        let commits = statusPublisher.commits
        let last = statusPublisher.current.lastCaughtUp
        let counts = try await reading { try $1.counts($0) }
        statusPublisher.counted(number) {
            $0.pendingCount = counts.pending
            $0.refusedCount = counts.refused
            $0.overruledCount = counts.overruled
            $0.withheldCount = counts.withheld
            $0.deferredCount = counts.deferred
            $0.danglingCount = counts.dangling
            $0.lastCaughtUp = counts.caughtUp?.device.date
            $0.freshAsOf = counts.caughtUp?.hub?.date
            $0.rowsDone = counts.rowsDone
            $0.rowsExpected = counts.rowsExpected
            $0.tables = counts.tables
            $0.suspendedTables = counts.suspended
        }
        // Another process exchanged, and this one reads in the file how that went.
        guard isWaiting, let time = counts.caughtUp?.device.date, last.map({ $0 < time }) ?? true
        else { return }
        statusPublisher.update {
            $0.lastError = nil
            $0.failingSince = nil
        }
        statusPublisher.caughtUp(at: commits)
    }

    /// Reads the counts again, and ignores a failure: the next exchange reads them again.
    func recount() async { try? await refreshStatus() }

    // MARK: Looking

    /// The status at this moment. It reads no file, and waits for nothing.
    public nonisolated var status: ReplicaStatus { statusPublisher.current }

    /// The status now, and each time it changes. Two in a row are never equal. A slow listener gets
    /// the latest one. The stream ends when its task is cancelled, or when nobody has the replica
    /// any more.
    public nonisolated func statuses() -> AsyncStream<ReplicaStatus> { statusPublisher.updates() }

    /// Waits until a sync has ended with nothing missing and nothing left to push; see
    /// ``ReplicaStatus/isCaughtUp``. It returns at once if that is so already.
    ///
    /// It starts no sync, goes on after failures, and has no time limit. Pending changes of a
    /// suspended table keep it waiting. ``catchUp(within:)`` has a limit, and says what is missing.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; nothing else.
    public nonisolated func waitUntilCaughtUp() async throws {
        for await status in statusPublisher.updates() where status.isCaughtUp { return }
        throw CancellationError()
    }

    /// Compares the replica with the hub, row by row, by fingerprints.
    ///
    /// It skips pending changes, rows that changed at the hub since the last sync, and withheld
    /// rows. It also skips suspended tables (see ``ReplicaStatus/suspendedTables``) and tables that
    /// are only sent. It changes no row.
    ///
    /// It asks the hub for each page of each table, and other syncs wait meanwhile. Before the
    /// replica has met its hub, it compares nothing. Until its first copy is complete, rows that
    /// have not come yet count as missing here.
    ///
    /// - Returns: The rows that differ; empty if there are none. Of each table it lists 10,000 rows
    ///   at most that only this side has.
    /// - Throws: ``ReplicaError``, and `CancellationError` if the task is cancelled. The code
    ///   `cursorExpired` means that the replica must sync first.
    public func verify() async throws -> [RowDifference] {
        try await exchangeMutex.withLock {
            let driver = driver { _, _ in }
            do {
                var result: [RowDifference] = []
                for table in try await reading({ try $1.load($0).active }) {
                    result += try await driver.verify(table)
                }
                return result
            } catch { throw SyncDriver.readable(error) }
        }
    }
}
