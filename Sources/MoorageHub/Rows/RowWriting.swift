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
    /// Keys for new rows that name none.
    let keys: RowKeys

    /// Writes of one request. Each row may be large, and all of them are read.
    private static let maximumWrites = 1_000
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
            if let name {
                try identity.check(metadata)
                try metadata.checkUnknown(name, of: identity.replica, now: state.now)
            }
            let rights = UserRights(configuration, of: principal)
            let schema = RowSchema(state.attached, rights)
            let batch = try work(schema)
            guard batch.writes.count <= Self.maximumWrites else {
                throw RowProblem.tooManyWrites(most: Self.maximumWrites)
            }
            if !configuration.scopes.rules.isEmpty { try connection.resolveMoves() }
            return try carryOut(batch, once: name, identity, rights) { try answer(schema, $0) }
        } catch let error as RepeatedRequest {
            return error.answer
        }
    }

    private func carryOut(
        _ batch: RowBatch, once name: RequestName?, _ identity: RowIdentity, _ rights: UserRights,
        _ answer: ([RowResult]) throws -> [UInt8]
    ) throws -> [UInt8] {
        var broken = BrokenGroups()
        for _ in 1...Self.maximumAttempts {
            let planned = try plan(batch, refused: broken.places)
            do {
                return try transaction(once: name, identity) { now, metadata in
                    for record in broken.conflicts { try metadata.log(record) }
                    return try answer(
                        write(
                            planned, allOrNothing: batch.isAllOrNothing, rights, now: now,
                            as: identity.replica))
                }
            } catch let taken as ChosenKeyTaken {
                keys.forget(taken.table, in: state.facts.epoch)
            } catch let found as BrokenGroups {
                broken.add(found)
                if broken.isRepeated { broken.refuseAll(of: batch) }
            } catch let undone as UndoneBatch {
                // Nothing was written. The refusals are logged, and the answer is stored.
                return try transaction(once: name, identity) { _, metadata in
                    for record in undone.conflicts { try metadata.log(record) }
                    return try answer(undone.results)
                }
            }
        }
        throw HubError.rowsLocked
    }

    /// Runs work in a write transaction, and again while others have its locks.
    private func transaction(
        once name: RequestName?, _ identity: RowIdentity,
        _ work: (HubTime, Metadata) throws -> [UInt8]
    ) throws -> [UInt8] {
        let metadata = Metadata(connection: connection)
        for _ in 1...Self.maximumAttempts {
            do {
                let bytes = try connection.writing {
                    let now = try connection.now()
                    try identity.admit(metadata, now: now)
                    if let name { try metadata.begin(name, of: identity.replica, now: now) }
                    let bytes = try work(now, metadata)
                    if let name { try metadata.end(name, of: identity.replica, bytes) }
                    return bytes
                }
                if name != nil { metadata.forgetRequests(now: state.now) }
                return bytes
            } catch let error as CentralError where error.kind == .conflict {
                continue
            }
        }
        throw HubError.rowsLocked
    }

    /// The writes with their keys. Nothing is locked, and no key is used, for a user who may not
    /// write to the table.
    ///
    /// - Parameter refused: Places that are not written, with the reasons.
    private func plan(
        _ batch: RowBatch, refused: [Int: RowProblem]
    ) throws -> [PlannedWrite] {
        var planned = batch.writes.map { PlannedWrite($0) }
        for places in batch.levels {
            for place in places {
                do throws(RowProblem) {
                    if let problem = refused[place] { throw problem }
                    try planned[place].checkRights()
                    for link in planned[place].write.links where link.source < place {
                        let source = planned[link.source]
                        guard source.problem == nil else { throw .notWritten }
                        try planned[place].take(link, from: source)
                    }
                    try planned[place].readKey()
                } catch {
                    planned[place].problem = error
                }
            }
            let open = places.filter { planned[$0].problem == nil && planned[$0].key == nil }
            if batch.isAllOrNothing, planned.contains(where: { $0.problem != nil }) {
                return planned
            }
            let byTable = Dictionary(grouping: open) { planned[$0].write.table.attached.number }
            for places in byTable.values { try chooseKeys(for: places, in: &planned) }
        }
        return planned
    }

    private func chooseKeys(for places: [Int], in planned: inout [PlannedWrite]) throws {
        let table = planned[places[0]].write.table.attached
        let columns = table.description.primaryKey
        let type = columns.count == 1 ? table.description.columns[columns[0]].type : .text
        switch type {
        case .integer:
            do {
                let numbers = try keys.take(
                    places.count, of: table, in: state.facts.epoch, on: connection)
                for (place, number) in zip(places, numbers) {
                    planned[place].choose(table.description.key([.integer(number)]))
                }
            } catch let problem as RowProblem {
                for place in places { planned[place].problem = problem }
            }
        case .uuid:
            for place in places { planned[place].choose(table.description.key([.text(makeID())])) }
        default:
            for place in places {
                planned[place].problem = .keyMissing(
                    of: table.name, planned[place].write.table.keyNames)
            }
        }
    }

    // MARK: One try

    private func write(
        _ planned: [PlannedWrite], allOrNothing: Bool, _ rights: UserRights, now: HubTime,
        as replica: String
    ) throws -> [RowResult] {
        var plan = RowPlan(
            planned, connection: connection, tables: state.attached.tables,
            configuration: configuration, visible: visible, rights: rights)
        if !(allOrNothing && plan.isRefused) { try plan.read(now: now) }
        if allOrNothing, plan.isRefused { throw UndoneBatch(plan.undone, []) }
        let metadata = Metadata(connection: connection)
        var conflicts: [ConflictRecord] = []
        for part in plan.parts() {
            let pushed = part.batch(nonce: makeID(), now: now)
            var work = PushWork(
                connection: connection, state: state, configuration: configuration,
                handlers: handlers, authorized: visible, rights: rights, now: now,
                batch: pushed, replica: replica)
            work.locked = plan.locked
            let times = EditTimes(
                sentAt: DeviceTime(milliseconds: now.milliseconds), now: now, previousBatch: nil)
            let outcomes = try merge(&work, times)
            conflicts += work.conflicts
            plan.take(outcomes, of: part)
            try plan.checkAbsent(in: part)
            if configuration.audit != nil, !(allOrNothing && plan.isRefused) {
                try audit(work, outcomes, metadata)
            }
        }
        if allOrNothing, plan.isRefused { throw UndoneBatch(plan.undone, conflicts) }
        let broken = plan.brokenGroups
        if !broken.isEmpty {
            throw BrokenGroups(broken, conflicts: plan.refusals(among: conflicts, at: broken.keys))
        }
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
