import MoorageCore
import MoorageWire

/// The work of one push inside its transaction: read and lock, settle, write, answer.
struct PushWork {
    let connection: any CentralConnection
    let state: HubState
    let configuration: HubConfiguration
    let held: Set<Scope>
    let now: Int64
    let batch: Batch
    let replica: String

    private(set) var conflicts: [ConflictRecord] = []
    private var outcomes: [Int: Outcome] = [:]
    private var central: [RowName: CentralRow] = [:]

    init(
        connection: any CentralConnection, state: HubState, configuration: HubConfiguration,
        held: Set<Scope>, now: Int64, batch: Batch, replica: String
    ) {
        self.connection = connection
        self.state = state
        self.configuration = configuration
        self.held = held
        self.now = now
        self.batch = batch
        self.replica = replica
    }

    /// - Returns: One outcome for each change of the batch.
    mutating func settle(times: EditTimes) throws -> [Outcome] {
        let reader = BatchReader(
            schema: state.attached, limits: configuration.limits, times: times)
        let (changes, refused) = try reader.read(batch)
        for (index, refusal) in refused.sorted(by: { $0.key < $1.key }) {
            refuse(
                batch.changes[index], at: index, refusal,
                editedAt: times.place(batch.changes[index].editedAt))
        }
        try lock(changes)
        let (writes, deletes) = decide(changes)
        let (written, failed) = try write(writes, deletes, changes)
        let byIndex = Dictionary(uniqueKeysWithValues: changes.map { ($0.index, $0) })
        for failure in failed {
            guard let change = byIndex[failure.operation.change] else { continue }
            refuse(change.change, at: change.index, failure.refusal, editedAt: change.editedAt)
        }
        try finish(written, byIndex)
        return batch.changes.indices.map { outcomes[$0] ?? Outcome(kind: .applied) }
    }

    // MARK: Steps

    /// Reads and locks all rows, table by table in one order, so that two pushes never wait for
    /// each other in a ring.
    private mutating func lock(_ changes: [ResolvedChange]) throws {
        for table in state.attached.tables {
            let own = changes.filter { $0.table.attached.number == table.number }
            if own.isEmpty { continue }
            for (key, row) in try connection.lockRows(table, keys: own.map(\.key)) {
                central[RowName(table: table.name, key: key)] = row
            }
        }
    }

    /// A delete that the merge lets go on, with the row as it stands at the centre.
    private typealias Deletion = (change: ResolvedChange, values: [Value], settlement: Settlement)

    private mutating func decide(_ changes: [ResolvedChange]) -> ([WriteOperation], [Deletion]) {
        var writes: [WriteOperation] = []
        var deletes: [Deletion] = []
        for change in inForeignKeyOrder(changes) {
            let row = known(change)
            let settlement = merge(change).settle(
                change.change, against: restricted(row, change.table), editedAt: change.editedAt)
            if case .delete = settlement.write, let values = row.values {
                deletes.append((change, values, settlement))
                continue
            }
            record(settlement, change)
            if let write = operation(settlement.write, change) { writes.append(write) }
        }
        return (writes, deletes)
    }

    /// Writes what was decided. A row that the database refuses stays as it was, where a delete's
    /// cascade may reach it: then the deletes are judged once more, without that write.
    private mutating func write(
        _ writes: [WriteOperation], _ deletes: [Deletion], _ changes: [ResolvedChange]
    ) throws -> (written: [WriteOperation], refused: [RefusedOperation]) {
        var writes = writes
        var refused: [RefusedOperation] = []
        for round in 1... {
            // Each round does without another write; a batch made to need many loses its deletes.
            let judged = try judge(
                deletes, beside: writes, changes, mayGo: round <= Self.maximumRounds)
            let operations = writes + judged.compactMap(\.operation)
            // Without a delete that goes, nothing is ever judged once more.
            let mayRepeat = operations.count > writes.count
            if mayRepeat { try connection.savepoint() }
            let failed = try SetWriter(connection: connection).write(operations)
            let lost = failed.filter { $0.operation.kind != .delete }
            guard mayRepeat, !lost.isEmpty else {
                if mayRepeat { try connection.releaseSavepoint() }
                let failures = Set(failed.map(\.operation.change))
                for deletion in judged where !failures.contains(deletion.deletion.change.index) {
                    record(deletion)
                }
                return (operations.filter { !failures.contains($0.change) }, refused + failed)
            }
            try connection.rollbackToSavepoint()
            refused += lost
            let gone = Set(lost.map(\.operation.change))
            writes.removeAll { gone.contains($0.change) }
        }
        return ([], refused)
    }

    private static let maximumRounds = 8

    /// What the hub knows of a change's row. Of a key without any trace, a change that is offered
    /// again and is older than the horizon may have had a tombstone: it counts as one.
    private func known(_ change: ResolvedChange) -> CentralRow {
        let row = central[change.name] ?? .absent
        guard row.values == nil, !row.isTombstone, change.change.isAgain,
            let horizonAt = state.facts.horizonAt, change.editedAt <= horizonAt
        else { return row }
        return CentralRow(values: nil, changedAt: row.changedAt, isTombstone: true)
    }

    /// What becomes of a delete.
    private struct JudgedDeletion {
        let deletion: Deletion
        /// `nil` when a row below stands.
        let operation: WriteOperation?
        /// Rows that go with it.
        var below: [(table: AttachedTable, row: [Value])] = []
        /// The table of the row that stands.
        var standing = ""
    }

    /// Judges what the cascades of the deletes would reach, children before their parents.
    private func judge(
        _ deletes: [Deletion], beside written: [WriteOperation], _ changes: [ResolvedChange],
        mayGo: Bool
    ) throws -> [JudgedDeletion] {
        if deletes.isEmpty { return [] }
        var judge = CascadeJudge(
            connection: connection, schema: state.attached, configuration: configuration,
            deleted: Set(deletes.map(\.change.name)), arriving: arriving(written, changes))
        // A row that stays is one that its parent's delete would reach. Of one table the replica has
        // put children first.
        let childrenFirst = state.attached.tables.reversed().flatMap { table in
            deletes.filter { $0.change.table.attached.number == table.number }
        }
        return try childrenFirst.map { deletion in
            let (change, values, _) = deletion
            let table = change.table.attached
            let verdict =
                mayGo
                ? try judge.judge(values, of: table, editedAt: change.editedAt)
                : .stays(table: table.name)
            switch verdict {
            case .goes(let below):
                let operation = WriteOperation(
                    change: change.index, table: table, kind: .delete, key: change.key,
                    columns: Array(table.description.columns.indices), values: values)
                return JudgedDeletion(deletion: deletion, operation: operation, below: below)
            case .stays(let standing):
                judge.deleted.remove(change.name)
                return JudgedDeletion(deletion: deletion, operation: nil, standing: standing)
            }
        }
    }

    private mutating func record(_ judged: JudgedDeletion) {
        let (change, values, settlement) = judged.deletion
        guard judged.operation == nil else {
            record(settlement, change)
            for (table, row) in judged.below { logCascade(row, of: table, change) }
            return
        }
        let whole = values.enumerated().map { StoredValue(column: $0, value: $1) }
        outcomes[change.index] = Outcome(kind: .overruled)
        log(
            change.change, at: change.index, change.table.attached.description,
            editedAt: change.editedAt,
            Conflict(
                kind: .deleteUpdate, rule: configuration.rules(for: judged.standing).rule,
                base: nil, mine: nil, theirs: whole, result: whole))
    }

    /// What the batch writes, row by row.
    private func arriving(
        _ operations: [WriteOperation], _ changes: [ResolvedChange]
    ) -> [RowName: CascadeJudge.ArrivingRow] {
        let editedAt = Dictionary(changes.map { ($0.index, $0.editedAt) }) { first, _ in first }
        var rows: [RowName: CascadeJudge.ArrivingRow] = [:]
        for operation in operations {
            let name = RowName(table: operation.table.name, key: operation.key)
            let count = operation.table.description.columns.count
            let current = central[name]?.values
            var row = current ?? [Value](repeating: .null, count: count)
            for (column, value) in zip(operation.columns, operation.values) { row[column] = value }
            rows[name] = CascadeJudge.ArrivingRow(
                table: operation.table, row: row, editedAt: editedAt[operation.change] ?? now,
                isNew: current == nil)
        }
        return rows
    }

    /// What is left after the writes: stored values, edit times.
    private mutating func finish(
        _ written: [WriteOperation], _ changes: [Int: ResolvedChange]
    ) throws {
        for table in state.attached.tables {
            let own = written.filter { $0.table.number == table.number }
            if own.isEmpty { continue }
            // A row's time never goes back: an old edit of one column must not make a later one of
            // another lose.
            try connection.setChangedAt(
                table,
                times: own.map { operation in
                    let before = central[RowName(table: table.name, key: operation.key)]?.changedAt
                    let editedAt = changes[operation.change]?.editedAt ?? now
                    if planted(.changedAtGoesBack) {
                        return KeyedTime(key: operation.key, changedAt: editedAt)
                    }
                    return KeyedTime(key: operation.key, changedAt: max(before ?? .min, editedAt))
                })
            let pushed = own.filter { $0.kind != .delete }
            var stored: [Key: [Value]] = [:]
            for row in try connection.rows(table, keys: pushed.map(\.key), in: held) {
                stored[table.description.key(of: row)] = row
            }
            for operation in pushed {
                guard let row = stored[operation.key], let change = changes[operation.change] else {
                    continue
                }
                compare(operation, with: row, change)
            }
        }
    }

    /// Tells the replica what the database stored otherwise than pushed.
    private mutating func compare(
        _ operation: WriteOperation, with row: [Value], _ change: ResolvedChange
    ) {
        let table = operation.table.description
        let different = zip(operation.columns, operation.values).compactMap {
            column, value -> StoredValue? in
            guard !table.columns[column].type.equal(row[column], value),
                let position = change.table.columns.firstIndex(of: column)
            else { return nil }
            return StoredValue(column: position, value: row[column])
        }
        guard !different.isEmpty, let outcome = outcomes[change.index] else { return }
        outcomes[change.index] = Outcome(kind: outcome.kind, stored: different)
    }

    // MARK: Helpers

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

    private func merge(_ change: ResolvedChange) -> Merge {
        Merge(
            table: change.table.restricted,
            rules: configuration.rules(for: change.table.attached.name))
    }

    private func restricted(_ row: CentralRow, _ table: RequestedTable) -> CentralRow {
        CentralRow(
            values: row.values.map(table.restrict), changedAt: row.changedAt,
            isTombstone: row.isTombstone)
    }

    private func operation(_ write: Settlement.Write, _ change: ResolvedChange) -> WriteOperation? {
        let table = change.table
        switch write {
        case .none, .delete: return nil
        case .insert(let row):
            let columns = table.restricted.columns.indices.filter {
                !table.restricted.columns[$0].isGenerated
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

    private mutating func record(_ settlement: Settlement, _ change: ResolvedChange) {
        outcomes[change.index] = Outcome(kind: settlement.outcome)
        guard let conflict = settlement.conflict, !planted(.loserNotLogged) else { return }
        var refusal: Refusal?
        if case .refused(let reason) = settlement.outcome { refusal = reason }
        log(
            change.change, at: change.index, change.table.restricted, editedAt: change.editedAt,
            conflict,
            refusal)
    }

    private mutating func refuse(
        _ change: Change, at index: Int, _ refusal: Refusal, editedAt: Int64
    ) {
        outcomes[index] = Outcome(kind: .refused(refusal))
        guard let columns = batch.tables.first(where: { $0.name.hasSameBytes(as: change.table) }),
            let table = RequestedTable(columns, in: state.attached)
        else { return }
        var base: [StoredValue]?
        var mine: [StoredValue]?
        switch change.operation {
        case .insert(let row): mine = row.enumerated().map { StoredValue(column: $0, value: $1) }
        case .update(let edits):
            base = edits.map { StoredValue(column: $0.column, value: $0.old) }
            mine = edits.map { StoredValue(column: $0.column, value: $0.new) }
        case .delete(let before):
            base = before.enumerated().map { StoredValue(column: $0, value: $1) }
        case .touch: break
        }
        let name = RowName(table: table.attached.name, key: table.restricted.key(change.key.values))
        let theirs = central[name]?.values.map(table.restrict)?.enumerated().map {
            StoredValue(column: $0, value: $1)
        }
        log(
            change, at: index, table.restricted, editedAt: editedAt,
            Conflict(
                kind: .refused, rule: nil, base: base, mine: mine, theirs: theirs, result: theirs),
            refusal)
    }

    /// A row that went with its parent, and that the replica did not delete itself.
    private mutating func logCascade(
        _ row: [Value], of table: AttachedTable, _ change: ResolvedChange
    ) {
        let gone = Change(
            table: table.name, key: table.description.key(of: row), operation: .touch,
            editedAt: change.change.editedAt)
        log(
            gone, at: change.index, table.description, editedAt: change.editedAt,
            Conflict(
                kind: .deleteUpdate, rule: configuration.rules(for: table.name).rule, base: nil,
                mine: nil,
                theirs: row.enumerated().map { StoredValue(column: $0, value: $1) }, result: nil))
    }

    private mutating func log(
        _ change: Change, at index: Int, _ table: TableDescription, editedAt: Int64,
        _ conflict: Conflict,
        _ refusal: Refusal? = nil
    ) {
        conflicts.append(
            ConflictRecord(
                id: "\(batch.nonce)-\(index)-\(conflicts.count)", replica: replica,
                batch: batch.number,
                table: table.name, key: change.key.values.jsonText(), kind: conflict.kind.rawValue,
                rule: conflict.rule?.rawValue, base: conflict.base?.jsonText(table),
                mine: conflict.mine?.jsonText(table), theirs: conflict.theirs?.jsonText(table),
                result: conflict.result?.jsonText(table), reasonCode: refusal?.code.rawValue,
                reason: refusal?.message, editedAt: editedAt, loggedAt: now))
    }
}
