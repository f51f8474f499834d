import MoorageCore
import MoorageWire

/// Rows that are kept beside others.
extension PushWork {
    /// A row that the replica inserted, and that got another key.
    struct MovedRow {
        let table: AttachedTable
        let from: Value
        let to: Value
    }

    mutating func keep(
        _ own: [Value], beside row: CentralRow, _ change: ResolvedChange,
        _ settlement: Settlement, _ writes: inout [WriteOperation]
    ) throws {
        let table = change.table
        let key = table.attached.description.primaryKey[0]
        guard let position = table.columns.firstIndex(of: key) else { return }
        // The batch may insert rows of its own further on, as a sequence gave them out.
        let written = Set(writes.map { RowName(table: $0.table.name, key: $0.key) })
            .union(central.keys)
        let place = try keptRows.place(
            for: change, mine: settlement.conflict?.mine?.jsonText(table.restricted)
        ) { written.contains(RowName(table: table.attached.name, key: $0)) }
        let value: Value
        switch place {
        case .free(let free): value = free
        case .known where change.change.isAgain:
            return outcomes[change.index] = Outcome(kind: settlement.outcome)
        // Another edit that asks for the same: what became of that row since is not known.
        case .known: return record(settlement, change)
        case .none(let refusal):
            return refuse(
                change.change, at: change.index, refusal, editedAt: change.editedAt)
        }
        record(settlement, change)
        var values = own
        let old = values[position]
        values[position] = value
        // Columns that the replica does not hold are those of the row that it was made from.
        var columns = table.columns
        if case .update = change.change.operation, let theirs = row.values {
            for column in theirs.indices where !columns.contains(column) {
                columns.append(column)
                values.append(theirs[column])
            }
        } else {
            moved.append(MovedRow(table: table.attached, from: old, to: value))
        }
        redirected[change.index, default: []].append(StoredValue(column: position, value: value))
        let description = table.attached.description
        let kept = columns.indices.filter { !description.columns[columns[$0]].isGenerated }
        writes.append(
            WriteOperation(
                change: change.index, table: table.attached, kind: .insert,
                key: description.key([value]), columns: kept.map { columns[$0] },
                values: kept.map { values[$0] }))
    }

    /// A key that was free when it was chosen, and is not any more: the batch is worth another try.
    ///
    /// - Throws: ``CentralError`` of kind `conflict`.
    func checkKey(of failure: RefusedOperation) throws {
        let operation = failure.operation
        guard failure.refusal.code == .unique, operation.kind == .insert,
            redirected[operation.change] != nil,
            try connection.lockRows(operation.table, keys: [operation.key])[operation.key]?.values
                != nil
        else { return }
        throw CentralError(.conflict, "a new key of \(operation.table.name) was taken meanwhile")
    }

    /// What this batch writes about a row that moved goes with it.
    mutating func redirect(_ write: WriteOperation) -> WriteOperation {
        var write = write
        let table = write.table.description
        for foreign in table.foreignKeys where foreign.columns.count == 1 {
            for row in moved where foreign.referencedTable.hasSameBytes(as: row.table.name) {
                let key = row.table.description.columns[row.table.description.primaryKey[0]]
                guard foreign.referencedColumns.first?.hasSameBytes(as: key.name) == true,
                    let place = write.columns.firstIndex(of: foreign.columns[0]),
                    key.type.equal(write.values[place], row.from)
                else { continue }
                write = write.setting(StoredValue(column: foreign.columns[0], value: row.to))
                guard let position = position(of: foreign.columns[0], in: write) else { continue }
                redirected[write.change, default: []].append(
                    StoredValue(column: position, value: row.to))
            }
        }
        return write
    }

    /// A column as the replica counts it.
    private func position(of column: Int, in write: WriteOperation) -> Int? {
        let name = write.table.description.columns[column].name
        return batch.tables.first { $0.name.hasSameBytes(as: write.table.name) }?
            .columns.firstIndex { $0.hasSameBytes(as: name) }
    }
}
