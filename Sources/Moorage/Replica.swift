public import Foundation
public import GRDB
import Logging
import MoorageCore
public import MoorageWire

/// Where a replica's hub is.
public enum ReplicaHub: Sendable {
    /// A server, under its base address (`https://example.com/sync`).
    case http(URL, credentials: HubCredentials?)
    /// A hub in this process.
    case direct(any HubConnection)

    var connection: any HubConnection {
        switch self {
        case .http(let url, let credentials):
            HTTPHubConnection(url: url, credentials: credentials)
        case .direct(let connection): connection
        }
    }

    /// A server that is shown one secret for ever.
    public static func http(_ url: URL, secret: String?) -> ReplicaHub {
        .http(url, credentials: secret.map { .secret($0) })
    }
}

/// Keeps the tables of an app's own SQLite file the same as a central database's.
///
/// The app goes on reading and writing its file as before, with records, raw SQL and observations;
/// it never waits for the network. ``run()`` keeps the replica up to date until its task is
/// cancelled; ``start()`` and ``stop()`` hold such a task for apps that have none; ``sync()`` runs
/// once.
public actor Replica {
    let database: any DatabaseWriter
    let store: ReplicaStore
    let hub: any HubConnection
    let options: ReplicaOptions
    let clock: any ReplicaClock
    let random: ReplicaRandom
    let board = StatusBoard()
    let wakeUp = WakeUp()
    let turnstile = Turnstile()
    let logger = Logger(label: "moorage.replica")
    private var task: Task<Void, any Error>?
    private let front = Locked(true)
    var livePacing: LivePacing
    /// Rows came that are above all keys that SQLite could choose here by itself.
    var wantsKeys = false
    /// When an open answer was asked for keys; in milliseconds since 1970.
    var keysAskedAt: Int64?

    /// Makes the file a replica, or takes it up again: tables and triggers named `_moorage_…` are
    /// added to it, nothing of the app's is changed. Needs no network.
    ///
    /// - Throws: ``ReplicaError``: each says which table or column is in the way and what mends it.
    public init(
        database: any DatabaseWriter, hub: ReplicaHub, tables: [ReplicaTable],
        options: ReplicaOptions = ReplicaOptions(), clock: any ReplicaClock = SystemClock(),
        random: ReplicaRandom = .system
    ) async throws {
        var store = ReplicaStore(tables: tables)
        store.retention = options.retention
        self.init(
            database: database, store: store, hub: hub.connection, options: options, clock: clock,
            random: random)
        try await open()
    }

    private init(
        database: any DatabaseWriter, store: ReplicaStore, hub: any HubConnection,
        options: ReplicaOptions, clock: any ReplicaClock, random: ReplicaRandom
    ) {
        self.database = database
        self.store = store
        self.hub = hub
        self.options = options
        self.clock = clock
        self.random = random
        livePacing = LivePacing(options)
    }

    private func open() async throws {
        let id = newID()
        try await access { db, store in
            if try Metadata(db: db).exists(), try store.isCloning(db) {
                throw ReplicaError(
                    .fileNotEmpty,
                    "The file is a clone that is not complete. Finish it with `Replica.clone(…)`.",
                    recovery: .choose)
            }
            try store.open(db, newID: id)
        }
        try await refreshStatus()
    }

    /// Every access to the file: on the database's own queue, errors in our terms.
    func access<Result: Sendable>(
        _ body: @escaping @Sendable (Database, ReplicaStore) throws -> Result
    ) async throws -> Result {
        do {
            return try await database.writeWithoutTransaction { [store] in try body($0, store) }
        } catch {
            throw SyncDriver.readable(error)
        }
    }

    // MARK: Cloning

    /// Makes an empty file a replica: its tables are created from the hub's schema with types, keys,
    /// NOT NULL, defaults and foreign keys, and filled. A clone that was interrupted goes on where it
    /// stopped.
    ///
    /// - Parameter progress: Told after each page.
    public static func clone(
        into database: any DatabaseWriter, from hub: ReplicaHub, tables: [String],
        options: ReplicaOptions = ReplicaOptions(), clock: any ReplicaClock = SystemClock(),
        random: ReplicaRandom = .system,
        progress: @escaping @Sendable (CloneProgress) -> Void = { _ in }
    ) async throws -> Replica {
        var store = ReplicaStore(tables: tables.map { .table($0) })
        store.retention = options.retention
        let replica = Replica(
            database: database, store: store, hub: hub.connection, options: options, clock: clock,
            random: random)
        try await replica.load(progress)
        return replica
    }

    private func load(_ progress: @escaping @Sendable (CloneProgress) -> Void) async throws {
        let hub = hub
        let before = hub.bytesReceived ?? 0
        let schema: SchemaAnswer
        do { schema = try await hub.schema() } catch { throw SyncDriver.readable(error) }
        let id = newID()
        try await access { db, store in
            try store.beginCloning(db, newID: id, schema: schema)
        }
        var isCaughtUp = false
        while !isCaughtUp {
            isCaughtUp = try await syncOnce { rows, expected in
                progress(
                    CloneProgress(
                        rows: rows, expectedRows: expected,
                        bytes: hub.bytesReceived.map { $0 - before }))
            }.isCaughtUp
        }
        try await access { db, store in try store.endCloning(db) }
        try await refreshStatus()
    }

    // MARK: Running

    /// Keeps the replica up to date until the task is cancelled: pushes soon after a local commit,
    /// pulls by interval, and waits when the hub cannot be reached.
    ///
    /// - Throws: `CancellationError`, and ``ReplicaError`` where only the app can go on: another
    ///   hub or user, a replica that may not sync any more, a newer or corrupt file.
    public func run() async throws {
        // The database holds it weakly: it observes as long as this call lasts.
        let observer = LogObserver(wakeUp)
        defer {
            board.update {
                $0.phase = .stopped
                $0.nextTry = nil
            }
        }
        try await database.writeWithoutTransaction {
            $0.add(transactionObserver: observer, extent: .observerLifetime)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.watchOtherProcesses() }
            group.addTask { try await self.loop() }
            defer { group.cancelAll() }
            try await group.next()
        }
        withExtendedLifetime(observer) {}
    }

    /// Whether the app is in front of its user: then changes come as they are made (``ReplicaOptions/live``),
    /// else by interval. An app that goes to the background says so, and when it comes back.
    public nonisolated var isInFront: Bool {
        get { front.withLock { $0 } }
        set {
            let isOther = front.withLock { front in
                defer { front = newValue }
                return front != newValue
            }
            if isOther { wakeUp.signal() }
        }
    }

    private func loop() async throws {
        var backoff = Backoff(
            first: options.firstRetryDelay, maximum: options.maximumRetryDelay)
        while true {
            try Task.checkCancellation()
            do {
                // An exchange that may stay open is a pull as well.
                if !isLiveWanted || !livePacing.isFresh(at: clock.now()) { try await sync() }
                backoff.succeeded()
                board.update {
                    $0.phase = .idle
                    $0.nextTry = nil
                }
                switch isLiveWanted ? try await goLive() : .closed {
                case .again: continue
                case .over(let wait?):
                    _ = try await wakeUp.wait(atMost: min(wait, Self.longestWait), clock)
                case .over(nil): continue
                case .closed:
                    let wait = livePacing.wait(atMost: options.pullInterval, at: clock.now())
                    guard try await wakeUp.wait(atMost: wait, clock) else { continue }
                    if try await hasNotes() { try await settleDown() }
                }
            } catch let error as ReplicaError {
                if Self.needsApp(error) { throw error }
                let delay = delay(after: error, &backoff)
                logger.info("sync failed", metadata: ["code": "\(error.code.rawValue)"])
                let next = clock.now() + delay.milliseconds
                board.update {
                    $0.phase = .waiting
                    $0.nextTry = next
                }
                try await clock.sleep(for: delay)
            }
        }
    }

    /// However long a hub says that it wants to be left alone.
    private static let longestWait = Duration.seconds(60)

    private static func needsApp(_ error: ReplicaError) -> Bool {
        [
            .differentHub, .metadataNewer, .metadataDamaged, .corrupt, .hub(.differentUser),
            .hub(.replicaRevoked), .hub(.replicaWiped),
        ].contains(error.code)
    }

    func newID() -> String {
        var generator = random.generator
        return UUIDText.random(using: &generator)
    }

    private func delay(after error: ReplicaError, _ backoff: inout Backoff) -> Duration {
        var generator = random.generator
        if case .retry(let after) = error.recovery {
            return backoff.failed(retryAfter: after, using: &generator)
        }
        // Trying again mends nothing by itself; somebody may mend it meanwhile.
        return backoff.failed(retryAfter: options.pullInterval, using: &generator)
    }

    /// Waits until the local commits pause, but not for ever.
    private func settleDown() async throws {
        try await refreshStatus()
        let last = clock.now() + options.maximumPushDelay.milliseconds
        while clock.now() < last {
            guard try await wakeUp.wait(atMost: options.pushDelay, clock) else { return }
        }
    }

    /// Other processes write the same file: their commits move `data_version`.
    private func watchOtherProcesses() async throws {
        var known: Int?
        while true {
            try await clock.sleep(for: options.otherProcessInterval)
            let (version, hasNotes) = try await access { db, store in
                (
                    try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0,
                    try store.hasNotes(db)
                )
            }
            if let before = known, before != version, hasNotes { wakeUp.signal() }
            known = version
        }
    }

    /// Holds a task that runs ``run()``; nothing happens when it is held already.
    public func start() {
        guard task == nil else { return }
        task = Task {
            do {
                try await run()
            } catch {
                // It ended by itself, and may be started again; `stop` looks after its own.
                if !Task.isCancelled { task = nil }
                throw error
            }
        }
    }

    /// Ends the task of ``start()`` and waits for its end.
    public func stop() async {
        guard let running = task else { return }
        running.cancel()
        _ = await running.result
        task = nil
    }

    // MARK: One sync

    /// Pushes what is pending and pulls what changed, once; one sync at a time.
    @discardableResult
    public func sync() async throws -> SyncSummary { try await syncOnce { _, _ in } }

    private func syncOnce(then progress: @escaping @Sendable (Int, Int?) -> Void) async throws
        -> SyncSummary
    {
        try await turnstile.pass {
            do {
                let summary = try await driver(progress).run()
                try await succeeded(isCaughtUp: summary.isCaughtUp)
                board.update { $0.phase = task == nil ? .stopped : .idle }
                return summary
            } catch {
                await failed(error)
                board.update { $0.phase = .stopped }
                throw error
            }
        }
    }

    func succeeded(isCaughtUp: Bool) async throws {
        livePacing.exchanged(at: clock.now())
        try await refreshStatus()
        board.update {
            $0.lastError = nil
            $0.isCaughtUp = isCaughtUp && $0.pendingCount == 0
        }
    }

    func failed(_ error: any Error) async {
        guard let error = error as? ReplicaError else { return }
        livePacing.failed()
        board.update {
            $0.lastError = error
            $0.isCaughtUp = false
        }
        if error.code == .hub(.replicaWiped) { await wipe() }
    }

    func driver(_ report: @escaping @Sendable (Int, Int?) -> Void) -> SyncDriver {
        let board = board
        let database = database
        let store = store
        return SyncDriver(
            store: store, database: database, hub: hub, options: options, clock: clock,
            random: random
        ) { progress in
            switch progress {
            case .pushing: board.update { $0.phase = .pushing }
            case .pulling: board.update { $0.phase = .pulling }
            case .applied(let result):
                board.update { status in
                    status.phase = .pulling
                    if let expected = result.rowsExpected {
                        status.rowsDone = result.rowsDone
                        status.rowsExpected = expected
                    }
                }
                report(result.rowsDone, result.rowsExpected)
            }
        }
    }

    func refreshStatus() async throws {
        let counts = try await access { db, store in try store.counts(db) }
        board.update {
            $0.pendingCount = counts.pending
            $0.refusedCount = counts.refused
            $0.overruledCount = counts.overruled
            $0.withheldCount = counts.withheld
            $0.waitingCount = counts.waiting
            $0.lastCaughtUp = counts.lastCaughtUp
            $0.rowsDone = counts.rowsDone
            $0.rowsExpected = counts.rowsExpected
            $0.stoppedTables = counts.stopped
        }
    }

    // MARK: Looking

    /// The status now, and each time it changes; the latest is kept for a slow listener.
    public nonisolated var status: AsyncStream<ReplicaStatus> { board.updates() }

    /// The status at this moment.
    public nonisolated var currentStatus: ReplicaStatus { board.current }

    /// Waits until a sync has ended with nothing missing and nothing left to push.
    public nonisolated func waitUntilCaughtUp() async throws {
        for await status in board.updates() where status.isCaughtUp { return }
        throw CancellationError()
    }

    /// Compares the replica with the hub, row by row through fingerprints.
    ///
    /// Pending changes, rows that changed at the hub since the last sync, and withheld rows are
    /// passed over.
    public func verify() async throws -> [RowDifference] {
        try await turnstile.pass {
            let driver = driver { _, _ in }
            do {
                var result: [RowDifference] = []
                for table in try await access({ try $1.load($0).synced }) {
                    result += try await driver.verify(table)
                }
                return result
            } catch { throw SyncDriver.readable(error) }
        }
    }
}

extension Duration {
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
