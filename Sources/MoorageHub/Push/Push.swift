import Logging
import MoorageCore
import MoorageWire

/// Takes one batch in one central transaction (docs/reference/hub.md, Push). Synchronous.
struct Push {
    let connection: any CentralConnection
    let state: HubState
    let configuration: HubConfiguration
    let handlers: HandlerRunner
    let replica: String
    /// The device's clock when it sent the request.
    let sentAt: DeviceTime
    /// The hub's clock when the request came in.
    let arrivedAt: HubTime
    let authorized: Set<Scope>
    let rights: UserRights
    let barred: BarredTables
    /// Whether the replica knows the hub's schema as it is now, or did not say which one it knows.
    let knowsSchema: Bool
    let gate: ReplicaGate
    let logger: Logger

    /// How often a batch is tried while others have its locks.
    private static let maximumAttempts = 6

    func apply(_ batch: Batch) throws -> Outcomes {
        do {
            return try applyRepeatedly(batch)
        } catch is BatchReader.NotAccepted {
            return Outcomes(number: batch.number, status: .notAccepted, outcomes: [])
        }
    }

    private func applyRepeatedly(_ batch: Batch) throws -> Outcomes {
        var (conflicts, failures) = (0, 0)
        var exclusion = Exclusion()
        while true {
            do {
                return try connection.writing { try applyOnce(batch, without: exclusion) }
            } catch let error as CentralError where error.kind == .conflict {
                conflicts += 1
                if conflicts >= Self.maximumAttempts { throw HubError.rowsLocked }
            } catch let error as CentralError where error.isOwnFault {
                // Nobody foresaw this error. If the hub gave up here, the device would send the
                // batch again without end.
                failures += 1
                switch failures {
                // Another session may have been changing the database's catalog.
                case 1: break
                case 2: exclusion.changes = try culprits(in: batch, after: error)
                case 3: exclusion.isLogged = false
                default: throw error
                }
            }
        }
    }

    /// The changes on which the database fails, to be refused; all changes where none fails alone.
    private func culprits(in batch: Batch, after error: CentralError) throws -> [Int: Refusal] {
        let count = batch.changes.count
        var search = CulpritSearch { included in
            defer { connection.rollback() }
            try connection.begin(.write)
            _ = try applyOnce(batch, without: .all(of: count, but: included))
        }
        do {
            try search.search(count)
        } catch let other as CentralError where other.kind == .conflict {
            throw HubError.rowsLocked
        }
        let culprits =
            search.culprits.isEmpty
            ? Exclusion.all(of: count, but: [], error.refusalOfChange).changes : search.culprits
        let tables = Set(culprits.keys.map { batch.changes[$0].table })
        logger.warning(
            "Changes were refused because the central database failed on them.",
            metadata: [
                "replica": "\(replica)", "batch": "\(batch.number)", "changes": "\(culprits.count)",
                "tables": "\(tables.sorted().joined(separator: ", "))", "error": "\(error.message)",
            ])
        return culprits
    }

    /// - Parameter exclusion: Changes that are refused without being read.
    private func applyOnce(_ batch: Batch, without exclusion: Exclusion) throws -> Outcomes {
        let metadata = Metadata(connection: connection)
        let now = try connection.now()
        try gate.check()
        try metadata.lockReplica(replica, now: now)
        let known = try metadata.replica(replica)
        if let answer = try repeated(batch, known, metadata) { return answer }
        // The replica keeps the changes of such a table until its app is new enough.
        if batch.tables.contains(where: {
            barred.contains(state.attached.centralName(of: $0.name))
        }) {
            throw BatchReader.NotAccepted()
        }
        if known == nil { try register(metadata, now: now) }
        let times = EditTimes(
            sentAt: sentAt, now: arrivedAt, previousBatch: known?.preparedAt)
        var work = PushWork(
            connection: connection, state: state, configuration: configuration,
            handlers: handlers, authorized: authorized, rights: rights, now: now, batch: batch,
            replica: replica
        )
        let outcomes = Outcomes(
            number: batch.number, status: .applied,
            outcomes: try work.merge(times: times, without: exclusion))
        // The column has another type now. The replica gets the schema with this answer. It cuts the
        // batch again, and keeps what its app cannot write in the new form.
        if !knowsSchema, outcomes.outcomes.contains(where: \.isOfAnotherType) {
            throw BatchReader.NotAccepted()
        }
        for record in work.conflicts { try metadata.log(record) }
        if configuration.audit != nil { try audit(work, outcomes, metadata) }
        try metadata.saveBatch(
            batch, of: replica, outcomes: outcomes,
            preparedAt: times.place(batch.preparedAt, isAgain: true), now: now)
        return outcomes
    }

    private func audit(_ work: PushWork, _ outcomes: Outcomes, _ metadata: Metadata) throws {
        for (index, outcome) in outcomes.outcomes.enumerated() {
            let record = AuditRecord(
                work.taken(index), in: work.tables[work.batch.changes[index].table], outcome,
                at: index, of: work.batch, named: work.batchName,
                by: gate.principal?.subject, replica: replica, now: work.now)
            if let record { try metadata.log(record) }
        }
    }

    /// The answer to a batch that was taken before, or that another file sent under this replica's
    /// id.
    private func repeated(
        _ batch: Batch, _ known: ReplicaRecord?, _ metadata: Metadata
    ) throws -> Outcomes? {
        let forked = Outcomes(number: batch.number, status: .forked, outcomes: [])
        guard let known else { return batch.number == 1 ? nil : forked }
        if batch.number == known.lastBatch + 1 { return nil }
        // A gap: the hub would know of the batches between if its history had not gone back.
        guard batch.number <= known.lastBatch else {
            throw HubError.historyWentBack
        }
        let isLast = batch.number == known.lastBatch
        // The last nonce outlives the retention time; an older batch may be forgotten.
        let nonce =
            isLast ? known.lastNonce : try metadata.nonce(of: batch.number, replica: replica)
        guard nonce == batch.nonce else { return forked }
        return Outcomes(
            number: batch.number, status: .alreadyApplied,
            outcomes: isLast ? known.outcomes?.outcomes ?? [] : [])
    }

    private func register(_ metadata: Metadata, now: HubTime) throws {
        do {
            try metadata.register(replica, now: now)
        } catch let error as CentralError {
            // If two first batches come at once, the second waits for its turn.
            guard case .refused(let refusal) = error.kind, refusal.code == .unique else {
                throw error
            }
            throw CentralError.replicaRegisteredMeanwhile
        }
    }
}

extension Outcome {
    /// Whether a value or a key does not fit its column.
    fileprivate var isOfAnotherType: Bool {
        if case .refused(let refusal) = kind { refusal.code == .type } else { false }
    }
}
