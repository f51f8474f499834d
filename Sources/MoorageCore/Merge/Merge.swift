/// Settles one pushed change against the central row, by value (docs/design.md, 5.3). A pure
/// function of its fields.
///
/// Idempotent: settling again what was settled changes nothing, so that a repeated push is
/// harmless.
public struct Merge: Sendable {
    public let table: TableDescription
    public let rules: TableRules

    public init(table: TableDescription, rules: TableRules) {
        self.table = table
        self.rules = rules
    }

    /// - Parameter editedAt: When the change was made, placed on the hub's clock.
    public func settle(_ change: Change, against central: CentralRow, editedAt: Int64) -> Settlement
    {
        let isNewer = central.changedAt.map { editedAt > $0 } ?? true
        switch change.operation {
        case .touch: return Settlement(write: .none, outcome: .applied)
        case .insert(let row): return insert(row, central, isNewer, isAgain: change.isAgain)
        case .update(let edits): return update(edits, central, isNewer)
        case .delete(let before): return delete(before, central, isNewer)
        }
    }

    private func wins(_ rule: MergeRule, _ isNewer: Bool) -> Bool {
        switch rule {
        case .newest: isNewer
        case .server: false
        case .client: true
        }
    }

    private func insert(
        _ row: [Value], _ central: CentralRow, _ isNewer: Bool, isAgain: Bool
    ) -> Settlement {
        guard let current = central.values else {
            // Sent before under another name: a key that is gone since stays gone.
            if isAgain, central.isTombstone, !planted(.againIgnored) {
                return gone(base: nil, mine: whole(row))
            }
            return Settlement(write: .insert(row), outcome: .applied)
        }
        let different = table.columns.indices.filter {
            !table.columns[$0].isGenerated && !table.columns[$0].type.equal(row[$0], current[$0])
        }
        if different.isEmpty { return Settlement(write: .none, outcome: .applied) }
        // Two inserts have no base and are never joined by column: one stands, the other is logged
        // whole.
        let mineWins = wins(rules.rule, isNewer)
        let conflict = Conflict(
            kind: .insertInsert, rule: rules.rule, base: nil, mine: whole(row),
            theirs: whole(current),
            result: whole(mineWins ? row : current))
        guard mineWins || planted(.insertsJoined) else {
            return Settlement(write: .none, outcome: .overruled, conflict: conflict)
        }
        let write = different.filter {
            !table.isKey($0) && (!planted(.insertsJoined) || mineWins || current[$0].isNull)
        }.map {
            StoredValue(column: $0, value: row[$0])
        }
        // A collation may hold two keys equal that differ by bytes: the key itself is never written.
        return Settlement(
            write: write.isEmpty ? .none : .update(write), outcome: .applied, conflict: conflict)
    }

    private func update(_ edits: [ColumnEdit], _ central: CentralRow, _ isNewer: Bool) -> Settlement
    {
        guard let current = central.values else {
            // An edit that was taken back asks for nothing; the answer says that the row is gone.
            if edits.isEmpty || planted(.goneUpdateDropped) {
                return Settlement(write: .none, outcome: .applied)
            }
            return gone(
                base: edits.map { .init(column: $0.column, value: $0.old) }, mine: mine(edits))
        }
        var write: [StoredValue] = []
        var conflicting: [ColumnEdit] = []
        var lost = 0
        var done = 0
        for edit in edits {
            let column = table.columns[edit.column]
            if column.isGenerated || column.type.equal(current[edit.column], edit.new) {
                done += 1
                continue
            }
            if !column.type.equal(current[edit.column], edit.old) {
                conflicting.append(edit)
                let rule = planted(.columnRuleIgnored) ? rules.rule : rules.rule(for: column.name)
                guard wins(rule, isNewer) || planted(.blindOverwrite) else {
                    lost += 1
                    continue
                }
            }
            write.append(StoredValue(column: edit.column, value: edit.new))
        }
        let outcome: Outcome.Kind =
            lost == 0 ? .applied : write.isEmpty && done == 0 ? .overruled : .merged
        return Settlement(
            write: write.isEmpty ? .none : .update(write), outcome: outcome,
            conflict: conflict(conflicting, current, written: write))
    }

    private func conflict(
        _ edits: [ColumnEdit], _ current: [Value], written: [StoredValue]
    ) -> Conflict? {
        guard let first = edits.first else { return nil }
        let result = edits.map { edit in
            written.first { $0.column == edit.column }
                ?? StoredValue(column: edit.column, value: current[edit.column])
        }
        return Conflict(
            kind: .updateUpdate, rule: rules.rule(for: table.columns[first.column].name),
            base: edits.map { .init(column: $0.column, value: $0.old) }, mine: mine(edits),
            theirs: edits.map { .init(column: $0.column, value: current[$0.column]) },
            result: result)
    }

    private func delete(_ before: [Value], _ central: CentralRow, _ isNewer: Bool) -> Settlement {
        guard let current = central.values else {
            return Settlement(write: .none, outcome: .applied)
        }
        let isUnchanged = table.columns.indices.allSatisfy {
            table.columns[$0].isGenerated || table.columns[$0].type.equal(before[$0], current[$0])
        }
        if isUnchanged { return Settlement(write: .delete, outcome: .applied) }
        let mineWins = wins(rules.rule, isNewer) || planted(.deleteUnjudged)
        let conflict = Conflict(
            kind: .deleteUpdate, rule: rules.rule, base: whole(before), mine: nil,
            theirs: whole(current),
            result: mineWins ? nil : whole(current))
        return mineWins
            ? Settlement(write: .delete, outcome: .applied, conflict: conflict)
            : Settlement(write: .none, outcome: .overruled, conflict: conflict)
    }

    private func gone(base: [StoredValue]?, mine: [StoredValue]) -> Settlement {
        let refusal = Refusal(
            code: .gone, message: "The row was deleted at the hub; your values are kept.")
        return Settlement(
            write: .none, outcome: .refused(refusal),
            conflict: Conflict(
                kind: .updateDelete, rule: nil, base: base, mine: mine, theirs: nil, result: nil))
    }

    private func mine(_ edits: [ColumnEdit]) -> [StoredValue] {
        edits.map { .init(column: $0.column, value: $0.new) }
    }

    private func whole(_ row: [Value]) -> [StoredValue] {
        row.enumerated().map { StoredValue(column: $0, value: $1) }
    }
}
