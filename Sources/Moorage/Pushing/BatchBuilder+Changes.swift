import MoorageCore
import MoorageWire

/// One change, made of a row's local change and the row as it is.
extension BatchBuilder {
    /// What a local change asks for, before it is decided whether it is sent.
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
        // The hub has no such row: it is neither asked for nor deleted there.
        case .refetch where isNameless(), .delete where isNameless(): return .nothing
        case .refetch: operation = .refetch
        case .delete(let row): operation = .delete(before: row)
        case .insert, .update:
            // A row that no log saw go is asked for, and the answer says what it is.
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

    /// What a local change changes; where whole rows are merged, beside it what it leaves as it is.
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
        // What the hub has in a column that was never read, nobody here has seen.
        let unread = transaction.tables.unreadColumns(of: Identifier(table.name))
        let rest = table.columns.indices.filter { column in
            isPushed(column) && !edits.contains { $0.column == column }
                && !unread.contains { $0 == table.columns[column].name }
        }
        return edits + rest.map { ColumnEdit(column: $0, old: row[$0], new: row[$0]) }
    }
}
