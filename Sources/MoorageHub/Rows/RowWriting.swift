import Logging
import MoorageCore
import MoorageWire

/// Carries out the writes of one request in one central transaction. They go the way of a replica's
/// batch: rights, scopes, merge rules, conflict log and audit trail are the same. Synchronous.
struct RowWriting {
    let connection: any CentralConnection
    let state: HubState
    let configuration: HubConfiguration
    let handlers: HandlerRunner
    let principal: Principal?
    let visible: Set<Scope>
    let makeID: @Sendable () -> String
    let logger: Logger

    /// How often a request is tried while others have its locks.
    private static let maximumAttempts = 6

    /// - Returns: What `answer` made, or the answer of an earlier request of this name.
    func run(
        once name: RequestName?, _ work: (RowSchema) throws -> RowBatch,
        answer: (RowSchema, [RowResult]) throws -> [UInt8]
    ) throws -> [UInt8] {
        let identity = RowIdentity(principal)
        let metadata = Metadata(connection: connection)
        do {
            // Tables and rights may have changed since: the answer is that of then.
            if let name { try metadata.checkUnknown(name, of: identity.replica) }
            let rights = UserRights(configuration, of: principal)
            let schema = RowSchema(state.attached, rights)
            let batch = try work(schema)
            guard batch.writes.count <= configuration.limits.maximumBatchRows else {
                throw RowProblem.tooManyWrites(most: configuration.limits.maximumBatchRows)
            }
            if !configuration.scopes.rules.isEmpty { try connection.resolveMoves() }
            return try carryOut(
                once: name, identity, { try write(batch, rights, now: $0, as: identity.replica) },
                { try answer(schema, $0) })
        } catch let error as RepeatedRequest {
            return error.answer
        }
    }

    private func carryOut(
        once name: RequestName?, _ identity: RowIdentity, _ write: (HubTime) throws -> [RowResult],
        _ answer: ([RowResult]) throws -> [UInt8]
    ) throws -> [UInt8] {
        do {
            return try transaction(once: name, identity) { now, _ in try answer(write(now)) }
        } catch let undone as UndoneBatch {
            // Nothing was written. The refusals are logged, and the answer is stored.
            return try transaction(once: name, identity) { _, metadata in
                for record in undone.conflicts { try metadata.log(record) }
                return try answer(undone.results)
            }
        }
    }

    /// Runs work in a write transaction, and again while others have its locks.
    private func transaction(
        once name: RequestName?, _ identity: RowIdentity,
        _ work: (HubTime, Metadata) throws -> [UInt8]
    ) throws -> [UInt8] {
        let metadata = Metadata(connection: connection)
        for _ in 1...Self.maximumAttempts {
            do {
                return try connection.writing {
                    let now = try connection.now()
                    try identity.admit(metadata, now: now)
                    if let name { try metadata.begin(name, of: identity.replica, now: now) }
                    let bytes = try work(now, metadata)
                    if let name { try metadata.end(name, of: identity.replica, bytes) }
                    return bytes
                }
            } catch let error as CentralError where error.kind == .conflict {
                continue
            }
        }
        throw HubError.rowsLocked
    }

    // MARK: One try

    private func write(
        _ batch: RowBatch, _ rights: UserRights, now: HubTime, as replica: String
    ) throws -> [RowResult] {
        var plan = RowPlan(
            batch, connection: connection, tables: state.attached.tables,
            configuration: configuration, visible: visible, rights: rights, makeID: makeID)
        try plan.read(now: now)
        if batch.isAllOrNothing, plan.isRefused { throw UndoneBatch(plan.undone, []) }
        let metadata = Metadata(connection: connection)
        var conflicts: [ConflictRecord] = []
        for part in plan.parts() {
            let pushed = part.batch(nonce: makeID(), now: now)
            var work = PushWork(
                connection: connection, state: state, configuration: configuration,
                handlers: handlers, authorized: visible, rights: rights, now: now,
                batch: pushed, replica: replica)
            let times = EditTimes(
                sentAt: DeviceTime(milliseconds: now.milliseconds), now: now, previousBatch: nil)
            let outcomes = try merge(&work, times)
            conflicts += work.conflicts
            plan.take(outcomes, of: part)
            if configuration.audit != nil, !(batch.isAllOrNothing && plan.isRefused) {
                try audit(work, outcomes, metadata)
            }
        }
        if batch.isAllOrNothing, plan.isRefused { throw UndoneBatch(plan.undone, conflicts) }
        for record in conflicts { try metadata.log(record) }
        return try plan.results()
    }

    private func merge(_ work: inout PushWork, _ times: EditTimes) throws -> [Outcome] {
        do {
            return try work.merge(times: times)
        } catch is BatchReader.NotAccepted {
            throw RowProblem.tooManyBytes(most: configuration.limits.maximumBatchBytes)
        }
    }

    private func audit(_ work: PushWork, _ outcomes: [Outcome], _ metadata: Metadata) throws {
        for (index, outcome) in outcomes.enumerated() {
            let record = AuditRecord(
                work.taken(index), in: work.tables[work.batch.changes[index].table], outcome,
                at: index, of: work.batch, named: work.batchName, by: principal?.subject,
                replica: work.replica, now: work.now)
            if let record { try metadata.log(record) }
        }
    }
}

/// Ends a transaction of which nothing may stay, because a write of it was refused.
private struct UndoneBatch: Error {
    let results: [RowResult]
    /// What the conflict log says about the refusals.
    let conflicts: [ConflictRecord]

    init(_ results: [RowResult], _ conflicts: [ConflictRecord]) {
        self.results = results
        self.conflicts = conflicts
    }
}
