import MoorageCore
import MoorageWire

/// Deletes, and what their cascades reach.
extension PushWork {
    /// A delete that the merge allows, with the row as it is in the central database.
    typealias Deletion = (change: ResolvedChange, values: [Value], mergeResult: MergeResult)

    /// What happens to a delete.
    struct JudgedDeletion {
        let deletion: Deletion
        /// `nil` when a row below prevents the delete.
        let operation: WriteOperation?
        /// Rows below that go with it.
        var below: [(table: AttachedTable, row: [Value])] = []
        /// The table of the row that stays.
        var standing = ""
        /// The refusal, when the replica may not write to rows below.
        var refusal: Refusal?
    }

    /// Judges what the cascades of the deletes would reach, children before their parents.
    func judge(
        _ deletes: [Deletion], beside written: [WriteOperation], _ changes: [ResolvedChange],
        mayGo: Bool
    ) throws -> [JudgedDeletion] {
        if deletes.isEmpty { return [] }
        var judge = CascadeJudge(
            connection: connection, schema: state.attached, configuration: configuration,
            visibility: visibility,
            deleted: Set(deletes.map(\.change.name)), arriving: arriving(written, changes))
        // Children come first, because a row that stays is one that its parent's delete would
        // reach. Within one table the replica has put children first.
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
                    deletion: deletion, operation: nil, refusal: Refusal.mayNotWriteRow(of: table))
            }
        }
    }

    mutating func record(_ judged: JudgedDeletion) {
        let (change, values, mergeResult) = judged.deletion
        guard judged.operation == nil else {
            record(mergeResult, change)
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

    /// The rows that the batch writes, by name.
    private func arriving(
        _ operations: [WriteOperation], _ changes: [ResolvedChange]
    ) -> [RowName: CascadeJudge.ArrivingRow] {
        let byIndex = Dictionary(changes.map { ($0.index, $0) }) { first, _ in first }
        var rows: [RowName: CascadeJudge.ArrivingRow] = [:]
        for operation in operations {
            let name = RowName(table: operation.table.name, key: operation.key)
            let count = operation.table.description.columns.count
            let current = central[name]?.values
            var row = current ?? [Value](repeating: .null, count: count)
            for (column, value) in zip(operation.columns, operation.values) { row[column] = value }
            let change = byIndex[operation.change]
            let isFill = isFill(operation, by: change)
            rows[name] = CascadeJudge.ArrivingRow(
                table: operation.table, row: row,
                editedAt: isFill ? HubTime(milliseconds: .min) : change?.editedAt ?? now,
                isNew: current == nil)
        }
        return rows
    }
}
