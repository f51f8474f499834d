import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

/// Runs the machine of a sync against the hub, with tasks.
///
/// It decides nothing. ``SyncMachine`` does, in one call into the database after another, on the
/// database's own queue.
struct SyncDriver: Sendable {
    let store: ReplicaStore
    let database: any DatabaseWriter
    let hub: any HubConnection
    let options: ReplicaOptions
    let clock: any ReplicaClock
    let random: ReplicaRandom
    let seen: LogWatermark
    /// Called after each step that others may want to see.
    let progress: @Sendable (Progress) async -> Void

    enum Progress: Sendable {
        case pushing(changes: Int)
        case pulling
        case applied(ApplyResult)
    }

    /// One whole sync.
    func run() async throws -> SyncSummary {
        do {
            return try await perform()
        } catch let failure as RecordedFailure {
            throw Self.readable(failure.cause)
        } catch {
            store.journal?.failed(error)
            throw Self.readable(error)
        }
    }

    /// An error of an exchange, which is in the journal already.
    private struct RecordedFailure: Error {
        let cause: any Error
    }

    /// Asks the hub, and records how that went.
    private func recording<Answer>(
        _ kind: ExchangeRecord.Kind, _ ask: (ExchangeMeasure?) async throws -> Answer
    ) async throws -> Answer {
        let measure = store.journal?.begin(kind, at: clock.time)
        do {
            let answer = try await ask(measure)
            measure?.end(at: clock.time)
            return answer
        } catch {
            measure?.end(at: clock.time, because: error)
            throw RecordedFailure(cause: error)
        }
    }

    private func exchange(
        _ request: consuming ExchangeRequest, of sync: RunningSync
    ) async throws {
        let sent = request.batch?.changes.count ?? 0
        await progress(sent > 0 ? .pushing(changes: sent) : .pulling)
        let measure = store.journal?.begin(
            sent > 0 ? .push : .pull, changes: sent, at: clock.time, counting: byteCount)
        do {
            try await hub.exchange(request, counting: measure?.bytes) { frame in
                guard case .applied(let result) = try await sync.receive(frame) else { return }
                measure?.applied(result)
                await progress(.applied(result))
            }
            measure?.end(at: clock.time)
        } catch {
            measure?.end(at: clock.time, because: error)
            throw RecordedFailure(cause: error)
        }
    }

    /// Counts the bytes of an exchange; `nil` where no bytes travel.
    var byteCount: ByteCount? { hub.bytesReceived == nil ? nil : ByteCount() }

    private func perform() async throws -> SyncSummary {
        let sync = RunningSync(SyncMachine(store, options), self)
        var event = SyncMachine.Event.begin
        while true {
            try Task.checkCancellation()
            switch try await sync.proceed(event) {
            case .meet:
                event = .schema(try await recording(.schema) { _ in try await hub.schema() })
            case .compare(let request):
                do {
                    event = .compared(
                        try await recording(.compare) { measure in
                            let answer = try await hub.compare(request)
                            measure?.compared()
                            return answer
                        })
                } catch let failure as RecordedFailure {
                    guard let error = failure.cause as? HubError else {
                        throw failure.cause
                    }
                    event = .notCompared(error)
                }
            case .send(let request, _):
                try await exchange(request, of: sync)
                event = .answered
            case .done(let summary): return summary
            case .needsSync:
                throw ReplicaError.protocolViolation(ProtocolReason.notALiveStream)
            }
        }
    }

    /// Compares a table by fingerprints.
    func verify(_ table: SyncedTable) async throws -> [RowDifference] {
        // A table that is only sent may differ from the hub's.
        guard table.description.direction.isReceived else { return [] }
        let database = database
        let store = store
        var comparison = TableComparison(table, options, withValues: false)
        var found: [RowDifference] = []
        var answer: CompareAnswer
        var isFirst = true
        repeat {
            try Task.checkCancellation()
            let request = try await database.writeWithoutTransaction {
                [comparison, isFirst] db in
                if isFirst { try comparison.begin(db, store) }
                return try comparison.request(db, store)
            }
            isFirst = false
            do {
                answer = try await hub.compare(request)
            } catch let error as HubError where error.code == .tableSuspended {
                // The hub suspended it since the last sync.
                try await database.writeWithoutTransaction { try store.endComparing($0) }
                return []
            }
            found += try await database.writeWithoutTransaction { [answer] in
                try store.verify($0, table: table, answer)
            }
        } while try comparison.goesOn(after: answer)
        let unmet = try await database.writeWithoutTransaction { db in
            let unmet = try store.unmet(db, table: table, limit: 10_000)
            try store.endComparing(db)
            return unmet
        }
        return found + unmet
    }

    /// Converts every error into one that says what to do.
    static func readable(_ error: any Error) -> any Error {
        switch error {
        case let error as HubError: return ReplicaError(error)
        // A value of the replica's own tables, or of SQLite's. The error has the whole row.
        case is RowDecodingError: return ReplicaError.metadataDamaged("a value")
        case let error as DatabaseError:
            if let refused = ReplicaError(localWrite: error) { return refused }
            switch error.resultCode {
            // What SQLite says of a connection that is closed.
            case .SQLITE_MISUSE
            where ["Connection is closed", "out of memory"].contains(error.message ?? ""):
                return ReplicaError.databaseClosed(error)
            case .SQLITE_INTERRUPT, .SQLITE_ABORT:
                return Task.isCancelled ? CancellationError() : ReplicaError.databaseBusy(error)
            case .SQLITE_BUSY, .SQLITE_LOCKED: return ReplicaError.databaseBusy(error)
            case .SQLITE_FULL: return ReplicaError.diskFull(error)
            case .SQLITE_CORRUPT: return ReplicaError.corrupt(error)
            case .SQLITE_NOTADB: return ReplicaError.notDatabase(error)
            default: return ReplicaError.databaseFailed(error)
            }
        default: return error
        }
    }
}
