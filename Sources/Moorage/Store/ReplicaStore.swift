import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

/// The replica's side of the file: all SQL of the device, as synchronous functions of a GRDB
/// `Database`.
///
/// It has no state except caches. Everything is in the file, so a crash at any moment leaves what
/// was committed.
struct ReplicaStore: Sendable {
    let tables: [ReplicaTable]
    /// How long acknowledged batches are kept, in case the hub is restored.
    var retention: Duration = .seconds(90 * 86_400)

    private struct Cached {
        let cookie: Int64
        let generation: Int64
        let tables: LoadedTables
    }
    private let cache = Locked<Cached?>(nil)
    let statementCache = StatementCache()
    /// How many new entries make a log worth compacting.
    var compactedFrom: Int64 = 10_000
    let compactions = Locked<[Identifier: CompactionSchedule]>([:])
    let reports = Locked(ReportMemory())
    /// Records exchanges; `nil` for a file whose exchanges nobody asks for.
    var journal: ExchangeJournal?

    init(tables: [ReplicaTable]) { self.tables = tables }

    /// A store for a copy of the file. It also remembers when its logs were compacted, and what it
    /// reported.
    func twin() -> ReplicaStore {
        var twin = ReplicaStore(tables: tables)
        twin.retention = retention
        twin.compactedFrom = compactedFrom
        let compacted = compactions.withLock { $0 }
        twin.compactions.withLock { $0 = compacted }
        let reported = reports.withLock { $0 }
        twin.reports.withLock { $0 = reported }
        return twin
    }

    // MARK: Transactions

    /// What else a transaction needs.
    struct Options: OptionSet {
        let rawValue: Int
        /// Foreign keys off, and the guard row that silences the triggers.
        static let applying = Options(rawValue: 1)
        /// The commit reaches the disk for certain.
        static let durable = Options(rawValue: 2)
    }

    /// Runs one transaction of the replica's own. It adopts a changed schema first.
    func transaction<Result>(
        _ db: Database, _ options: Options = [], _ body: (StoreTransaction) throws -> Result
    ) throws -> Result {
        let turnsKeysOff = try options.contains(.applying) && ForeignKeys.areOn(db)
        if turnsKeysOff { try ForeignKeys.turn(on: false, db) }
        var synchronous: Int?
        // FULL does not sync the directory. A deleted journal may come back after a power cut, and
        // undo the commit.
        if options.contains(.durable) {
            let level = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 2
            if level < 3 {
                try db.execute(sql: "PRAGMA synchronous = EXTRA")
                synchronous = level
            }
        }
        func restore() throws {
            if turnsKeysOff { try ForeignKeys.turn(on: true, db) }
            if let synchronous { try db.execute(sql: "PRAGMA synchronous = \(synchronous)") }
        }
        let result: Result
        do {
            result = try perform(db, options, body)
        } catch {
            try restore()
            throw error
        }
        try restore()
        return result
    }

    private func perform<Result>(
        _ db: Database, _ options: Options, _ body: (StoreTransaction) throws -> Result
    ) throws -> Result {
        try db.returning(.immediate) {
            let meta = Metadata(db: db)
            try Self.endGroupLeftBehind(db)
            let cookie = try Self.cookie(db)
            var loaded: LoadedTables?
            if try meta.integer(.cookie) == cookie { loaded = try load(db) }
            if loaded?.lacksRowStates != false {
                statementCache.forget(db)
                try StoreSchema(db: db, configured: tables).refresh(.running)
                loaded = nil
            }
            let tables = try loaded ?? load(db)
            let transaction = StoreTransaction(db: db, store: self, tables: tables)
            let statements = transaction.statements
            if options.contains(.applying) {
                try statements("INSERT INTO _moorage_applying VALUES(1)").run()
            }
            let result = try body(transaction)
            if options.contains(.applying) {
                try statements("DELETE FROM _moorage_applying").run()
            }
            try transaction.keepRowStates()
            let now = try Self.cookie(db)
            if try meta.integer(.cookie) != now {
                try meta.set(.cookie, now)
                statementCache.forget(db)
            }
            return result
        }
    }

    static func cookie(_ db: Database) throws -> Int64 {
        try RawStatement.fixed(db, "PRAGMA schema_version").firstInteger() ?? 0
    }

    func load(_ db: Database) throws -> LoadedTables {
        let cookie = try Self.cookie(db)
        let generation = try Metadata(db: db).integer(.generation) ?? 0
        let cached = cache.withLock { $0 }
        if let cached, cached.cookie == cookie,
            cached.generation == generation
        {
            return cached.tables
        }
        let tables = try StoreSchema(db: db, configured: tables).load()
        cache.withLock {
            $0 = Cached(cookie: cookie, generation: generation, tables: tables)
        }
        return tables
    }

    // MARK: Opening

    /// Makes the file a replica, or opens an existing one.
    ///
    /// - Parameter newID: The replica id for a file that has none yet.
    func open(_ db: Database, newID: String) throws {
        try db.inTransaction(.immediate) {
            let meta = Metadata(db: db)
            let version = try meta.bringUpToDate()
            if version == nil {
                try meta.set(.version, Metadata.version)
                try meta.set(.replica, newID)
                try meta.set(.number, 0)
            }
            // Only another program can have left a guard row here.
            try db.execute(sql: "DELETE FROM _moorage_applying")
            try Self.endGroupLeftBehind(db)
            try StoreSchema(db: db, configured: tables).refresh(.opening)
            statementCache.forget(db)
            try StoreTransaction(db: db, store: self, tables: try load(db)).keepRowStates()
            try meta.set(.cookie, try Self.cookie(db))
            statementCache.forget(db)
            return .commit
        }
    }

    /// Adopts what a hub says of itself, at the first contact and when its schema changed.
    ///
    /// - Throws: ``ReplicaError`` `differentHub` when the file belongs to another hub. At the first
    ///   contact it throws for every difference between the two schemas that prevents syncing.
    ///   Later such a difference suspends its table.
    ///
    /// - Parameters:
    ///   - welcome: `nil` for what a hub says before the first exchange.
    ///   - requested: The scopes that the replica asked for in the same exchange.
    func adopt(
        _ db: Database, hub: String, schema: SchemaDescription?, welcome: Welcome? = nil,
        requested: [RequestedScope] = []
    ) throws {
        try transaction(db) { transaction in
            let meta = transaction.meta
            try meta.check(hub: hub)
            try meta.set(.hub, hub)
            // The hub now knows the file by its id, and whose it is.
            if let welcome {
                try meta.set(.formerly, .null)
                try meta.set(.user, welcome.user.map(Value.text) ?? .null)
                try meta.set(.maximumBatchRows, welcome.limits.maximumBatchRows)
                try meta.set(.maximumBatchBytes, welcome.limits.maximumBatchBytes)
                try meta.set(.maximumValueBytes, welcome.limits.maximumValueBytes)
                try adopt(
                    welcome.suspended, of: schema ?? transaction.tables.schema, transaction)
                if let rights = welcome.rights { try adopt(rights, transaction) }
                try KeyBlocks(db: db).add(welcome.keys)
                try SubscriptionTable(db: db).answered(
                    requested, unavailable: welcome.unavailable)
            }
            _ = try transaction.leadSequences()
            guard let schema else { return }
            try receiveAgain(schema, transaction)
            try meta.set(.schema, String(decoding: schema.encoded(), as: UTF8.self))
            // A direction or a column may have changed, which is part of the rights.
            try transaction.notify(Metadata.valueTable)
            let isFirst = transaction.tables.schema == nil
            try StoreSchema(db: db, configured: tables).refresh(isFirst ? .meeting : .adopting)
            try adoptUUIDFormOfRows(transaction)
        }
    }
}

extension ReplicaStore {
    /// - Parameter requested: The scopes that the replica asked for in the same exchange.
    func adopt(_ db: Database, _ welcome: Welcome, requested: [RequestedScope] = []) throws {
        try adopt(
            db, hub: welcome.hub, schema: welcome.schema, welcome: welcome, requested: requested)
    }

    /// Prepares tables that this device only sent, and receives from now on. Rows that the hub does
    /// not bring are listed and removed.
    fileprivate func receiveAgain(
        _ schema: SchemaDescription, _ transaction: StoreTransaction
    ) throws {
        for table in transaction.tables.synced where !table.description.direction.isReceived {
            guard schema.table(knownAs: table.name.text)?.direction.isReceived == true else {
                continue
            }
            try StoreSchema(db: transaction.db, configured: tables).markUnconfirmed(table.tracked)
            try transaction.records.change(table.name) { $0.state.becomeReceived() }
        }
    }

    /// Adopts which tables the hub has suspended. It names them as the central database does, or as
    /// this replica asked for them.
    fileprivate func adopt(
        _ suspended: [SuspendedTable], of schema: SchemaDescription?,
        _ transaction: StoreTransaction
    ) throws {
        var suspensions: [Identifier: TableRecord.Suspension] = [:]
        for table in suspended {
            suspensions[Identifier(table.name)] = .init(
                code: table.code.rawValue, reason: table.reason)
        }
        var isChanged = false
        for record in transaction.tables.records {
            let names = schema?.table(knownAs: record.name.text)?.names ?? []
            // What the hub says of the replica's own name concerns this replica alone.
            let suspension =
                suspensions[record.name]
                ?? names.compactMap { suspensions[Identifier($0)] }.first
            guard suspension != record.hubSuspension else { continue }
            try transaction.records.change(record.name) { $0.hubSuspension = suspension }
            if suspension == nil {
                for table in transaction.tables.tracked where table.name == record.name {
                    try StoreSchema(db: transaction.db, configured: tables).resumeAtHub(table)
                }
            }
            isChanged = true
        }
        if isChanged { try transaction.meta.bump() }
    }
}

/// One transaction of the store, with what it needs at hand.
struct StoreTransaction {
    let db: Database
    let store: ReplicaStore
    let tables: LoadedTables
    let statements: RawStatements

    init(db: Database, store: ReplicaStore, tables: LoadedTables) {
        self.db = db
        self.store = store
        self.tables = tables
        statements = RawStatements(db, cache: store.statementCache)
    }

    var meta: Metadata { Metadata(db: db) }
    var records: TableRecords { TableRecords(db: db) }

    /// Informs GRDB's observers of a write that GRDB did not make.
    ///
    /// GRDB 7 does not quote a double quote within a table's name, so it cannot observe such a
    /// table anyway.
    func notify(_ table: String) throws {
        try inform(table)
        guard tables.hasRowStates else { return }
        // What the triggers on our own tables wrote.
        for tracked in tables.tracked where tracked.hasRowStates {
            guard
                [tracked.logTable, "_moorage_inflight"].contains(where: {
                    $0.hasSameBytes(as: table)
                })
            else { continue }
            try inform(tracked.stateTable)
        }
    }

    private func inform(_ table: String) throws {
        guard !table.utf8.contains(UInt8(ascii: "\"")) else { return }
        try db.notifyChanges(in: Table(table))
    }
}
