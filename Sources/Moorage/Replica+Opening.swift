import Dispatch
public import GRDB
import Logging
import MoorageCore
import MoorageWire

/// How a file becomes a replica, and how it goes on as one.
extension Replica {
    /// Makes the file a replica, or goes on with the one that it is. Call it at each launch.
    ///
    /// The app reads and writes its tables as soon as the call returns. ``run()``, ``start()`` or
    /// ``sync()`` then bring the rows, and ``status`` says how far the first copy is. If the copy
    /// breaks off, the next sync goes on where it stopped.
    ///
    /// - A file that has the tables opens without the hub.
    /// - With `migrator`, the app's migrations make the tables, and the hub is not asked.
    /// - Without `migrator`, the file gets each table that it lacks, from the hub's schema. The call
    ///   waits for one short answer of the hub, unless the file remembers the table from an
    ///   earlier sync.
    /// - A clone that broke off is finished first; see
    ///   ``clone(into:from:tables:options:clock:random:progress:)``. The call waits for the hub
    ///   until all rows are here.
    ///
    /// What a table has to fit, and what is added to the file, is the same as for
    /// ``init(database:hub:tables:options:clock:random:)``. After a failure, call it again: it goes
    /// on with what the file has.
    ///
    /// - Parameters:
    ///   - database: The app's `DatabasePool` or `DatabaseQueue`. Keep it open while the replica is
    ///     in use.
    ///   - hub: Where the replica finds its hub.
    ///   - tables: The tables to sync. `nil` means every table that the hub syncs, and the hub
    ///     sends the rows that the user may see. With `migrator` it means those of them that the
    ///     file has or had. The first call then waits for the hub. A table that the hub gets later
    ///     counts at the opening after the next sync. If such a table does not fit the file, it is
    ///     left out, and logged.
    ///   - migrator: The app's migrations. They run first, on a thread of their own, as
    ///     ``migrate(_:with:)`` runs them.
    ///   - options: Intervals, delays and limits.
    ///   - clock: The time. Only a test needs another one than the device's.
    ///   - random: Random numbers. Only a test needs others than the system's.
    /// - Throws: The errors of ``migrate(_:with:)``. ``ReplicaError`` with the codes of
    ///   ``init(database:hub:tables:options:clock:random:)``. If the hub was asked, its code may be
    ///   one of the hub, such as `unreachable`, or `unknownTable` for a table that it does not
    ///   sync. It is `differentHub` if the file belongs to another one.
    public static func open(
        database: any DatabaseWriter, hub: ReplicaHub, tables: [ReplicaTable]? = nil,
        migrator: DatabaseMigrator? = nil, options: ReplicaOptions = ReplicaOptions(),
        clock: any ReplicaClock = SystemClock(), random: ReplicaRandom = .system
    ) async throws -> Replica {
        let connection = try hub.checkedConnection()
        if let migrator { try await run(migrator, on: database) }
        let file = try await ReplicaStore(tables: []).access(database) { db, _ in
            try FoundFile.read(db)
        }
        let makesTables = migrator == nil && !file.isCloning
        var answer: SchemaAnswer?
        if file.needsHub(for: tables, makesTables: makesTables) {
            answer = try await Self.schema(of: connection)
        }
        let schema = answer?.schema ?? file.schema
        let wanted = file.tables(tables, of: schema, makesTables: makesTables)
        func made(_ tables: [ReplicaTable]) -> Replica {
            var store = ReplicaStore(tables: tables)
            store.retention = options.retention
            return Replica(
                database: database, store: store, hub: connection, options: options, clock: clock,
                random: random)
        }
        let replica = made(wanted)
        if file.isCloning {
            let cloned = Set(file.recorded)
            // A clone that broke off at its very beginning has not recorded its tables.
            if cloned.isEmpty || cloned == Set(wanted.map(\.id)) {
                try await replica.load { _ in }
                return replica
            }
            // The list changed meanwhile. The clone is finished with the tables that it made.
            try await made(file.recorded.map { .table($0.text) }).load { _ in }
            return try await open(
                database: database, hub: hub, tables: tables, migrator: migrator, options: options,
                clock: clock, random: random)
        }
        let lacking = wanted.filter { makesTables && file.isLacking($0) }
        for table in lacking where schema?.table(knownAs: table.name) == nil {
            throw ReplicaError.unknownTable(table.name)
        }
        do {
            try await replica.open(making: lacking.map(\.id), of: schema, answer: answer)
            return replica
        } catch let error as ReplicaError where tables == nil && !file.recorded.isEmpty {
            // Nobody listed the tables that are new at the hub. If one of them does not fit the
            // file, the others go on.
            let known = wanted.filter { file.recorded.contains($0.id) }
            if known.count == wanted.count { throw error }
            let others = made(known)
            try await others.open()
            let names = wanted.map(\.id).filter { !file.recorded.contains($0) }.map(\.text)
            others.logger.warning(
                "Tables that are new at the hub are left out, because one does not fit the file.",
                metadata: ["tables": "\(names)", "code": "\(error.code.rawValue)"])
            return others
        }
    }

    /// - Parameters:
    ///   - lacking: Tables that the file has to get first.
    ///   - schema: The hub's schema, as far as it is known.
    ///   - answer: What the hub has just said of itself; `nil` if nobody asked it.
    func open(
        making lacking: [Identifier] = [], of schema: SchemaDescription? = nil,
        answer: SchemaAnswer? = nil
    ) async throws {
        let id = newID()
        try await access { db, store in
            let meta = Metadata(db: db)
            if try meta.exists(), try meta.isCloning() { throw ReplicaError.cloneUnfinished }
            if let schema, !lacking.isEmpty {
                try store.createTables(lacking, of: schema, db, hub: answer?.hub)
            }
            try store.open(db, newID: id)
            if let answer { try store.adopt(db, hub: answer.hub, schema: answer.schema) }
        }
        try await observe()
    }

    /// Migrations may take long, and GRDB runs them synchronously. So they get a thread that may
    /// wait.
    private static func run(
        _ migrator: DatabaseMigrator, on database: any DatabaseWriter
    ) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                done.resume(with: Result { try migrate(database, with: migrator) })
            }
        }
    }

    private static func schema(of hub: any HubConnection) async throws -> SchemaAnswer {
        do { return try await hub.schema() } catch { throw SyncDriver.readable(error) }
    }

    // MARK: Cloning

    /// Makes an empty file a replica, and waits until all rows are here. It creates the tables from
    /// the hub's schema with types, keys, NOT NULL, defaults and foreign keys.
    ///
    /// The app may not use the tables before it returns. So the rows come without triggers and
    /// secondary indexes, which is faster than the first copy after
    /// ``open(database:hub:tables:migrator:options:clock:random:)``. After a failure, or when its
    /// task is cancelled, call it again: an interrupted clone goes on where it stopped.
    ///
    /// - Parameters:
    ///   - database: A `DatabasePool` or `DatabaseQueue` of a file without these tables.
    ///   - hub: Where the replica finds its hub.
    ///   - tables: The names that the tables have at the hub.
    ///   - options: Intervals, delays and limits.
    ///   - clock: The time. Only a test needs another one than the device's.
    ///   - random: Random numbers. Only a test needs others than the system's.
    ///   - progress: Called after each page, on any thread. The clone waits for it.
    /// - Returns: A replica that has caught up. Nothing keeps it up to date yet.
    /// - Throws: ``ReplicaError`` `fileNotEmpty` if the file has one of the tables already, or is a
    ///   complete replica: open such a file with `Replica.open(…)`. The other codes are those of
    ///   ``sync()``, such as `unknownTable` for a table that the hub does not sync.
    public static func clone(
        into database: any DatabaseWriter, from hub: ReplicaHub, tables: [String],
        options: ReplicaOptions = ReplicaOptions(), clock: any ReplicaClock = SystemClock(),
        random: ReplicaRandom = .system,
        progress: @escaping @Sendable (CloneProgress) -> Void = { _ in }
    ) async throws -> Replica {
        var store = ReplicaStore(tables: tables.map { .table($0) })
        store.retention = options.retention
        let replica = Replica(
            database: database, store: store, hub: try hub.checkedConnection(), options: options,
            clock: clock, random: random)
        try await replica.load(progress)
        return replica
    }

    private func load(_ progress: @escaping @Sendable (CloneProgress) -> Void) async throws {
        let hub = hub
        let before = hub.bytesReceived ?? 0
        let schema = try await Self.schema(of: hub)
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
        try await observe()
    }
}
