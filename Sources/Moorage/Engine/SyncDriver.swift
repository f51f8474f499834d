import GRDB
import MoorageCore
import MoorageWire

/// Runs one sync: exchanges until the replica has caught up and nothing is left to push.
///
/// It decides nothing: the store and the state machine do. Each step is one call into the database,
/// on the database's own queue.
struct SyncDriver: Sendable {
    let store: ReplicaStore
    let database: any DatabaseWriter
    let hub: any HubConnection
    let options: ReplicaOptions
    let clock: any ReplicaClock
    let random: ReplicaRandom
    /// Told after each step that others may want to see.
    let progress: @Sendable (Progress) async -> Void

    enum Progress: Sendable {
        case pushing(changes: Int)
        case pulling
        case applied(ApplyResult)
    }

    private static let maximumRepairs = 3

    func run() async throws -> SyncSummary {
        do {
            return try await perform()
        } catch {
            throw Self.readable(error)
        }
    }

    private func perform() async throws -> SyncSummary {
        try await meetHub()
        try await recompare()
        var summary = SyncSummary()
        var repairs = 0
        var hasAskedForKeys = false
        while true {
            try Task.checkCancellation()
            let (end, sent) = try await exchange(&summary)
            let next = end.effect
            switch next {
            case .finish(hasMore: true): continue
            case .fork:
                repairs += 1
                try await withID { try store.fork($0, newID: $1) }
            case .takeBack:
                repairs += 1
                guard sent > 1 || repairs == 1 else { throw Self.notTaken }
                try await write { try store.takeBack($0) }
            case .reconcile:
                repairs += 1
                let time = ExchangeTime(here: clock.now(), hub: end.hubTime)
                try await withID { try store.reconcile($0, newID: $1, at: time) }
                try await recompare()
            case .readAnew:
                repairs += 1
                try await write { try store.readAnew($0) }
                try await recompare()
            case .none, .adopt, .apply, .finish:
                // Another batch may be waiting in a long log.
                if sent > 0, try await write({ try store.hasNotes($0) }) { continue }
                if end.wantsKeys, !hasAskedForKeys {
                    hasAskedForKeys = true
                    continue
                }
                return summary
            }
            // A batch is halved until it is taken; a hub that sends us in circles is not followed.
            guard repairs <= Self.maximumRepairs || (next == .takeBack && repairs < 24) else {
                throw ReplicaError.protocolViolation("the hub refuses again and again")
            }
        }
    }

    private static let notTaken = ReplicaError(
        .hub(.tooLarge),
        "The hub takes not even a single change of the batch; its limits are below the change.",
        recovery: .askOperator)

    private func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await database.writeWithoutTransaction(body)
    }

    private func withID(_ body: @escaping @Sendable (Database, String) throws -> Void) async throws
    {
        var generator = random.generator
        let id = UUIDText.random(using: &generator)
        try await write { try body($0, id) }
    }

    // MARK: Before the first exchange

    private func meetHub() async throws {
        let isKnown = try await write { db in try store.load(db).schema != nil }
        if isKnown { return }
        let answer = try await hub.schema()
        try await write { try store.adopt($0, hub: answer.hub, schema: answer.schema) }
    }

    private func recompare() async throws {
        let names = try await write { db in
            // A transaction of ours takes up a schema that moved.
            try store.transaction(db) { $0.tables.recompare }
        }
        for name in names.sorted() {
            guard let table = try await write({ try store.load($0).table(named: name) }) else {
                continue
            }
            let now = clock.now()
            do {
                try await compare(table, withValues: true) { db, answer in
                    try store.recompare(db, table: table, answer, now: now)
                }
            } catch let error as HubError where error.postponesComparing {
                // The exchange begins anew first, or takes up what the hub has now.
                return
            }
        }
    }

    /// Compares a table page by page.
    func compare(
        _ table: SyncedTable, withValues: Bool,
        _ take: @escaping @Sendable (Database, CompareAnswer) throws -> Void
    ) async throws {
        try await write { try store.beginComparing($0, table: table) }
        var after: Key?
        repeat {
            try Task.checkCancellation()
            let position = after
            let request = try await write {
                try store.compareRequest(
                    $0, table: table, after: position, rows: options.pageLimits.maximumRows,
                    withValues: withValues)
            }
            let answer = try await hub.compare(request)
            try await write { try take($0, answer) }
            if let next = answer.next, next == after {
                throw ReplicaError.protocolViolation("a comparison does not go on")
            }
            after = answer.next
        } while after != nil
    }

    // MARK: One exchange

    private func exchange(
        _ summary: inout SyncSummary
    ) async throws -> (ExchangeSession.Ended, sent: Int) {
        var generator = random.generator
        let nonce = UUIDText.random(using: &generator)
        let now = clock.now()
        let request = try await write { db in
            _ = try store.prepareBatch(db, limits: options.batchLimits, now: now, nonce: nonce)
            return try store.request(db, now: now, limits: options.pageLimits).request
        }
        let sent = request.batch?.changes.count ?? 0
        await progress(sent > 0 ? .pushing(changes: sent) : .pulling)
        let session = ExchangeSession(request)
        try await hub.exchange(request) { frame in
            guard let result = try await session.take(frame, self) else { return }
            await progress(.applied(result))
        }
        let end = await session.end
        guard end.effect != .none else {
            throw HubError(.unreachable, "The answer broke off before its end.")
        }
        summary.exchanges += 1
        summary.changesPushed += end.isSettled ? sent : 0
        summary.changesRefused += end.refused
        summary.rowsReceived += end.written
        summary.rowsRemoved += end.removed
        summary.isCaughtUp = end.isCaughtUp
        return (end, sent)
    }

    /// - Parameter replica: The name that the request went out under.
    func carryOut(
        _ effect: Exchange.Effect, for replica: String, hubTime: Int64
    ) async throws -> ApplyResult? {
        /// Another user may have begun anew with the file meanwhile.
        @Sendable func checkName(_ db: Database) throws {
            guard try Metadata(db: db).replica().hasSameBytes(as: replica) else {
                throw HubError(
                    .unreachable, "The file has another name by now; the replica tries again.")
            }
        }
        switch effect {
        case .adopt(let welcome):
            try await write {
                try checkName($0)
                try store.adopt($0, welcome)
            }
            return nil
        case .apply(let outcomes, let page):
            let time = ExchangeTime(here: clock.now(), hub: hubTime)
            return try await write {
                try checkName($0)
                return try store.apply($0, outcomes: outcomes, page: page, at: time)
            }
        case .none, .fork, .takeBack, .reconcile, .readAnew, .finish: return nil
        }
    }

    /// Every error as one that says what to do.
    static func readable(_ error: any Error) -> any Error {
        switch error {
        case let error as HubError: return ReplicaError(error)
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_INTERRUPT, .SQLITE_ABORT:
                return Task.isCancelled ? CancellationError() : ReplicaError(busy: error)
            case .SQLITE_BUSY, .SQLITE_LOCKED: return ReplicaError(busy: error)
            case .SQLITE_FULL:
                return ReplicaError(
                    .diskFull, "The device's disk is full; nothing was half done.",
                    recovery: .retry(after: nil), cause: error)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                return ReplicaError(
                    .corrupt, "SQLite calls the file corrupt. Restore it, or clone again.",
                    recovery: .choose, cause: error)
            default:
                return ReplicaError(
                    .database, "The local database failed: \(error.message ?? "no reason given").",
                    recovery: .retry(after: nil), cause: error)
            }
        default: return error
        }
    }
}

extension ReplicaError {
    fileprivate init(busy error: DatabaseError) {
        self.init(
            .database, "The local database was busy; the replica tries again.",
            recovery: .retry(after: nil), cause: error)
    }
}

/// The state of one exchange while its frames come in, one after the other.
actor ExchangeSession {
    struct Ended: Sendable {
        /// What is left to do at the answer's end; `none` while there is no end.
        var effect = Exchange.Effect.none
        var hubTime: Int64 = 0
        var isSettled = false
        var refused = 0
        var written = 0
        var removed = 0
        var isCaughtUp = false
        var wantsKeys = false
    }

    private var exchange: Exchange
    private(set) var end = Ended()

    private let replica: String

    /// The answer is open, and no longer than this is without a frame.
    var heartbeat: Duration? { exchange.heartbeat }

    init(_ request: ExchangeRequest) {
        exchange = Exchange(request)
        replica = request.replica
    }

    func take(_ frame: Frame, _ driver: SyncDriver) async throws -> ApplyResult? {
        let effect = try exchange.received(frame)
        end.hubTime = exchange.hubTime
        if exchange.isEnded { end.effect = effect }
        let carriedOut = try await driver.carryOut(
            effect, for: replica, hubTime: exchange.hubTime)
        guard let result = carriedOut else { return nil }
        if case .apply(let outcomes?, _) = effect, outcomes.number > 0 {
            end.isSettled = !result.isDropped
        }
        end.refused += result.refused
        end.written += result.rowsWritten
        end.removed += result.rowsRemoved
        end.isCaughtUp = result.isCaughtUp
        end.wantsKeys = result.wantsKeys
        return result
    }
}

extension SyncDriver {
    /// Compares a table by fingerprints.
    func verify(_ table: SyncedTable) async throws -> [RowDifference] {
        // What is only sent may differ by right.
        guard table.description.direction.isReceived else { return [] }
        let found = Locked<[RowDifference]>([])
        try await compare(table, withValues: false) { db, answer in
            let page = try store.verify(db, table: table, answer)
            found.withLock { $0 += page }
        }
        let unmet = try await database.writeWithoutTransaction { db in
            let unmet = try store.unmet(db, table: table, limit: 10_000)
            try store.endComparing(db)
            return unmet
        }
        return found.withLock { $0 } + unmet
    }
}
