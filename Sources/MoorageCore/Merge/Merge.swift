/// Merges one pushed change with the central row, by value (docs/reference/hub.md, Merging). It is
/// a pure function of its fields, its arguments and the answers of the owner's rules.
///
/// A merge is idempotent: a change that is merged again changes nothing, so a repeated push is
/// harmless. `add`, and `keepBoth` with integer keys, are exceptions. Only the batch's number and
/// the flag `again` make them harmless (decision 0016).
package struct Merge: Sendable {
    /// Answers for a rule that is a handler or an expression.
    package typealias Resolver = (MergeRule, MergeQuestion) throws -> MergeAnswer

    package let table: TableDescription
    package let rules: TableRules

    package init(table: TableDescription, rules: TableRules) {
        self.table = table
        self.rules = rules
    }

    /// Merges without a database and without a time limit, for changes that only Swift decides.
    ///
    /// - Parameter editedAt: When the change was made, on the hub's clock.
    package func merge(_ change: Change, against central: CentralRow, editedAt: HubTime)
        -> MergeResult
    {
        merge(change, against: central, from: ChangeOrigin(editedAt: editedAt)) { rule, question in
            guard case .handler(let handler) = rule else {
                return .ruleNeedsDatabase(rule)
            }
            return (try? handler.decide(question)) ?? .ruleFailed(rule)
        }
    }

    /// - Parameters:
    ///   - origin: Who made the change, and when.
    ///   - resolve: Asks a handler or an expression.
    package func merge(
        _ change: Change, against central: CentralRow, from origin: ChangeOrigin, resolve: Resolver
    ) rethrows -> MergeResult {
        guard change.hasFills else { return try mergeEdits(change, central, origin, resolve) }
        let fills = fills(of: change, central)
        return try mergeEdits(
            change.keepingFills { _ in false }, central.filled(with: fills), origin, resolve
        ).filled(with: fills, over: central)
    }

    private func mergeEdits(
        _ change: Change, _ central: CentralRow, _ origin: ChangeOrigin, _ resolve: Resolver
    ) rethrows -> MergeResult {
        let meeting = Meeting(
            change: change, central: central, origin: origin,
            isNewer: isNewer(change, central, origin))
        switch change.operation {
        case .refetch: return MergeResult(write: .none, outcome: .applied)
        case .insert(let row): return try insert(row, meeting, resolve)
        case .update(let edits): return try update(edits, meeting, resolve)
        case .delete(let before): return try delete(before, meeting, resolve)
        }
    }

    /// A change and the central row that it meets.
    struct Meeting {
        let change: Change
        let central: CentralRow
        let origin: ChangeOrigin
        /// Decided by priority, then by time.
        let isNewer: Bool
    }

    func wins(_ rule: MergeRule, _ meeting: Meeting) -> Bool {
        switch rule {
        case .server: false
        case .client: true
        // `newest`, and each rule of values that could not decide.
        default: meeting.isNewer
        }
    }

    private func isNewer(_ change: Change, _ central: CentralRow, _ origin: ChangeOrigin) -> Bool {
        if origin.priority == central.priority,
            let isNewer = isNewerByOwnTime(change, central)
        {
            return isNewer
        }
        return origin.isNewer(than: central)
    }

    /// Compares the table's own time column. `nil` where the table has no such column, or the
    /// change does not write it.
    private func isNewerByOwnTime(_ change: Change, _ central: CentralRow) -> Bool? {
        guard let column = rules.time.flatMap({ table.column(named: $0) }),
            let theirs = central.values?[column]
        else { return nil }
        switch change.operation {
        case .insert(let row): return table.columns[column].type.isBefore(theirs, row[column])
        case .update(let edits):
            guard let mine = edits.first(where: { $0.column == column && $0.isChange })?.new
            else { return nil }
            return table.columns[column].type.isBefore(theirs, mine)
        case .delete, .refetch: return nil
        }
    }

    // MARK: Inserts

    private func insert(
        _ row: [Value], _ meeting: Meeting, _ resolve: Resolver
    ) rethrows -> MergeResult {
        guard let current = meeting.central.values else {
            // The change was sent before under another name. If its row was deleted since, it stays
            // deleted.
            if meeting.change.isAgain, meeting.central.isTombstone {
                return gone(base: nil, mine: whole(row))
            }
            return MergeResult(write: .insert(row), outcome: .applied)
        }
        let different = table.columns.indices.filter {
            !table.columns[$0].isGenerated && !table.columns[$0].type.equal(row[$0], current[$0])
        }
        if different.isEmpty { return MergeResult(write: .none, outcome: .applied) }
        // Two inserts have no base, so their columns never join. One row wins, and the conflict log
        // has both rows whole.
        let sides = Sides(
            kind: .insertInsert, base: nil, mine: whole(row), columns: different)
        switch rules.insertRule {
        case .keepBoth: return keepBoth(row, sides, current)
        case .handler:
            return try ask(rules.insertRule, sides, meeting, current, resolve) {
                .update(writable(different, row))
            }
        default: break
        }
        let mineWins = wins(rules.insertRule, meeting)
        let conflict = Conflict(
            kind: .insertInsert, rule: rules.insertRule, base: nil, mine: whole(row),
            theirs: whole(current), result: whole(mineWins ? row : current))
        guard mineWins else {
            return MergeResult(write: .none, outcome: .overruled, conflict: conflict)
        }
        let write = writable(different, row)
        return MergeResult(
            write: write.isEmpty ? .none : .update(write), outcome: .applied, conflict: conflict)
    }

    /// A collation may treat two keys with different bytes as equal. The key itself is never
    /// written.
    private func writable(_ columns: [Int], _ row: [Value]) -> [StoredValue] {
        columns.filter { !table.isKey($0) }.map { StoredValue(column: $0, value: row[$0]) }
    }

    // MARK: Deletes

    private func delete(
        _ before: [Value], _ meeting: Meeting, _ resolve: Resolver
    ) rethrows -> MergeResult {
        guard let current = meeting.central.values else {
            return MergeResult(write: .none, outcome: .applied)
        }
        let different = table.columns.indices.filter {
            !table.columns[$0].isGenerated && !table.columns[$0].type.equal(before[$0], current[$0])
        }
        if different.isEmpty { return MergeResult(write: .delete, outcome: .applied) }
        let rule = rules.deleteRule
        if case .handler = rule {
            let sides = Sides(
                kind: .deleteUpdate, base: whole(before), mine: nil, columns: different)
            return try ask(rule, sides, meeting, current, resolve) { .delete }
        }
        let mineWins = wins(rule, meeting)
        let conflict = Conflict(
            kind: .deleteUpdate, rule: rule, base: whole(before), mine: nil, theirs: whole(current),
            result: mineWins ? nil : whole(current))
        return mineWins
            ? MergeResult(write: .delete, outcome: .applied, conflict: conflict)
            : MergeResult(write: .none, outcome: .overruled, conflict: conflict)
    }

    func gone(base: [StoredValue]?, mine: [StoredValue]) -> MergeResult {
        MergeResult(
            write: .none, outcome: .refused(.rowDeleted),
            conflict: Conflict(
                kind: .updateDelete, rule: nil, base: base, mine: mine, theirs: nil, result: nil))
    }

    func whole(_ row: [Value]) -> [StoredValue] {
        row.enumerated().map { StoredValue(column: $0, value: $1) }
    }
}
