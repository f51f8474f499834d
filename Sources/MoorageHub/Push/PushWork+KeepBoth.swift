import MoorageCore
import MoorageWire

/// Rows that are kept beside others.
extension PushWork {
    mutating func keep(
        _ own: [Value], beside row: CentralRow, _ change: ResolvedChange,
        _ mergeResult: MergeResult, _ writes: inout [WriteOperation]
    ) throws {
        let table = change.table
        let key = table.attached.description.primaryKey[0]
        guard let position = table.columns.firstIndex(of: key) else { return }
        // The batch may insert rows of its own later, with keys that a sequence gave out.
        let written = Set(writes.map { RowName(table: $0.table.name, key: $0.key) })
            .union(central.keys)
        let place = try keepBothKeys.place(
            for: change, mine: mergeResult.conflict?.mine?.jsonText(table.restricted)
        ) { written.contains(RowName(table: table.attached.name, key: $0)) }
        let value: Value
        switch place {
        case .free(let free): value = free
        case .known(let known):
            // Another edit asks for the same row. The hub does not know what happened to that row
            // since.
            if !change.change.isAgain { record(mergeResult, change) }
            let stored = known.map { [StoredValue(column: position, value: $0)] } ?? []
            outcomes[change.index] = Outcome(kind: mergeResult.outcome, stored: stored)
            if let known { rekey(change, own, to: [key: known]) }
            return
        case .none(let refusal):
            return refuse(
                change.change, at: change.index, refusal, editedAt: change.editedAt)
        }
        record(mergeResult, change)
        var values = own
        values[position] = value
        // Columns that the replica does not have come from the row that this one was made from.
        var columns = table.columns
        if case .update = change.change.operation, let theirs = row.values {
            for column in theirs.indices where !columns.contains(column) {
                columns.append(column)
                values.append(theirs[column])
            }
        } else {
            rekey(change, own, to: [key: value])
        }
        chosen.insert(change.index)
        redirected[change.index, default: []].append(StoredValue(column: position, value: value))
        let description = table.attached.description
        let kept = columns.indices.filter { place in
            let column = description.columns[columns[place]]
            return !column.isGenerated
                && (description.isKey(columns[place])
                    || rights.mayInsert(column.name, of: table.attached.name))
        }
        writes.append(
            WriteOperation(
                change: change.index, table: table.attached, kind: .insert,
                key: description.key([value]), columns: kept.map { columns[$0] },
                values: kept.map { values[$0] }))
    }

    /// What refers to this insert in the batch follows it, whether it is an insert or an update.
    private mutating func rekey(_ change: ResolvedChange, _ row: [Value], to now: [Int: Value]) {
        guard case .insert = change.change.operation else { return }
        let pushed = Dictionary(uniqueKeysWithValues: zip(change.table.columns, row))
        rekeyed.add(change.table.attached, pushed: pushed, now: now)
    }

    /// The key was free when the hub chose it, and is not any more: the batch is worth another try.
    ///
    /// - Throws: ``CentralError`` of kind `conflict`.
    func checkKey(of failure: RefusedOperation) throws {
        let operation = failure.operation
        guard failure.refusal.code == .unique, operation.kind == .insert,
            chosen.contains(operation.change),
            try connection.lockRows(operation.table, keys: [operation.key])[operation.key]?.values
                != nil
        else { return }
        throw CentralError.keyTakenMeanwhile(in: operation.table.name)
    }

    /// If an insert refers to a row that was rekeyed, its reference follows that row. Its own key
    /// may change by that.
    mutating func redirect(_ change: ResolvedChange) -> ResolvedChange {
        guard case .insert(var row) = change.change.operation, !rekeyed.isEmpty else {
            return change
        }
        let table = change.table
        let pushed = Dictionary(uniqueKeysWithValues: zip(table.columns, row))
        let now = rekeyed.redirections(of: table.attached) { pushed[$0] }
        if now.isEmpty { return change }
        rekeyed.add(table.attached, pushed: pushed, now: now)
        for (position, column) in table.columns.enumerated() {
            guard let value = now[column] else { continue }
            row[position] = value
            redirected[change.index, default: []].append(
                StoredValue(column: position, value: value))
        }
        return change.inserting(row)
    }

    /// The same for a write to a row that keeps its key.
    mutating func redirect(_ write: WriteOperation) -> WriteOperation {
        guard !rekeyed.isEmpty else { return write }
        let values = Dictionary(uniqueKeysWithValues: zip(write.columns, write.values))
        var write = write
        let now = rekeyed.redirections(of: write.table) { values[$0] }
        for (column, value) in now.sorted(by: { $0.key < $1.key })
        where !write.table.description.isKey(column) {
            write = write.setting(StoredValue(column: column, value: value))
            guard let position = position(of: column, in: write) else { continue }
            redirected[write.change, default: []].append(
                StoredValue(column: position, value: value))
        }
        return write
    }

    /// The position of a column as the replica counts columns.
    private func position(of column: Int, in write: WriteOperation) -> Int? {
        tables[batch.changes[write.change].table]?.columns.firstIndex(of: column)
    }
}
