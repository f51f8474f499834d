import MoorageCore
import MoorageWire

/// Takes one batch in one central transaction (docs/design.md, 5.3). Synchronous.
struct Push {
    let connection: any CentralConnection
    let state: HubState
    let configuration: HubConfiguration
    let handlers: HandlerRunner
    let replica: String
    /// The device's clock when it sent the request.
    let sentAt: Int64
    /// The hub's clock when the request came in.
    let arrivedAt: Int64
    let held: Set<Scope>
    let rights: UserRights
    let gate: ReplicaGate

    /// How often a batch is tried when others hold its locks.
    private static let maximumAttempts = 6

    func take(_ batch: Batch) throws -> Outcomes {
        for attempt in 1... {
            do {
                try connection.begin(.write)
                let outcomes = try takeOnce(batch)
                try connection.commit()
                return outcomes
            } catch let error as CentralError where error.kind == .conflict {
                connection.rollback()
                if attempt < Self.maximumAttempts { continue }
                throw HubError(
                    .busy, "Others hold the rows of this batch; it is tried again.",
                    retryAfter: .seconds(1))
            } catch is BatchReader.NotTaken {
                connection.rollback()
                return Outcomes(number: batch.number, status: .notTaken, outcomes: [])
            } catch {
                connection.rollback()
                throw error
            }
        }
        throw HubError(.internalError, "The batch was given up.")
    }

    private func takeOnce(_ batch: Batch) throws -> Outcomes {
        let metadata = Metadata(connection: connection)
        let now = try connection.now()
        try gate.check()
        try metadata.lockReplica(replica, now: now)
        let known = try metadata.replica(replica)
        if let answer = try repeated(batch, known, metadata) { return answer }
        if known == nil { try register(metadata, now: now) }
        let times = EditTimes(
            sentAt: sentAt, now: arrivedAt, previousBatch: known?.preparedAt)
        var work = PushWork(
            connection: connection, state: state, configuration: configuration,
            handlers: handlers, held: held, rights: rights, now: now, batch: batch, replica: replica
        )
        let outcomes = Outcomes(
            number: batch.number, status: .applied, outcomes: try work.settle(times: times))
        for record in work.conflicts { try metadata.log(record) }
        if configuration.audit != nil { try audit(batch, outcomes, work.batchName, metadata, now) }
        try metadata.saveBatch(
            batch, of: replica, outcomes: outcomes,
            preparedAt: times.place(batch.preparedAt, isAgain: true), now: now)
        return outcomes
    }

    private func audit(
        _ batch: Batch, _ outcomes: Outcomes, _ name: String, _ metadata: Metadata, _ now: Int64
    ) throws {
        for (index, (change, outcome)) in zip(batch.changes, outcomes.outcomes).enumerated() {
            let record = AuditRecord(
                change, outcome, at: index, of: batch, named: name,
                by: gate.principal?.subject, replica: replica, now: now)
            if let record { try metadata.log(record) }
        }
    }

    /// The answer to a batch that was taken before, or that another file sent under this name.
    private func repeated(
        _ batch: Batch, _ known: ReplicaRecord?, _ metadata: Metadata
    ) throws -> Outcomes? {
        let forked = Outcomes(number: batch.number, status: .forked, outcomes: [])
        guard let known else { return batch.number == 1 ? nil : forked }
        if batch.number == known.lastBatch + 1 || planted(.batchAppliedTwice) { return nil }
        if planted(.batchGapIgnored), batch.number > known.lastBatch { return nil }
        // A gap: the hub would know of the batches between, had its history not gone back.
        guard batch.number <= known.lastBatch else {
            throw HubError(
                .busy, "The hub's history went back; the next exchange begins a new epoch.",
                retryAfter: .seconds(1))
        }
        let isLast = batch.number == known.lastBatch
        // The last nonce outlives the retention time; an older batch may be forgotten.
        let nonce =
            isLast ? known.lastNonce : try metadata.nonce(of: batch.number, replica: replica)
        guard nonce == batch.nonce || planted(.batchNonceIgnored) else { return forked }
        return Outcomes(
            number: batch.number, status: .alreadyApplied,
            outcomes: isLast ? known.outcomes?.outcomes ?? [] : [])
    }

    private func register(_ metadata: Metadata, now: Int64) throws {
        do {
            try metadata.register(replica, now: now)
        } catch let error as CentralError {
            // Two first batches at once: the second waits for its turn.
            guard case .refused = error.kind else { throw error }
            throw CentralError(.conflict, "the replica was registered at the same moment")
        }
    }
}
