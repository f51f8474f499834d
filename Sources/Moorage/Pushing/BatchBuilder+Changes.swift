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
                    edits(description, old, row, undecided: try undecided(table, group.localKey)))
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
        return try UndecidedFills(reading: reading(table)).columns(localKey: localKey)
    }

    /// The edits of a local change. Where whole rows are merged, the columns that it leaves as they
    /// are follow.
    private func edits(
        _ table: TableDescription, _ old: [OldValue], _ row: [Value], undecided: [Int]
    ) -> [ColumnEdit] {
        func isPushed(_ column: Int) -> Bool {
            !table.columns[column].isGenerated && !table.isKey(column)
        }
        // The device has never seen what the hub has in an unread column.
        let unread = transaction.tables.unreadColumns(of: Identifier(table.name))
        func isUnread(_ column: Int) -> Bool {
            unread.contains { $0 == table.columns[column].name }
        }
        let edits = old.compactMap { old -> ColumnEdit? in
            let column = table.columns[old.column]
            guard isPushed(old.column), !column.type.equal(old.value, row[old.column]) else {
                return nil
            }
            let isBased = !old.isFill && (undecided.contains(old.column) || isUnread(old.column))
            return ColumnEdit(
                column: old.column, old: isBased ? column.unwritten : old.value,
                new: row[old.column], isFill: old.isFill)
        }
        // The hub merges a row with its edits, and never with its fills.
        guard case .row = table.granularity, !edits.allSatisfy(\.isFill) else { return edits }
        let rest = table.columns.indices.filter { column in
            isPushed(column) && !undecided.contains(column)
                && !edits.contains { $0.column == column }
                && !isUnread(column)
        }
        return edits + rest.map { ColumnEdit(column: $0, old: row[$0], new: row[$0]) }
    }
}
