extension Merge {
    /// What the conflict log records of the two sides.
    struct Sides {
        let kind: Conflict.Kind
        let base: [StoredValue]?
        let mine: [StoredValue]?
        /// The columns that both sides changed.
        let columns: [Int]
    }

    /// Keeps the central row and inserts `row` beside it.
    func keepBoth(_ row: [Value], _ sides: Sides, _ current: [Value]) -> MergeResult {
        MergeResult(
            write: .keepBoth(row), outcome: .merged,
            conflict: Conflict(
                kind: sides.kind, rule: .keepBoth, base: sides.base, mine: sides.mine,
                theirs: whole(current), result: whole(current)))
    }

    /// Asks the owner's handler about a whole row.
    ///
    /// - Parameter mine: What is written when the replica's change wins.
    func ask(
        _ rule: MergeRule, _ sides: Sides, _ meeting: Meeting, _ current: [Value],
        _ resolve: Resolver, mine: () -> MergeResult.Write
    ) rethrows -> MergeResult {
        func conflict(_ result: [StoredValue]?) -> Conflict {
            Conflict(
                kind: sides.kind, rule: rule, base: sides.base, mine: sides.mine,
                theirs: whole(current), result: result)
        }
        switch try resolve(rule, question(sides, meeting, current)) {
        case .mine:
            let write = mine()
            return MergeResult(
                write: write, outcome: .applied,
                conflict: conflict(write == .delete ? nil : whole(written(write, over: current))))
        case .theirs:
            return MergeResult(
                write: .none, outcome: .overruled, conflict: conflict(whole(current)))
        case .values(let values):
            switch answered(values, by: rule, among: Array(table.columns.indices)) {
            case .failure(let refusal): return refused(refusal, sides, rule, current)
            case .success(let write):
                let changed = changes(write, current)
                return MergeResult(
                    write: changed.isEmpty ? .none : .update(changed), outcome: .merged,
                    conflict: conflict(whole(written(.update(changed), over: current))))
            }
        case .reject(let reason):
            return refused(Refusal(code: .rule, message: reason), sides, rule, current)
        }
    }

    func question(_ sides: Sides, _ meeting: Meeting, _ current: [Value]) -> MergeQuestion {
        MergeQuestion(
            kind: sides.kind, table: table.name, key: meeting.change.key,
            columns: sides.columns.map { table.columns[$0].name },
            base: sides.base.map { NamedValues($0, in: table) },
            mine: sides.mine.map { NamedValues($0, in: table) },
            theirs: NamedValues(whole(current), in: table), origin: meeting.origin,
            theirsChangedAt: meeting.central.changedAt)
    }

    func refused(
        _ refusal: Refusal, _ sides: Sides, _ rule: MergeRule, _ current: [Value]
    ) -> MergeResult {
        MergeResult(
            write: .none, outcome: .refused(refusal),
            conflict: Conflict(
                kind: .refused, rule: rule, base: sides.base, mine: sides.mine,
                theirs: whole(current), result: whole(current)))
    }

    /// The values of a rule's answer, by column position.
    ///
    /// - Parameter allowed: The columns that the rule may set.
    func answered(
        _ values: NamedValues, by rule: MergeRule, among allowed: [Int]
    ) -> Result<[StoredValue], AnswerRefused> {
        var write: [StoredValue] = []
        for (name, value) in zip(values.columns, values.values) {
            guard let column = table.column(named: name), allowed.contains(column),
                !table.isKey(column), !table.columns[column].isGenerated,
                !write.contains(where: { $0.column == column })
            else {
                return .failure(
                    AnswerRefused(refusal: .forbiddenColumn(name, of: table, setBy: rule)))
            }
            guard table.columns[column].type.accepts(value), value.isFinite else {
                return .failure(
                    AnswerRefused(
                        refusal: .wrongType(
                            value, for: table.columns[column], of: table, setBy: rule)))
            }
            write.append(StoredValue(column: column, value: value))
        }
        return .success(write)
    }

    /// The values that change the row.
    func changes(_ write: [StoredValue], _ current: [Value]) -> [StoredValue] {
        write.filter { !table.columns[$0.column].type.equal(current[$0.column], $0.value) }
    }

    private func refused(
        _ refused: AnswerRefused, _ sides: Sides, _ rule: MergeRule, _ current: [Value]
    ) -> MergeResult {
        self.refused(refused.refusal, sides, rule, current)
    }

    private func written(_ write: MergeResult.Write, over row: [Value]) -> [Value] {
        guard case .update(let values) = write else { return row }
        var row = row
        for stored in values { row[stored.column] = stored.value }
        return row
    }
}

extension Value {
    fileprivate var isFinite: Bool {
        if case .real(let number) = self { number.isFinite } else { true }
    }
}

/// An answer that the merge cannot apply.
struct AnswerRefused: Error { let refusal: Refusal }
