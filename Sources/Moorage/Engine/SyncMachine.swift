package import GRDB
package import MoorageCore
package import MoorageWire

/// One sync of a replica, from the first request to the hub until nothing is left to push or to
/// pull.
///
/// Events go in, and the next request to the hub comes out. The device's own work happens in
/// between, on a connection of the caller. The machine uses no await, network, clock or randomness.
/// The app's driver and the simulator both run it.
///
/// - Y1: Tables that lost their triggers are compared before a page goes in, unless an exchange
///   must first say what the hub has now.
/// - Y2: Repairs are limited, so no hub sends the replica in circles.
/// - Y3: What a frame asks for is done under the replica id of the request, or not at all.
package struct SyncMachine: Sendable {
    /// What the caller has to report.
    package enum Event: Sendable {
        case begin
        case schema(SchemaAnswer)
        case compared(CompareAnswer)
        case notCompared(HubError)
        /// The answer to an exchange is over.
        case answered
    }

    /// What to ask the hub next.
    package enum Step: Sendable {
        case meet
        case compare(CompareRequest)
        /// - Parameter batch: The bytes of the request's batch, as they are stored.
        case send(ExchangeRequest, batch: [UInt8]?)
        case done(SyncSummary)
        /// Only a whole sync can go on: the replica cannot ask for a live stream yet.
        case needsSync
    }

    /// What a frame did.
    package enum Received: Hashable, Sendable {
        case none
        /// The page does not continue what the replica has; it was dropped.
        case dropped
        case applied(ApplyResult)
        case forked, unprepared, reconciled, rescan
        case finished(hasMore: Bool)
    }

    private enum State: Sendable {
        case idle, meeting, done
        case comparing(TableComparison, rest: ArraySlice<Identifier>)
        case exchanging(Exchange)
    }

    private let store: ReplicaStore
    private let options: ReplicaOptions
    private let isLive: Bool
    private var state = State.idle
    private var summary = SyncSummary()
    private var repairs = 0
    private var hasAskedForKeys = false

    // State of the current exchange.
    private var request: ExchangeRequest?
    private var effectAtEnd: Exchange.Effect?
    private var hubTime: HubTime = 0
    /// What the request reports; `nil` if it has no report.
    private var reported: ReportedState?
    /// What could be sent and compared when it began.
    private var tables: [TableColumns] = []
    private var changedTables = 0

    /// Rows came that are above all keys that SQLite could choose here by itself.
    package private(set) var wantsKeys = false
    /// The answer's pages left fills in a log: see ``ApplyResult``.
    package private(set) var hasFilled = false
    /// Whether the answer brought a schema, which the request could not know.
    private var hasNewSchema = false

    private static let maximumRepairs = 3
    /// A batch is halved until the hub accepts it.
    private static let maximumHalvings = 24

    /// - Parameter isLive: Whether it is a single exchange whose answer may become a live stream.
    init(_ store: ReplicaStore, _ options: ReplicaOptions, isLive: Bool = false) {
        self.store = store
        self.options = options
        self.isLive = isLive
    }

    // MARK: What became of it

    /// How long the live stream may be without a frame; `nil` while none is open.
    package var heartbeat: Duration? {
        if case .exchanging(let exchange) = state { exchange.heartbeat } else { nil }
    }
    var isCaughtUp: Bool { summary.isCaughtUp }
    /// Whether the hub has welcomed the replica.
    var isWelcome: Bool { hubTime != 0 }
    /// Whether the answer ended with nothing left to ask for.
    package var isComplete: Bool { effectAtEnd == .finish(hasMore: false) && isCaughtUp }

    // MARK: Going on

    /// Takes an event, and decides what to ask next.
    ///
    /// - Parameter newID: Makes a random id.
    package mutating func proceed(
        _ event: Event, _ db: Database, at now: DeviceTime, newID: () -> String
    ) throws -> Step {
        switch (event, state) {
        case (.begin, .idle): break
        case (.schema(let answer), .meeting):
            try store.adopt(db, hub: answer.hub, schema: answer.schema)
            // Another request would bring the same, without end.
            guard try store.load(db).schema != nil else {
                throw ReplicaError.protocolViolation(ProtocolReason.noSchema)
            }
        case (.compared(let answer), .comparing(let comparison, let rest)):
            if let step = try compared(answer, comparison, rest, db, now) { return step }
            return try send(db, now, newID)
        case (.notCompared(let error), .comparing):
            // An exchange starts over first, or adopts what the hub has now.
            guard error.postponesComparing else { throw error }
            return try send(db, now, newID)
        case (.answered, .exchanging):
            if let step = try answered(db) { return step }
        default: throw ReplicaError.protocolViolation(ProtocolReason.unaskedAnswer)
        }
        guard try store.load(db).schema != nil else {
            state = .meeting
            return isLive ? .needsSync : .meet
        }
        // A transaction of the replica's own adopts a changed schema.
        let tables = try store.transaction(db) { $0.tables }
        if isLive, !tables.repairable.isEmpty { return .needsSync }
        // A table that the hub has suspended may be synced again by now.
        let names = isLive ? [] : tables.toRepair.sorted()
        return try compare(names[...], db) ?? send(db, now, newID)
    }

    private mutating func compare(_ names: ArraySlice<Identifier>, _ db: Database) throws -> Step? {
        for (place, name) in zip(names.indices, names) {
            guard let table = try store.load(db).table(named: name) else { continue }
            let comparison = TableComparison(table, options)
            try comparison.begin(db, store)
            state = .comparing(comparison, rest: names[(place + 1)...])
            return .compare(try comparison.request(db, store))
        }
        return nil
    }

    private mutating func compared(
        _ answer: CompareAnswer, _ comparison: TableComparison, _ rest: ArraySlice<Identifier>,
        _ db: Database, _ now: DeviceTime
    ) throws -> Step? {
        var comparison = comparison
        try store.repair(db, table: comparison.table, answer, now: now)
        guard try comparison.goesOn(after: answer) else { return try compare(rest, db) }
        state = .comparing(comparison, rest: rest)
        return .compare(try comparison.request(db, store))
    }

    /// Prepares a batch, if there is anything to send, and the request that contains it.
    private mutating func send(_ db: Database, _ now: DeviceTime, _ newID: () -> String) throws
        -> Step
    {
        tables = try store.load(db).active.map(\.columns)
        _ = try store.prepareBatch(
            db, limits: options.batchLimits, now: now, nonce: newID())
        var (request, batch) = try store.request(db, now: now, limits: options.pageLimits)
        if isLive { request = request.live }
        request.clientVersion = options.device.appVersion?.reported
        // A long log is counted when a sync begins and when it is sent, not for each batch.
        let isCounted = try summary.exchanges == 0 || !store.hasLocalChanges(db)
        let news =
            isCounted
            ? try store.newReport(db, of: options.device, asking: request.tables) : nil
        request.report = news?.report
        reported = news?.state
        self.request = request
        effectAtEnd = nil
        hasNewSchema = false
        summary.isCaughtUp = false
        wantsKeys = false
        hasFilled = false
        state = .exchanging(Exchange(request))
        return .send(request, batch: batch)
    }

    private var sent: Int { request?.batch?.changes.count ?? 0 }

    private mutating func answered(_ db: Database) throws -> Step? {
        guard let end = effectAtEnd else {
            throw HubError.answerBrokeOff
        }
        summary.exchanges += 1
        guard case .finish(let hasMore) = end, !hasMore else { return nil }
        // A long log may have another batch, and fills come only with an answer.
        let hasLocalChanges = try store.hasLocalChanges(db)
        if sent > 0 || hasFilled, hasLocalChanges { return nil }
        if changedTables < Self.maximumRepairs, try tablesChanged(db, hasLocalChanges) {
            changedTables += 1
            return nil
        }
        if wantsKeys, !hasAskedForKeys {
            hasAskedForKeys = true
            return nil
        }
        state = .done
        return .done(summary)
    }

    /// Whether the hub's schema changed what can be read or sent, because the answer was for the
    /// tables as they were.
    private func tablesChanged(_ db: Database, _ hasLocalChanges: Bool) throws -> Bool {
        let isUnfinished = hasLocalChanges || !isCaughtUp
        guard hasNewSchema || isUnfinished else { return false }
        let now = try store.load(db)
        let asked = request?.tables ?? []
        if hasNewSchema, now.synced.contains(where: { !asked.contains($0.columns) }) {
            return true
        }
        return isUnfinished && now.active.map(\.columns) != tables
    }

    // MARK: Frames

    /// Takes one frame of the answer, and carries out what it asks for.
    package mutating func receive(
        _ frame: Frame, _ db: Database, at now: DeviceTime, newID: () -> String
    ) throws -> Received {
        guard case .exchanging(var exchange) = state, let request else {
            throw ReplicaError.protocolViolation(ProtocolReason.frameOutOfPlace)
        }
        let effect = try exchange.received(frame)
        state = .exchanging(exchange)
        hubTime = exchange.hubTime
        if exchange.isEnded { effectAtEnd = effect }
        if effect != .none { try checkName(request.replica, db) }
        let time = ExchangeTime(here: now, hub: hubTime)
        switch effect {
        case .none: return .none
        case .adopt(let welcome):
            hasNewSchema = welcome.schema != nil
            try store.adopt(db, welcome, requested: request.scopes)
            store.welcomed(reported, sentAt: request.sentAt, at: welcome.time)
            return .none
        case .apply(let outcomes, let page):
            return try count(
                store.apply(db, outcomes: outcomes, page: page, at: time, isLive: isLive),
                isAnswer: (outcomes?.number ?? 0) > 0)
        case .fork:
            try countRepair()
            try store.fork(db, newID: newID())
            return .forked
        case .unprepare where hasNewSchema:
            // The batch was cut for another schema, whatever its size.
            try countChange()
            try store.unprepare(db, halving: false)
            return .unprepared
        case .unprepare:
            guard sent > 1 || repairs == 0 else { throw ReplicaError.changeTooLarge }
            try countRepair(atMost: Self.maximumHalvings)
            try store.unprepare(db, halving: true)
            return .unprepared
        case .resend:
            // It is no repair: the hub may still want the batch in halves.
            try countChange()
            return .finished(hasMore: true)
        case .reconcile:
            try countRepair()
            try store.reconcile(
                db, newID: newID(), at: time, copiedAt: exchange.copiedAt)
            return .reconciled
        case .rescan:
            try countRepair()
            try store.rescan(db)
            return .rescan
        case .finish(let hasMore): return .finished(hasMore: hasMore)
        }
    }

    private mutating func countChange() throws {
        changedTables += 1
        guard changedTables <= Self.maximumRepairs else {
            throw ReplicaError.protocolViolation(ProtocolReason.batchNotAnswered)
        }
    }

    /// Another user may have started over with the file, or another process may have repaired it
    /// (Y3).
    private func checkName(_ replica: String, _ db: Database) throws {
        guard try Metadata(db: db).replica().hasSameBytes(as: replica) else {
            throw HubError.replicaIDChanged
        }
    }

    private mutating func count(_ result: ApplyResult, isAnswer: Bool) -> Received {
        if isAnswer, !result.isDropped { summary.changesPushed += sent }
        summary.changesRefused += result.refused
        summary.rowsReceived += result.rowsWritten
        summary.rowsRemoved += result.rowsRemoved
        summary.isCaughtUp = result.isCaughtUp
        wantsKeys = result.wantsKeys
        hasFilled = hasFilled || result.hasFilled
        return result.isDropped ? .dropped : .applied(result)
    }

    private mutating func countRepair(atMost limit: Int = Self.maximumRepairs) throws {
        repairs += 1
        guard repairs <= limit else {
            throw ReplicaError.protocolViolation(ProtocolReason.refusesAgain)
        }
    }
}

extension HubError {
    /// The hub does not have the replica's cursor or columns, or it suspended the table. An
    /// exchange fixes the first two and reports the third. After that, rows can be compared.
    fileprivate var postponesComparing: Bool {
        [.cursorExpired, .unknownTable, .tableSuspended].contains(code)
    }
}
