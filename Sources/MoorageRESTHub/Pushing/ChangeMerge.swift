import GRDB
import MoorageCore

/// Merges one change with the server's row. It is a pure function, apart from the app's rule.
struct ChangeMerge {
    let table: RESTTable

    struct Result {
        /// The row afterwards; `nil` for none.
        var row: RowValues?
        var outcome: Outcome
        /// Whether the server's row has to change.
        var isWritten: Bool
    }

    /// - Parameter theirs: The server's row; `nil` for none.
    func merge(
        _ change: PushedChange, with theirs: RowValues?
    ) -> Result {
        guard let operation = operation(change) else {
            return Result(row: theirs, outcome: Outcome(kind: .applied), isWritten: false)
        }
        let central = CentralRow(
            values: theirs.map { fill($0, from: change) }, changedAt: nil, isTombstone: false)
        let asked = Change(
            table: table.name, key: change.key, operation: operation, editedAt: change.editedAt)
        let merge = Merge(table: table.description, rules: table.conflicts.rules)
        let result = merge.merge(
            asked, against: central,
            from: ChangeOrigin(editedAt: HubTime(milliseconds: change.editedAt.milliseconds))
        ) { rule, question in answer(rule, question, change, central) }
        return self.result(result, change, theirs)
    }

    /// What is asked of the server; `nil` for a question.
    private func operation(_ change: PushedChange) -> Change.Operation? {
        switch change.content {
        case .insert(let row): return .insert(row.map { $0 ?? .null })
        case .delete(let row): return .delete(before: row.map { $0 ?? .null })
        case .question: return nil
        case .update(let edits, let base, let mine):
            guard table.conflicts.rules.granularity == .row else { return .update(edits) }
            // Where rows win whole, the other columns say what the device began with.
            let named = Dictionary(edits.map { ($0.column, $0) }) { first, _ in first }
            return .update(
                table.description.columns.indices.compactMap { column in
                    if let edit = named[column] { return edit }
                    guard !table.description.isKey(column), let old = base[column],
                        let new = mine[column]
                    else { return nil }
                    return ColumnEdit(column: column, old: old, new: new)
                })
        }
    }

    /// The server's row with the device's values in columns that the record does not know. Nobody
    /// can be in conflict about those.
    private func fill(_ theirs: RowValues, from change: PushedChange) -> [Value] {
        theirs.enumerated().map { column, value in
            value ?? change.values?[column] ?? .null
        }
    }

    private func result(
        _ merged: MergeResult, _ change: PushedChange, _ theirs: RowValues?
    ) -> Result {
        var outcome = Outcome(kind: merged.outcome)
        if let conflict = merged.conflict, !isRefused(merged) {
            outcome = Outcome(
                kind: merged.outcome,
                overruling: Overruling(
                    rule: conflict.rule?.name, theirs: counted(conflict.theirs, change),
                    result: counted(conflict.result, change)))
        }
        switch merged.write {
        case .none, .keepBoth: return Result(row: theirs, outcome: outcome, isWritten: false)
        case .insert(let row):
            return Result(row: row.map { $0 }, outcome: outcome, isWritten: true)
        case .delete: return Result(row: nil, outcome: outcome, isWritten: true)
        case .update(let values):
            var row = theirs ?? []
            var isWritten = false
            // A column that the record does not know is the app's own.
            for value in values where row[value.column] != nil {
                row[value.column] = value.value
                isWritten = true
            }
            return Result(row: row, outcome: outcome, isWritten: isWritten)
        }
    }

    private func isRefused(_ result: MergeResult) -> Bool {
        if case .refused = result.outcome { true } else { false }
    }

    private func counted(_ values: [StoredValue]?, _ change: PushedChange) -> [StoredValue]? {
        values?.compactMap { value in
            change.positions[value.column].map { StoredValue(column: $0, value: value.value) }
        }
    }

    // MARK: The app's rule

    private func answer(
        _ rule: MergeRule, _ question: MergeQuestion, _ change: PushedChange, _ central: CentralRow
    ) -> MergeAnswer {
        guard let decide = table.conflicts.decide, let values = central.values else {
            return .theirs
        }
        var (base, mine): (RowValues?, RowValues?)
        switch change.content {
        case .insert(let row): mine = row
        case .update(_, let before, let now): (base, mine) = (before, now)
        case .delete(let before): base = before
        case .question: return .theirs
        }
        // What only the server changed is no part of the question.
        let theirs = values.map { Optional($0) }
        do {
            switch try decide(
                base.map(table.row), mine.map(table.row), table.row(theirs), question.columns)
            {
            case .mine: return .mine
            case .theirs: return .theirs
            case .reject(let reason): return .reject(reason)
            case .values(let columns):
                let row = table.values(of: columns)
                let pairs = table.description.columns.indices.compactMap {
                    column -> (column: String, value: Value)? in
                    guard !table.description.isKey(column), let value = row[column] else {
                        return nil
                    }
                    return (table.description.columns[column].name, value)
                }
                return .values(NamedValues(pairs))
            }
        } catch {
            return .reject(Refusal.ruleFailed(rule.name).message)
        }
    }
}
