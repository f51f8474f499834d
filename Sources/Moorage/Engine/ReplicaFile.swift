package import GRDB
package import MoorageCore
package import MoorageWire

/// A replica's file, on a connection of the caller. It can be opened, synced by ``SyncMachine``,
/// and read.
package struct ReplicaFile: Sendable {
    private let store: ReplicaStore

    /// - Parameter compactedFrom: How many new entries make a log worth compacting.
    package init(
        tables: [ReplicaTable], retention: Duration = ReplicaOptions().retention,
        compactedFrom: Int64? = nil
    ) {
        var store = ReplicaStore(tables: tables)
        store.retention = retention
        if let compactedFrom { store.compactedFrom = compactedFrom }
        self.store = store
    }

    private init(_ store: ReplicaStore) { self.store = store }

    /// The same for a copy of the file. It also copies what this one remembers outside the file.
    package func twin() -> ReplicaFile { ReplicaFile(store.twin()) }

    package func open(_ db: Database, newID: String) throws { try store.open(db, newID: newID) }

    /// A sync that has not begun.
    ///
    /// - Parameter isLive: Whether its answer may become a live stream.
    package func sync(_ options: ReplicaOptions, isLive: Bool = false) -> SyncMachine {
        SyncMachine(store, options, isLive: isLive)
    }

    /// Keeps the result of a sync for the next report.
    ///
    /// - Parameter error: The reason, as ``readable(_:)`` converts it; `nil` if it succeeded.
    package func syncEnded(with error: ReplicaError?) { store.syncEnded(with: error) }

    /// Converts an error of the hub or of SQLite into one that says what to do.
    package static func readable(_ error: any Error) -> any Error { SyncDriver.readable(error) }

    /// One whole sync by the app's own driver, with tasks.
    @discardableResult
    package func sync(
        on database: any DatabaseWriter, with hub: any HubConnection, _ options: ReplicaOptions,
        clock: any ReplicaClock, random: ReplicaRandom
    ) async throws -> SyncSummary {
        let driver = SyncDriver(
            store: store, database: database, hub: hub, options: options, clock: clock,
            random: random, seen: LogWatermark()
        ) { _ in }
        return try await driver.run()
    }

    /// Empties the file for another user, after a copy of it was made; see
    /// ``Replica/startOver(archivingTo:)``.
    package func startOver(_ db: Database, newID: String) throws {
        try store.empty(db, newID: newID)
    }

    /// Deletes everything, because the hub ordered it.
    package func wipe(_ db: Database) throws {
        if try store.isEmpty(db) { return }
        try store.wipe(db)
    }

    // MARK: Subscriptions

    /// See ``Replica/subscribe(to:priority:timeToLive:)``.
    ///
    /// - Returns: Whether the hub has to be asked.
    package func subscribe(
        _ db: Database, to scope: String, priority: ScopePriority, timeToLive: Duration?,
        now: DeviceTime
    ) throws -> Bool {
        try store.subscribe(db, to: scope, priority, timeToLive: timeToLive, now: now)
    }

    /// - Returns: Whether there was a subscription.
    package func unsubscribe(_ db: Database, from scope: String) throws -> Bool {
        try store.unsubscribe(db, from: scope)
    }

    package func subscriptions(_ db: Database) throws -> [Subscription] {
        try store.subscriptions(db, limit: .max)
    }

    // MARK: What the file says

    /// What the file says of the replica, above all what is not finished.
    package struct State: Hashable, Sendable {
        package var cursor = SyncCursor.start
        package var pending = 0
        package var deferred = 0
        package var refused = 0
        package var suspended: [SuspendedReplicaTable] = []
        package var inFlight: [RowName] = []
        /// The replica id by which the hub knows the file.
        package var replica: String?
        /// What the hub calls the user whose file it is.
        package var user: String?
    }

    package func state(_ db: Database) throws -> State {
        let meta = Metadata(db: db)
        let counts = try store.counts(db)
        return State(
            cursor: try meta.cursor(), pending: counts.pending, deferred: counts.deferred,
            refused: counts.refused, suspended: counts.suspended,
            inFlight: try meta.inFlightBatch()?.batch.changes.map(\.rowName) ?? [],
            replica: try meta.text(.replica), user: try meta.text(.user))
    }

    /// Lists a conflict of a change whose outcome nobody knows.
    package func list(
        _ overruling: Overruling, of change: Change, in batch: Batch, at now: DeviceTime,
        _ db: Database
    ) throws {
        try OverruledList(statements: RawStatements(db, cache: store.statementCache))
            .add(change, overruling, of: batch, at: now)
    }

    /// The id of the file's replica; `nil` for a file that is none.
    package func replica(_ db: Database) throws -> String? {
        let meta = Metadata(db: db)
        return try meta.exists() ? meta.text(.replica) : nil
    }

    package func cursor(_ db: Database) throws -> SyncCursor { try Metadata(db: db).cursor() }

    package func hasLocalChanges(_ db: Database) throws -> Bool { try store.hasLocalChanges(db) }
}
