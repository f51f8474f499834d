import MoorageCore
import MoorageWire

/// The work of one push inside its transaction: read and lock, settle, write, answer.
struct PushWork {
    let connection: any CentralConnection
    let state: HubState
    let configuration: HubConfiguration
    let handlers: HandlerRunner
    let held: Set<Scope>
    let rights: UserRights
    let now: Int64
    let batch: Batch
    let replica: String

    private(set) var conflicts: [ConflictRecord] = []
    var outcomes: [Int: Outcome] = [:]
    private var overrulings: [Int: Overruling] = [:]
    private(set) var central: [RowName: CentralRow] = [:]
    /// Rows that are there, and that the replica knows nothing of, with columns as it counts them: for
    /// the owner's log alone.
    private var hidden: [RowName: [Value]] = [:]
    var keptRows: KeptRows
    var moved = MovedRows()
    /// Inserts whose key the hub chose, by place in the batch.
    var chosen: Set<Int> = []
    /// What the hub writes otherwise than asked because a row moved, by place in the batch.
    var redirected: [Int: [StoredValue]] = [:]

    init(
        connection: any CentralConnection, state: HubState, configuration: HubConfiguration,
        handlers: HandlerRunner, held: Set<Scope>, rights: UserRights, now: Int64, batch: Batch,
        replica: String
    ) {
        self.connection = connection
        self.state = state
        self.configuration = configuration
        self.handlers = handlers
        self.held = held
        self.rights = rights
        self.now = now
        self.batch = batch
        self.replica = replica
        keptRows = KeptRows(connection: connection)
    }

    /// - Returns: One outcome for each change of the batch.
    mutating func settle(times: EditTimes) throws -> [Outcome] {
        let reader = BatchReader(
            schema: state.attached, limits: configuration.limits, times: times, rights: rights)
        let (changes, refused) = try reader.read(batch)
        for (index, refusal) in refused.sorted(by: { $0.key < $1.key }) {
            refuse(
                batch.changes[index], at: index, refusal,
                editedAt: times.place(batch.changes[index].editedAt))
        }
        try lock(changes)
        let byIndex = Dictionary(uniqueKeysWithValues: changes.map { ($0.index, $0) })
        try finish(try writeGroupwise(changes, refused), byIndex)
        return batch.changes.indices.map(outcome)
    }

    /// Decides and writes. What breaks a group takes all of it back, and the rest is tried again.
    private mutating func writeGroupwise(
        _ changes: [ResolvedChange], _ refused: [Int: Refusal]
    ) throws -> [WriteOperation] {
        guard batch.changes.contains(where: { $0.group != nil }) else {
            return try writeAll(changes)
        }
        var culprits: [Int: (index: Int, refusal: Refusal)] = [:]
        for (index, refusal) in refused.sorted(by: { $0.key > $1.key }) {
            if let group = batch.changes[index].group { culprits[group] = (index, refusal) }
        }
        var left = refuseGroups(culprits, of: changes)
        while true {
            var attempt = self
            try connection.savepoint()
            let written = try attempt.writeAll(left)
            culprits = attempt.culprits(among: left)
            if culprits.isEmpty {
                try connection.releaseSavepoint()
                self = attempt
                return written
            }
            // Each round is without one group more.
            try connection.rollbackToSavepoint()
            left = refuseGroups(culprits, of: left)
        }
    }

    /// - Returns: What was written.
    private mutating func writeAll(_ changes: [ResolvedChange]) throws -> [WriteOperation] {
        let (writes, deletes) = try decide(changes)
        let (written, failed) = try write(writes, deletes, changes)
        let byIndex = Dictionary(uniqueKeysWithValues: changes.map { ($0.index, $0) })
        let reasons = Dictionary(
            failed.map {
                (RowName(table: $0.operation.table.name, key: $0.operation.key), $0.refusal)
            }, uniquingKeysWith: { first, _ in first })
        for failure in failed {
            guard let change = byIndex[failure.operation.change] else { continue }
            try checkKey(of: failure)
            refuse(
                change.change, at: change.index,
                naming(failure.refusal, of: failure.operation, among: reasons),
                editedAt: change.editedAt)
        }
        return written
    }

    /// What lost is told with what it lost to.
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
    /// each other in a ring.
    private mutating func lock(_ changes: [ResolvedChange]) throws {
        for table in state.attached.tables {
            let own = changes.filter { $0.table.attached.number == table.number }
            if own.isEmpty { continue }
            let rows = try connection.lockRows(table, keys: own.map(\.key))
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

    /// What the replica can see.
    private var visibility: Visibility {
        Visibility(
            connection: connection, settings: configuration.scopes, held: held, rights: rights)
    }

    /// The row with the priority of whoever wrote it last, where there are classes of replicas.
    private func ranked(_ row: CentralRow, _ key: Key, _ table: AttachedTable) throws -> CentralRow
    {
        configuration.classes.isEmpty
            ? row : try Metadata(connection: connection).ranked(row, key, in: table)
    }

    /// A delete that the merge lets go on, with the row as it stands at the centre.
    private typealias Deletion = (change: ResolvedChange, values: [Value], settlement: Settlement)

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
                    change.change, at: change.index, Visibility.refusal(in: change.change.table),
                    editedAt: change.editedAt)
                continue
            }
            let settlement = withinLimits(try settlement(of: change, against: row), change)
            if case .refused(let refusal) = settlement.outcome, settlement.conflict == nil,
                refusal.code != .resurrect
            {
                refuse(change.change, at: change.index, refusal, editedAt: change.editedAt)
                continue
            }
            let write = rights.trimmed(settlement.write, change)
            if let refusal = rights.refusal(of: write, change) {
                refuse(change.change, at: change.index, refusal, editedAt: change.editedAt)
                continue
            }
            if let mark = clearedMark(by: write, row, change),
                let refusal = rights.refusal(ofClearing: mark, of: change.table.attached.name)
            {
                refuse(change.change, at: change.index, refusal, editedAt: change.editedAt)
                continue
            }
            switch write {
            case .delete:
                guard let values = row.values else { continue }
                if let mark = softDelete(change.table.attached) {
                    record(settlement, change)
                    writes.append(operation(mark.mark(at: change.editedAt), change))
                } else {
                    deletes.append((change, values, settlement))
                }
            case .keepBoth(let own):
                try keep(own, beside: row, change, settlement, &writes)
            case .none, .insert, .update:
                record(settlement, change)
                if let write = operation(write, change) {
                    writes.append(unmarking(write, row, change))
                } else if let stored = redirected[change.index], let known = outcomes[change.index]
                {
                    outcomes[change.index] = Outcome(kind: known.kind, stored: stored)
                }
            }
        }
        return (writes.map { redirect($0) }, deletes)
    }

    private func settlement(
        of change: ResolvedChange, against row: CentralRow
    ) throws -> Settlement {
        let table = change.table
        let rules = configuration.rules(for: table.attached.name)
        let resolver = RuleResolver(connection: connection, handlers: handlers)
        return try Merge(table: table.restricted, rules: rules).settle(
            change.change, against: restricted(row, table),
            from: configuration.origin(of: replica, editedAt: change.editedAt)
        ) { try resolver.answer($0, $1, of: table.attached) }
    }

    /// What a rule made of two values may be larger than either.
    private func withinLimits(_ settlement: Settlement, _ change: ResolvedChange) -> Settlement {
        let limit = configuration.limits.maximumValueBytes + 4
        guard case .update(let values) = settlement.write,
            let large = values.first(where: { $0.value.byteCount > limit })
        else { return settlement }
        let name = change.table.restricted.columns[large.column].name
        let refusal = Refusal(
            code: .tooLarge,
            message: "Both versions of \(change.change.table).\(name) are too large together.")
        return Settlement(
            write: .none, outcome: .refused(refusal),
            conflict: settlement.conflict.map {
                Conflict(
                    kind: .refused, rule: $0.rule, base: $0.base, mine: $0.mine, theirs: $0.theirs,
                    result: $0.theirs)
            })
    }

    /// Writes what was decided. A row that the database refuses stays as it was, where a delete's
    /// cascade may reach it: then the deletes are judged once more, without that write.
    private mutating func write(
        _ writes: [WriteOperation], _ deletes: [Deletion], _ changes: [ResolvedChange]
    ) throws -> (written: [WriteOperation], refused: [RefusedOperation]) {
        var refused = try visibility.pointingOutside(
            writes, in: state.attached, central: central)
        let outside = Set(refused.map(\.operation.change))
        let edited = Dictionary(uniqueKeysWithValues: changes.map { ($0.index, $0.editedAt) })
        var writes = writes.filter { !outside.contains($0.change) }
        for round in 1... {
            // Each round does without another write; a batch made to need many loses its deletes.
            let judged = try judge(
                deletes, beside: writes, changes, mayGo: round <= Self.maximumRounds)
            let operations = writes + judged.compactMap(\.operation)
            // Without a delete that goes, nothing is ever judged once more.
            let mayRepeat = operations.count > writes.count
            if mayRepeat { try connection.savepoint() }
            let work = self
            let writer = SetWriter(connection: connection, visibility: visibility) {
                work.time(of: $0, editedAt: edited[$0.change])
            }
            let failed = try writer.write(operations)
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
        if isMarkedDeleted(row, change) {
            return CentralRow(values: nil, changedAt: row.changedAt, isTombstone: true)
        }
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
        /// Rows below that the replica may not touch.
        var refusal: Refusal?
    }

    /// Judges what the cascades of the deletes would reach, children before their parents.
    private func judge(
        _ deletes: [Deletion], beside written: [WriteOperation], _ changes: [ResolvedChange],
        mayGo: Bool
    ) throws -> [JudgedDeletion] {
        if deletes.isEmpty { return [] }
        var judge = CascadeJudge(
            connection: connection, schema: state.attached, configuration: configuration,
            visibility: visibility,
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
                ? try judge.judge(
                    values, of: table,
                    from: configuration.origin(of: replica, editedAt: change.editedAt))
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
            case .isNotAllowed(let table):
                judge.deleted.remove(change.name)
                return JudgedDeletion(
                    deletion: deletion, operation: nil, refusal: Visibility.refusal(in: table))
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
        if let refusal = judged.refusal {
            refuse(change.change, at: change.index, refusal, editedAt: change.editedAt)
            return
        }
        let whole = values.enumerated().map { StoredValue(column: $0, value: $1) }
        outcomes[change.index] = Outcome(kind: .overruled)
        log(
            change.change, at: change.index, change.table.attached.description,
            editedAt: change.editedAt,
            Conflict(
                kind: .deleteUpdate, rule: configuration.rules(for: judged.standing).deleteRule,
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
        let readback = try StoredValues(written, on: connection)
        for table in state.attached.tables {
            let own = written.filter { $0.table.number == table.number }
            if own.isEmpty { continue }
            let times = own.map {
                KeyedTime(
                    key: $0.key, changedAt: time(of: $0, editedAt: changes[$0.change]?.editedAt))
            }
            try connection.setChangedAt(table, times: times)
            try rank(own, of: table, times)
            let pushed = own.filter { operation in
                guard operation.kind != .delete, let change = changes[operation.change] else {
                    return false
                }
                return readback.mayDiffer(operation) || redirected[operation.change] != nil
                    || change.change.namesMoreThanItChanges
            }
            if pushed.isEmpty { continue }
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

    /// When the row that is written has changed. A row's time never goes back: an old edit of one column
    /// must not make a later one of another lose.
    private func time(of operation: WriteOperation, editedAt: Int64?) -> Int64 {
        let editedAt = editedAt ?? now
        if planted(.changedAtGoesBack) { return editedAt }
        let name = RowName(table: operation.table.name, key: operation.key)
        return max(central[name]?.changedAt ?? .min, editedAt)
    }

    /// Notes who wrote the rows. A row keeps the highest priority of those who wrote it, one after the
    /// other.
    private func rank(
        _ written: [WriteOperation], of table: AttachedTable, _ times: [KeyedTime]
    ) throws {
        guard !configuration.classes.isEmpty else { return }
        let own = configuration.origin(of: replica, editedAt: now).priority
        for (operation, time) in zip(written, times) where operation.kind != .delete {
            let before = central[RowName(table: table.name, key: operation.key)]
            try Metadata(connection: connection).set(
                priority: before?.values == nil ? own : max(own, before?.priority ?? 0),
                of: operation.key, in: table, changedAt: time.changedAt)
        }
    }

    /// Tells the replica what the database stored otherwise than pushed.
    private mutating func compare(
        _ operation: WriteOperation, with row: [Value], _ change: ResolvedChange
    ) {
        let table = operation.table.description
        let different =
            zip(operation.columns, operation.values).compactMap {
                column, value -> StoredValue? in
                guard !table.columns[column].type.equal(row[column], value),
                    let position = change.table.columns.firstIndex(of: column)
                else { return nil }
                return StoredValue(column: position, value: row[column])
            } + redirected[change.index, default: []]
            + movedAlong(operation, row, change)
        guard !different.isEmpty, let outcome = outcomes[change.index] else { return }
        outcomes[change.index] = Outcome(kind: outcome.kind, stored: different)
    }

    /// Where whole rows are settled, columns that the replica named and left, and that the database
    /// changed with what was written.
    private func movedAlong(
        _ operation: WriteOperation, _ row: [Value], _ change: ResolvedChange
    ) -> [StoredValue] {
        guard case .update(let edits) = change.change.operation else { return [] }
        return edits.compactMap { edit in
            let column = change.table.columns[edit.column]
            guard !edit.isChange, !operation.columns.contains(column),
                !operation.table.description.columns[column].type.equal(row[column], edit.new)
            else { return nil }
            return StoredValue(column: edit.column, value: row[column])
        }
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

    private func restricted(_ row: CentralRow, _ table: RequestedTable) -> CentralRow {
        CentralRow(
            values: row.values.map(table.restrict), changedAt: row.changedAt,
            isTombstone: row.isTombstone, priority: row.priority)
    }

    private func operation(_ write: Settlement.Write, _ change: ResolvedChange) -> WriteOperation? {
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

    mutating func record(_ settlement: Settlement, _ change: ResolvedChange) {
        outcomes[change.index] = Outcome(kind: settlement.outcome)
        guard let conflict = settlement.conflict, !planted(.loserNotLogged) else { return }
        var refusal: Refusal?
        if case .refused(let reason) = settlement.outcome { refusal = reason }
        log(
            change.change, at: change.index, change.table.restricted, editedAt: change.editedAt,
            conflict,
            refusal)
    }

    mutating func refuse(
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
        // It asks for nothing that could be lost.
        case .touch: return
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
                kind: .deleteUpdate, rule: configuration.rules(for: table.name).deleteRule,
                base: nil, mine: nil,
                theirs: row.enumerated().map { StoredValue(column: $0, value: $1) }, result: nil))
    }

    /// Hexadecimal digits, the same for no other batch: two replicas may choose the same nonce.
    var batchName: String {
        var fingerprint = Fingerprint()
        fingerprint.add(replica.utf8)
        fingerprint.add(UInt64(bitPattern: batch.number))
        fingerprint.add(batch.nonce.utf8)
        return fingerprint.hex
    }

    private mutating func log(
        _ change: Change, at index: Int, _ table: TableDescription, editedAt: Int64,
        _ conflict: Conflict,
        _ refusal: Refusal? = nil
    ) {
        note(conflict, change, at: index, table)
        // The owner's log names what stands; the replica was told as if there were no such row.
        let name = RowName(table: table.name, key: table.key(change.key.values))
        let standing = hidden[name].map { row in
            row.enumerated().map { StoredValue(column: $0, value: $1) }
        }
        let theirs = standing ?? conflict.theirs
        let result = standing ?? conflict.result
        conflicts.append(
            ConflictRecord(
                id: "\(batchName)-\(index)-\(conflicts.count)", replica: replica,
                batch: batch.number,
                table: table.name, key: change.key.values.jsonText(), kind: conflict.kind.rawValue,
                rule: conflict.rule?.name, base: conflict.base?.jsonText(table),
                mine: conflict.mine?.jsonText(table), theirs: theirs?.jsonText(table),
                result: result?.jsonText(table), reasonCode: refusal?.code.rawValue,
                reason: refusal?.message, editedAt: editedAt, loggedAt: now))
    }

    /// Keeps what a change lost to, with columns as the replica counts them.
    private mutating func note(
        _ conflict: Conflict, _ change: Change, at index: Int, _ table: TableDescription
    ) {
        guard change.rowName == batch.changes[index].rowName,
            let columns = batch.tables.first(where: { $0.name.hasSameBytes(as: change.table) })
        else { return }
        func counted(_ values: [StoredValue]?) -> [StoredValue]? {
            values?.compactMap { stored in
                let name = table.columns[stored.column].name
                return columns.columns.firstIndex { $0.hasSameBytes(as: name) }
                    .map { StoredValue(column: $0, value: stored.value) }
            }
        }
        overrulings[index] = Overruling(
            rule: conflict.rule?.name, theirs: counted(conflict.theirs),
            result: counted(conflict.result))
    }
}
