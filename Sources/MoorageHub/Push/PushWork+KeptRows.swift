import MoorageCore
import MoorageWire

/// Rows that are kept beside others.
extension PushWork {
    /// A row that the replica inserted, and that got another key.
    struct MovedRow {
        let table: AttachedTable
        /// As it was pushed, by column of the hub.
        let pushed: [Int: Value]
        /// What its key is now, as far as it is another.
        let key: [Int: Value]
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
        values[position] = value
        // Columns that the replica does not hold are those of the row that it was made from.
        var columns = table.columns
        if case .update = change.change.operation, let theirs = row.values {
            for column in theirs.indices where !columns.contains(column) {
                columns.append(column)
                values.append(theirs[column])
            }
        } else {
            let pushed = Dictionary(uniqueKeysWithValues: zip(columns, own))
            moved.append(MovedRow(table: table.attached, pushed: pushed, key: [key: value]))
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

    /// An insert that names a row which moved names where it is now: its own key may be another by that.
    mutating func redirect(_ change: ResolvedChange) -> ResolvedChange {
        guard case .insert(var row) = change.change.operation, !moved.isEmpty else { return change }
        let table = change.table
        let pushed = Dictionary(uniqueKeysWithValues: zip(table.columns, row))
        let now = redirections(of: table.attached) { pushed[$0] }
        if now.isEmpty { return change }
        for (position, column) in table.columns.enumerated() {
            guard let value = now[column] else { continue }
            row[position] = value
            redirected[change.index, default: []].append(
                StoredValue(column: position, value: value))
        }
        let key = now.filter { table.attached.description.isKey($0.key) }
        if !key.isEmpty {
            moved.append(MovedRow(table: table.attached, pushed: pushed, key: key))
        }
        return change.inserting(row)
    }

    /// The same for what is written of a row that keeps its key.
    mutating func redirect(_ write: WriteOperation) -> WriteOperation {
        guard !moved.isEmpty else { return write }
        let values = Dictionary(uniqueKeysWithValues: zip(write.columns, write.values))
        var write = write
        for (column, value) in redirections(of: write.table, { values[$0] }).sorted(by: {
            $0.key < $1.key
        }) where !write.table.description.isKey(column) {
            write = write.setting(StoredValue(column: column, value: value))
            guard let position = position(of: column, in: write) else { continue }
            redirected[write.change, default: []].append(
                StoredValue(column: position, value: value))
        }
        return write
    }

    /// Where columns of a row have to point now, by column of the hub.
    private func redirections(
        of table: AttachedTable, _ value: (Int) -> Value?
    ) -> [Int: Value] {
        var result: [Int: Value] = [:]
        for foreign in table.description.foreignKeys {
            for row in moved where foreign.referencedTable.hasSameBytes(as: row.table.name) {
                let parent = row.table.description
                let referenced = foreign.referencedColumns.compactMap { parent.column(named: $0) }
                guard referenced.count == foreign.columns.count else { continue }
                let places = zip(foreign.columns, referenced)
                let isMeant = places.allSatisfy { own, theirs in
                    guard let named = value(own), let pushed = row.pushed[theirs] else {
                        return false
                    }
                    return !named.isNull && parent.columns[theirs].type.equal(named, pushed)
                }
                guard isMeant else { continue }
                for (own, theirs) in places where row.key[theirs] != nil {
                    result[own] = row.key[theirs]
                }
            }
        }
        return result
    }

    /// A column as the replica counts it.
    private func position(of column: Int, in write: WriteOperation) -> Int? {
        let name = write.table.description.columns[column].name
        return batch.tables.first { $0.name.hasSameBytes(as: write.table.name) }?
            .columns.firstIndex { $0.hasSameBytes(as: name) }
    }
}
