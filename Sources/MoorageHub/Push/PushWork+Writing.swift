import MoorageCore
import MoorageWire

/// Writes what was decided, and tells the replica what the database stored.
extension PushWork {
    /// Writes what was decided. A row whose write is refused stays as it was, and a delete's
    /// cascade may reach it. The deletes are then judged once more, without that write.
    mutating func write(
        _ writes: [WriteOperation], _ deletes: [Deletion], _ changes: [ResolvedChange]
    ) throws -> (written: [WriteOperation], refused: [RefusedOperation]) {
        var refused = try visibility.pointingOutside(
            writes, in: state.attached, central: central)
        let outside = Set(refused.map(\.operation.change))
        let byIndex = Dictionary(uniqueKeysWithValues: changes.map { ($0.index, $0) })
        var writes = writes.filter { !outside.contains($0.change) }
        for round in 1... {
            // Each round leaves out another write. A batch that was made to need many rounds loses
            // its deletes.
            let judged = try judge(
                deletes, beside: writes, changes, mayGo: round <= Self.maximumRounds)
            let operations = writes + judged.compactMap(\.operation)
            // Without a delete that goes on, nothing is judged again.
            let mayRepeat = operations.count > writes.count
            if mayRepeat { try connection.savepoint() }
            let work = self
            let writer = SetWriter(connection: connection, visibility: visibility) {
                work.time(of: $0, by: byIndex[$0.change])
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

    /// Does what is left after the writes: edit times, priorities, stored values.
    mutating func finish(
        _ written: [WriteOperation], _ changes: [Int: ResolvedChange]
    ) throws {
        let readback = try StoredValues(written, on: connection)
        for table in state.attached.tables {
            let own = written.filter { $0.table.number == table.number }
            if own.isEmpty { continue }
            let times = own.map {
                KeyedTime(key: $0.key, changedAt: time(of: $0, by: changes[$0.change]))
            }
            try connection.setChangedAt(table, times: times)
            try rank(own, of: table, times, changes)
            let pushed = own.filter { operation in
                guard operation.kind != .delete, let change = changes[operation.change] else {
                    return false
                }
                return readback.mayDiffer(operation) || redirected[operation.change] != nil
                    || change.change.namesMoreThanItChanges || !leftOut(operation, change).isEmpty
            }
            if pushed.isEmpty { continue }
            var stored: [RowKey: [Value]] = [:]
            for row in try connection.rows(table, keys: pushed.map(\.key), in: authorized) {
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

    /// The time of the last change of a written row. It never goes back. Otherwise an old edit of
    /// one column would make a later edit of another one lose. A fill would do the same, so it does
    /// not count.
    func time(of operation: WriteOperation, by change: ResolvedChange?) -> HubTime {
        let editedAt = change?.editedAt ?? now
        let name = RowName(table: operation.table.name, key: operation.key)
        let known = central[name]?.changedAt ?? editedAt
        return isFill(operation, by: change) ? known : max(known, editedAt)
    }

    /// Records who wrote the rows. A row keeps the highest priority of all replicas that wrote it
    /// in turn.
    private func rank(
        _ written: [WriteOperation], of table: AttachedTable, _ times: [KeyedTime],
        _ changes: [Int: ResolvedChange]
    ) throws {
        guard !configuration.classes.isEmpty else { return }
        let own = configuration.origin(of: replica, editedAt: now).priority
        for (operation, time) in zip(written, times)
        where operation.kind != .delete && !isFill(operation, by: changes[operation.change]) {
            let before = central[RowName(table: table.name, key: operation.key)]
            try Metadata(connection: connection).set(
                priority: before?.values == nil ? own : max(own, before?.priority ?? 0),
                of: operation.key, in: table, changedAt: time.changedAt)
        }
    }

    /// Tells the replica which values the database stored differently.
    private mutating func compare(
        _ operation: WriteOperation, with row: [Value], _ change: ResolvedChange
    ) {
        let table = operation.table.description
        let leftOut = logLeftOut(operation, row, change)
        let different =
            zip(operation.columns, operation.values).compactMap {
                column, value -> StoredValue? in
                guard !table.columns[column].type.equal(row[column], value),
                    let position = change.table.columns.firstIndex(of: column)
                else { return nil }
                return StoredValue(column: position, value: row[column])
            } + redirected[change.index, default: []]
            + alsoChanged(operation, row, change) + leftOut
        guard !different.isEmpty, let outcome = outcomes[change.index] else { return }
        let isLost = logOverwritten(operation, row, change) || !leftOut.isEmpty
        outcomes[change.index] = Outcome(
            kind: isLost && outcome.kind == .applied ? .merged : outcome.kind, stored: different)
    }

    /// Columns to which a trigger of the owner's gave back the value that they had before. Nothing
    /// else keeps what was asked for, so it goes to the conflict log.
    private mutating func logOverwritten(
        _ operation: WriteOperation, _ row: [Value], _ change: ResolvedChange
    ) -> Bool {
        let name = RowName(table: operation.table.name, key: operation.key)
        guard case .update(let edits) = change.change.operation, let before = central[name]?.values
        else { return false }
        let columns = operation.table.description.columns
        let lost = edits.filter { edit in
            let column = change.table.columns[edit.column]
            guard !edit.isFill, let place = operation.columns.firstIndex(of: column) else {
                return false
            }
            let type = columns[column].type
            return type.equal(row[column], before[column])
                && !type.equal(before[column], operation.values[place])
        }
        if lost.isEmpty { return false }
        let theirs = lost.map {
            StoredValue(column: $0.column, value: row[change.table.columns[$0.column]])
        }
        log(
            change.change, at: change.index, change.table.restricted, editedAt: change.editedAt,
            Conflict(
                kind: .updateUpdate, rule: nil,
                base: lost.map { StoredValue(column: $0.column, value: $0.old) },
                mine: lost.map { StoredValue(column: $0.column, value: $0.new) },
                theirs: theirs, result: theirs))
        return true
    }

    /// Where whole rows are merged: columns that the replica named and did not change, and that the
    /// database changed with the write.
    private func alsoChanged(
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
}
