import MoorageCore
import MoorageWire

/// The work of one push inside its transaction: read and lock, merge, write, answer.
struct PushWork {
    let connection: any CentralConnection
    let state: HubState
    let configuration: HubConfiguration
    let handlers: HandlerRunner
    let authorized: Set<Scope>
    let rights: UserRights
    let now: HubTime
    let batch: Batch
    let replica: String

    /// The batch's tables, by their names there.
    private(set) var tables = ByteKeyedDictionary<RequestedTable>()
    var conflicts: [ConflictRecord] = []
    var outcomes: [Int: Outcome] = [:]
    var overrulings: [Int: Overruling] = [:]
    var central: [RowName: CentralRow] = [:]
    /// Rows that exist and of which the replica knows nothing, with columns as it counts them. They
    /// are only for the owner's log.
    var hidden: [RowName: [Value]] = [:]
    var keepBothKeys: KeepBothKeys
    var rekeyed = RekeyedRows()
    /// Inserts whose key the hub chose, by place in the batch.
    var chosen: Set<Int> = []
    /// What the hub writes differently than asked because a row was rekeyed, by place in the batch.
    var redirected: [Int: [StoredValue]] = [:]
    /// Rows that the transaction has locked before, by the table's number. They are not read again.
    var locked: [Int: [RowKey: CentralRow]] = [:]
    /// Changes that were pushed with fills, as the hub takes them, by place in the batch.
    var takenWithFills: [Int: Change] = [:]

    init(
        connection: any CentralConnection, state: HubState, configuration: HubConfiguration,
        handlers: HandlerRunner, authorized: Set<Scope>, rights: UserRights, now: HubTime,
        batch: Batch,
        replica: String
    ) {
        self.connection = connection
        self.state = state
        self.configuration = configuration
        self.handlers = handlers
        self.authorized = authorized
        self.rights = rights
        self.now = now
        self.batch = batch
        self.replica = replica
        keepBothKeys = KeepBothKeys(connection: connection)
    }

    /// - Returns: One outcome for each change of the batch.
    mutating func merge(
        times: EditTimes, without exclusion: Exclusion = Exclusion()
    ) throws -> [Outcome] {
        let reader = BatchReader(
            schema: state.attached, limits: configuration.limits, times: times, rights: rights)
        let read = try reader.read(batch)
        tables = read.tables
        let included = read.changes.filter { exclusion.changes[$0.index] == nil }
        let refused = read.refused.merging(exclusion.changes) { own, _ in own }
        for (index, refusal) in refused.sorted(by: { $0.key < $1.key }) {
            guard exclusion.isLogged || exclusion.changes[index] == nil else {
                outcomes[index] = Outcome(kind: .refused(refusal))
                continue
            }
            refuse(
                taken(index), at: index, refusal,
                editedAt: times.place(batch.changes[index].editedAt))
        }
        try lock(included)
        let changes = withoutLostFills(included)
        let written = try writeGroupwise(changes, refused)
        let byIndex = Dictionary(uniqueKeysWithValues: changes.map { ($0.index, asTaken($0)) })
        try finish(written, byIndex)
        return batch.changes.indices.map(outcome)
    }

    /// Decides and writes. If a change breaks its group, all of it is undone, the group is refused,
    /// and the rest is tried again.
    private mutating func writeGroupwise(
        _ changes: [ResolvedChange], _ refused: [Int: Refusal]
    ) throws -> [WriteOperation] {
        guard batch.changes.contains(where: { $0.group != nil }) else {
            return try writeFilling(changes)
        }
        var culprits: [Int: (index: Int, refusal: Refusal)] = [:]
        for (index, refusal) in refused.sorted(by: { $0.key > $1.key }) {
            if let group = batch.changes[index].group { culprits[group] = (index, refusal) }
        }
        var left = refuseGroups(culprits, of: changes)
        while true {
            var attempt = self
            try connection.savepoint()
            let written = try attempt.writeFilling(left)
            culprits = attempt.culprits(among: left)
            if culprits.isEmpty {
                try connection.releaseSavepoint()
                self = attempt
                return written
            }
            // Each round leaves out at least one more group.
            try connection.rollbackToSavepoint()
            left = refuseGroups(culprits, of: left)
        }
    }

    /// Decides and writes, and refuses what the database does not take.
    ///
    /// - Returns: What was written.
    mutating func writeAll(_ changes: [ResolvedChange]) throws -> [WriteOperation] {
        let (writes, deletes) = try decide(changes)
        let (written, failed) = try write(writes, deletes, changes)
        let byIndex = Dictionary(uniqueKeysWithValues: changes.map { ($0.index, $0) })
        let reasons = Dictionary(
            failed.map {
                (RowName(table: $0.operation.table.name, key: $0.operation.key), $0.refusal)
            }, uniquingKeysWith: { first, _ in first })
        for (place, failure) in failed.enumerated() {
            guard let change = byIndex[failure.operation.change] else { continue }
            try checkKey(of: failure)
            refuse(
                change.change, at: change.index,
                try naming(failure, among: reasons, mayQuery: place < Self.mostReasons),
                editedAt: change.editedAt)
        }
        return written
    }

    /// A merged or overruled outcome carries what the change lost to.
    private func outcome(_ index: Int) -> Outcome {
        let outcome = outcomes[index] ?? Outcome(kind: .applied)
        switch outcome.kind {
        case .applied, .refused: return outcome
        case .merged, .overruled:
            return Outcome(
                kind: outcome.kind, stored: outcome.stored, overruling: overrulings[index])
        }
    }

    // MARK: Steps

    /// Reads and locks all rows, table by table in one order, so that two pushes never wait for
    /// each other in a circle.
    private mutating func lock(_ changes: [ResolvedChange]) throws {
        for table in state.attached.tables {
            let own = changes.filter { $0.table.attached.number == table.number }
            if own.isEmpty { continue }
            let rows = try lockedRows(of: own, in: table)
            let visible = try visibility.known(of: rows, in: table)
            for (key, row) in rows {
                let name = RowName(table: table.name, key: key)
                central[name] = try ranked(visible[key] ?? row, key, table)
                if let values = row.values, central[name]?.values == nil,
                    let change = own.first(where: { $0.key == key })
                {
                    hidden[name] = change.table.restrict(values)
                }
            }
        }
    }

    private func lockedRows(
        of changes: [ResolvedChange], in table: AttachedTable
    ) throws -> [RowKey: CentralRow] {
        let keys = changes.map(\.key)
        var rows: [RowKey: CentralRow] = [:]
        for key in keys {
            guard let row = locked[table.number]?[key] else {
                return try connection.lockRows(table, keys: keys)
            }
            rows[key] = row
        }
        return rows
    }

    /// What the replica can see.
    var visibility: Visibility {
        Visibility(
            connection: connection, settings: configuration.scopes, authorized: authorized,
            rights: rights)
    }

    /// The row with the priority of whoever wrote it last, where there are classes of replicas.
    private func ranked(_ row: CentralRow, _ key: RowKey, _ table: AttachedTable) throws
        -> CentralRow
    {
        configuration.classes.isEmpty
            ? row : try Metadata(connection: connection).ranked(row, key, in: table)
    }

    private mutating func decide(
        _ changes: [ResolvedChange]
    ) throws -> ([WriteOperation], [Deletion]) {
        var writes: [WriteOperation] = []
        var deletes: [Deletion] = []
        for pushed in inForeignKeyOrder(changes) {
            let change = redirect(pushed)
            if change.key != pushed.key { try lock([change]) }
            let row = known(change)
            if case .insert = change.change.operation, hidden[change.name] != nil {
                refuse(
                    change.change, at: change.index,
                    Refusal.mayNotWriteRow(of: change.change.table), editedAt: change.editedAt)
                continue
            }
            let mergeResult = withinLimits(try mergeResult(of: change, against: row), change)
            if case .refused(let refusal) = mergeResult.outcome, mergeResult.conflict == nil,
                refusal.code != .resurrect
            {
                refuse(change.change, at: change.index, refusal, editedAt: change.editedAt)
                continue
            }
            let write = rights.trimmed(mergeResult.write, change)
            if let refusal = rights.refusal(of: write, change) {
                refuse(change.change, at: change.index, refusal, editedAt: change.editedAt)
                continue
            }
            if let marker = clearedMarker(by: write, row, change),
                let refusal = rights.refusal(ofClearing: marker, of: change.table.attached.name)
            {
                refuse(change.change, at: change.index, refusal, editedAt: change.editedAt)
                continue
            }
            switch write {
            case .delete:
                guard let values = row.values else { continue }
                if let marker = softDelete(change.table.attached) {
                    record(mergeResult, change)
                    writes.append(operation(marker.deletedValue(at: change.editedAt), change))
                } else {
                    deletes.append((change, values, mergeResult))
                }
            case .keepBoth(let own):
                try keep(own, beside: row, change, mergeResult, &writes)
            case .none, .insert, .update:
                record(mergeResult, change)
                if let write = operation(write, change) {
                    writes.append(clearingMarker(write, row, change))
                } else if let stored = redirected[change.index], let known = outcomes[change.index]
                {
                    outcomes[change.index] = Outcome(kind: known.kind, stored: stored)
                }
            }
        }
        return (writes.map { redirect($0) }, deletes)
    }

    private func mergeResult(
        of change: ResolvedChange, against row: CentralRow
    ) throws -> MergeResult {
        let table = change.table
        let rules = configuration.rules(for: table.attached.name)
        let resolver = RuleResolver(connection: connection, handlers: handlers)
        return try Merge(table: table.restricted, rules: rules).merge(
            change.change, against: restricted(row, table),
            from: configuration.origin(of: replica, editedAt: change.editedAt)
        ) { try resolver.answer($0, $1, of: table.attached) }
    }

    /// Refuses a merged value that is too large. It may be larger than either of the two values.
    private func withinLimits(_ mergeResult: MergeResult, _ change: ResolvedChange) -> MergeResult {
        let limit = configuration.limits.maximumValueBytes + 4
        guard case .update(let values) = mergeResult.write,
            let large = values.first(where: { $0.value.byteCount > limit })
        else { return mergeResult }
        let name = change.table.restricted.columns[large.column].name
        let refusal = Refusal.mergedValueTooLarge(in: name, of: change.change.table)
        return MergeResult(
            write: .none, outcome: .refused(refusal),
            conflict: mergeResult.conflict.map {
                Conflict(
                    kind: .refused, rule: $0.rule, base: $0.base, mine: $0.mine, theirs: $0.theirs,
                    result: $0.theirs)
            })
    }

    /// What the hub knows of a change's row. If its key has no trace, the hub may have forgotten a
    /// tombstone. So a change with `again` that is older than the horizon meets a tombstone.
    func known(_ change: ResolvedChange) -> CentralRow {
        let row = central[change.name] ?? .absent
        if isSoftDeleted(row, change) {
            return CentralRow(values: nil, changedAt: row.changedAt, isTombstone: true)
        }
        guard row.values == nil, !row.isTombstone, change.change.isAgain,
            let horizonAt = state.facts.horizonAt, change.editedAt <= horizonAt
        else { return row }
        return CentralRow(values: nil, changedAt: row.changedAt, isTombstone: true)
    }

    private func inForeignKeyOrder(_ changes: [ResolvedChange]) -> [ResolvedChange] {
        state.attached.tables.flatMap { table in
            let own = changes.filter { $0.table.attached.number == table.number }
            let inserts = own.filter {
                if case .insert = $0.change.operation { true } else { false }
            }
            let rest = own.filter { if case .insert = $0.change.operation { false } else { true } }
            return inserts + rest
        }
    }

    func restricted(_ row: CentralRow, _ table: RequestedTable) -> CentralRow {
        CentralRow(
            values: row.values.map(table.restrict), changedAt: row.changedAt,
            isTombstone: row.isTombstone, priority: row.priority)
    }

    private func operation(_ write: MergeResult.Write, _ change: ResolvedChange) -> WriteOperation?
    {
        let table = change.table
        switch write {
        case .none, .delete, .keepBoth: return nil
        case .insert(let row):
            let columns = table.restricted.columns.indices.filter {
                !table.restricted.columns[$0].isGenerated
                    && (table.restricted.isKey($0)
                        || rights.mayInsert(
                            table.restricted.columns[$0].name, of: table.attached.name))
            }
            return WriteOperation(
                change: change.index, table: table.attached, kind: .insert, key: change.key,
                columns: columns.map { table.columns[$0] }, values: columns.map { row[$0] })
        case .update(let values):
            let sorted = values.sorted { table.columns[$0.column] < table.columns[$1.column] }
            return WriteOperation(
                change: change.index, table: table.attached, kind: .update, key: change.key,
                columns: sorted.map { table.columns[$0.column] }, values: sorted.map(\.value))
        }
    }
}
