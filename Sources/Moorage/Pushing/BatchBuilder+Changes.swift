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
        case .delete(let row): operation = .delete(before: row)
        case .insert, .update:
            // The row went without a log entry: ask for it, and the answer says what it is.
            guard let stored else { return isNameless() ? .nothing : .change(.refetch, nil) }
            if let reason = refusal(synced, stored) { return .blocked(reason) }
            let row = stored.enumerated().map { synced.form($0).portable($1.value) }
            if case .update(let old) = localChange.kind {
                operation = .update(edits(description, old, row))
            } else {
                operation = .insert(
                    row.enumerated().map { description.columns[$0].isGenerated ? .null : $1 })
            }
        }
        return .change(operation, stored)
    }

    /// The edits of a local change. Where whole rows are merged, the columns that it leaves as they
    /// are follow.
    private func edits(
        _ table: TableDescription, _ old: [OldValue], _ row: [Value]
    ) -> [ColumnEdit] {
        func isPushed(_ column: Int) -> Bool {
            !table.columns[column].isGenerated && !table.isKey(column)
        }
        let edits = old.compactMap { old in
            isPushed(old.column)
                && !table.columns[old.column].type.equal(old.value, row[old.column])
                ? ColumnEdit(column: old.column, old: old.value, new: row[old.column]) : nil
        }
        guard case .row = table.granularity, !edits.isEmpty else { return edits }
        // The device has never seen what the hub has in an unread column.
        let unread = transaction.tables.unreadColumns(of: Identifier(table.name))
        let rest = table.columns.indices.filter { column in
            isPushed(column) && !edits.contains { $0.column == column }
                && !unread.contains { $0 == table.columns[column].name }
        }
        return edits + rest.map { ColumnEdit(column: $0, old: row[$0], new: row[$0]) }
    }
}
