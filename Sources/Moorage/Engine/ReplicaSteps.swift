package import GRDB
package import MoorageCore
package import MoorageWire

/// A replica's steps, one by one and synchronous, on a connection that the caller holds.
///
/// ``SyncDriver`` strings them together with tasks; a simulation strings the same ones together from
/// a seed.
package struct ReplicaSteps: Sendable {
    private let store: ReplicaStore

    /// - Parameter compactedFrom: So many new entries make a log worth compacting.
    package init(
        tables: [ReplicaTable], retention: Duration = ReplicaOptions().retention,
        compactedFrom: Int64? = nil
    ) {
        var store = ReplicaStore(tables: tables)
        store.retention = retention
        if let compactedFrom { store.compactedFrom = compactedFrom }
        self.store = store
    }

    package func open(_ db: Database, newID: String) throws { try store.open(db, newID: newID) }

    // MARK: Before an exchange

    /// Whether the replica knows its hub's schema.
    package func hasMetHub(_ db: Database) throws -> Bool { try store.load(db).schema != nil }

    package func meet(_ db: Database, _ answer: SchemaAnswer) throws {
        try store.adopt(db, hub: answer.hub, schema: answer.schema)
    }

    /// Compares every table whose triggers were lost with the hub.
    package func recompare(
        _ db: Database, rows: Int, now: Int64, ask: (CompareRequest) throws -> CompareAnswer
    ) throws {
        let names = try store.transaction(db) { $0.tables.recompare }
        for name in names.sorted() {
            guard let table = try store.load(db).table(named: name) else { continue }
            try store.beginComparing(db, table: table)
            var after: Key?
            repeat {
                let request = try store.compareRequest(
                    db, table: table, after: after, rows: rows, withValues: true)
                let answer: CompareAnswer
                do {
                    answer = try ask(request)
                } catch let error as HubError where error.postponesComparing {
                    // The exchange begins anew first, or takes up what the hub has now.
                    return
                }
                try store.recompare(db, table: table, answer, now: now)
                after = answer.next
            } while after != nil
        }
    }

    // MARK: An exchange

    /// Prepares a batch, if there is anything to send, and the request that carries it.
    ///
    /// - Parameter inBlocks: In which of the two encodings.
    /// - Returns: The request, and its bytes as they go out.
    package func request(
        _ db: Database, options: ReplicaOptions, now: Int64, nonce: String, inBlocks: Bool = true
    ) throws -> (request: ExchangeRequest, bytes: [UInt8]) {
        _ = try store.prepareBatch(db, limits: options.batchLimits, now: now, nonce: nonce)
        let (request, batch) = try store.request(db, now: now, limits: options.pageLimits)
        return (request, inBlocks ? request.block(batch: batch) : request.encoded())
    }

    /// What a frame did.
    package enum Effect: Hashable, Sendable {
        case none, dropped
        case applied(isCaughtUp: Bool)
        case forked, tookBack, reconciled, readAnew
        case finished(hasMore: Bool)
    }

    /// Takes one frame of an answer and carries out what it asks for.
    package func take(
        _ frame: Frame, of exchange: inout ReplicaExchange, _ db: Database, now: Int64,
        newID: () -> String
    ) throws -> Effect {
        switch try exchange.state.received(frame) {
        case .none: return .none
        case .adopt(let welcome):
            try store.adopt(db, welcome)
            return .none
        case .apply(let outcomes, let page):
            let time = ExchangeTime(here: now, hub: exchange.state.hubTime)
            let result = try store.apply(db, outcomes: outcomes, page: page, at: time)
            return result.isDropped ? .dropped : .applied(isCaughtUp: result.isCaughtUp)
        case .fork:
            try store.fork(db, newID: newID())
            return .forked
        case .takeBack:
            try store.takeBack(db)
            return .tookBack
        case .reconcile:
            let time = ExchangeTime(here: now, hub: exchange.state.hubTime)
            try store.reconcile(db, newID: newID(), at: time)
            return .reconciled
        case .readAnew:
            try store.readAnew(db)
            return .readAnew
        case .finish(let hasMore): return .finished(hasMore: hasMore)
        }
    }

    // MARK: What the file says

    /// What is not settled yet.
    package struct State: Hashable, Sendable {
        package var cursor = SyncCursor.start
        package var pending = 0
        package var waiting = 0
        package var refused = 0
        package var stopped: [StoppedReplicaTable] = []
        package var inFlight: [RowName] = []
    }

    package func state(_ db: Database) throws -> State {
        let meta = Metadata(db: db)
        let counts = try store.counts(db)
        return State(
            cursor: try meta.cursor(), pending: counts.pending, waiting: counts.waiting,
            refused: counts.refused, stopped: counts.stopped,
            inFlight: try meta.inFlight()?.batch.changes.map(\.rowName) ?? [])
    }

    package func cursor(_ db: Database) throws -> SyncCursor { try Metadata(db: db).cursor() }

    package func hasNotes(_ db: Database) throws -> Bool { try store.hasNotes(db) }
}

/// What one exchange has come to, seen from the device.
package struct ReplicaExchange: Sendable {
    fileprivate var state: Exchange

    package init(_ request: ExchangeRequest) { state = Exchange(request) }
}

extension HubError {
    /// The replica's place, or its columns, are none that the hub has: an exchange mends that, and then
    /// rows can be compared.
    var postponesComparing: Bool { code == .cursorExpired || code == .unknownTable }
}
