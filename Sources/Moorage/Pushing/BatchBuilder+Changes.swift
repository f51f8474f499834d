import MoorageCore
import MoorageWire

/// Makes one change of a row's local change and the row as it is.
extension BatchBuilder {
    /// What a local change asks for, before the builder decides whether to send it.
    enum Made {
        case nothing
        case blocked(Refusal)
        case change(Change.Operation, [StoredValueForm]?)
    }

    func made(_ table: Int, _ group: Group, _ localChange: LocalChange) throws -> Made {
        let synced = tables[table]
        let description = synced.description
        let stored = try reading(table).row(localKey: group.localKey)
        func isNameless() -> Bool { synced.cannotName(localKey: group.localKey) }
        let operation: Change.Operation
        switch localChange.kind {
        // The hub has no such row, so there is nothing to ask for or to delete.
        case .refetch where isNameless(), .delete where isNameless(): return .nothing
        case .refetch: operation = .refetch
        case .delete(let row):
            let open = try undecided(table, group.localKey)
            operation = .delete(
                before: row.enumerated().map {
                    open.contains($0) ? description.columns[$0].unwritten : $1
                })
        case .insert, .update:
            // The row went without a log entry: ask for it, and the answer says what it is.
            guard let stored else { return isNameless() ? .nothing : .change(.refetch, nil) }
            if let reason = refusal(synced, stored) { return .blocked(reason) }
            let row = stored.enumerated().map { synced.form($0).portable($1.value) }
            if case .update(let old) = localChange.kind {
                operation = .update(
                    edits(table, old, row, undecided: try undecided(table, group.localKey)))
            } else {
                operation = .insert(
                    row.enumerated().map { description.columns[$0].isGenerated ? .null : $1 })
            }
        }
        return .change(operation, stored)
    }

    /// The columns of a row that wait for the hub's value. It never had what the device had there.
    /// So their edits begin with what the hub has if nobody wrote there.
    private func undecided(_ table: Int, _ localKey: LocalKey) throws -> [Int] {
        guard tablesWithFills.contains(tables[table].name) else { return [] }
        return try UndecidedFills(reading: reading(table)).columns(localKey: localKey).undecided
    }

    /// The edits of a local change. Where whole rows are merged, the columns that it leaves as they
    /// are follow.
    private func edits(
        _ table: Int, _ old: [OldValue], _ row: [Value], undecided: [Int]
    ) -> [ColumnEdit] {
        let description = tables[table].description
        // The device has never seen what the hub has in an unread column.
        let unread = unreadColumns[table]
        func isPushed(_ column: Int) -> Bool {
            !description.columns[column].isGenerated && !description.isKey(column)
        }
        let edits = old.compactMap { old -> ColumnEdit? in
            let column = description.columns[old.column]
            guard isPushed(old.column), !column.type.equal(old.value, row[old.column]) else {
                return nil
            }
            let isBased =
                !old.isFill && (undecided.contains(old.column) || unread.contains(old.column))
            return ColumnEdit(
                column: old.column, old: isBased ? column.unwritten : old.value,
                new: row[old.column], isFill: old.isFill)
        }
        // The hub merges a row with its edits, and never with its fills.
        guard case .row = description.granularity, !edits.allSatisfy(\.isFill) else {
            return edits
        }
        let rest = description.columns.indices.filter { column in
            isPushed(column) && !undecided.contains(column) && !unread.contains(column)
                && !edits.contains { $0.column == column }
        }
        return edits + rest.map { ColumnEdit(column: $0, old: row[$0], new: row[$0]) }
    }
}
