extension Merge {
    func update(
        _ edits: [ColumnEdit], _ meeting: Meeting, _ resolve: Resolver
    ) rethrows -> MergeResult {
        // In a table merged by row, an unchanged column only tells what the device started from.
        let asked = edits.filter {
            rules.granularity == .column || !table.columns[$0.column].type.equal($0.old, $0.new)
        }
        guard let current = meeting.central.values else {
            // An edit that was reverted asks for nothing. The answer says that the row is gone.
            if asked.isEmpty {
                return MergeResult(write: .none, outcome: .applied)
            }
            guard case .resurrect = rules.updateOfDeleted else {
                return gone(base: old(edits), mine: new(edits))
            }
            let refusal = Refusal.deletedRowComesBack
            return MergeResult(write: .none, outcome: .refused(refusal))
        }
        if case .row = rules.granularity {
            return try updateRow(edits, asked, meeting, current, resolve)
        }
        return try updateColumns(asked, meeting, current, resolve)
    }

    private func old(_ edits: [ColumnEdit]) -> [StoredValue] {
        edits.map { .init(column: $0.column, value: $0.old) }
    }

    private func new(_ edits: [ColumnEdit]) -> [StoredValue] {
        edits.map { .init(column: $0.column, value: $0.new) }
    }

    private func isOpen(_ edit: ColumnEdit, _ current: [Value]) -> Bool {
        let column = table.columns[edit.column]
        return !column.isGenerated && !column.type.equal(current[edit.column], edit.new)
    }

    // MARK: Rows

    /// Merges the row as a whole.
    private func updateRow(
        _ edits: [ColumnEdit], _ asked: [ColumnEdit], _ meeting: Meeting, _ current: [Value],
        _ resolve: Resolver
    ) rethrows -> MergeResult {
        let open = asked.filter { isOpen($0, current) }
        if open.isEmpty { return MergeResult(write: .none, outcome: .applied) }
        let differing = edits.filter {
            isOpen($0, current) && !table.columns[$0.column].type.equal(current[$0.column], $0.old)
        }
        if differing.isEmpty { return MergeResult(write: .update(new(open)), outcome: .applied) }
        let sides = Sides(
            kind: .updateUpdate, base: old(edits), mine: new(edits),
            columns: differing.map(\.column))
        let rule = rules.rowRule
        let write = new(edits.filter { isOpen($0, current) })
        switch rule {
        case .keepBoth: return keepBoth(row(current, with: edits), sides, current)
        case .handler:
            return try ask(rule, sides, meeting, current, resolve) { .update(write) }
        default: break
        }
        let mineWins = wins(rule, meeting)
        let conflict = Conflict(
            kind: .updateUpdate, rule: rule, base: sides.base, mine: sides.mine,
            theirs: whole(current),
            result: whole(mineWins ? row(current, with: edits) : current))
        return mineWins
            ? MergeResult(write: .update(write), outcome: .applied, conflict: conflict)
            : MergeResult(write: .none, outcome: .overruled, conflict: conflict)
    }

    private func row(_ current: [Value], with edits: [ColumnEdit]) -> [Value] {
        var row = current
        for edit in edits where !table.columns[edit.column].isGenerated {
            row[edit.column] = edit.new
        }
        return row
    }

    // MARK: Columns

    /// What happens to one column.
    private enum Verdict {
        /// Nothing is left to write.
        case done
        case mine
        case theirs
        case combined(Value)
        /// The merge asks the table's handler once, for all such columns.
        case handler
        case keepBoth
        case refused(Refusal)
    }

    private func updateColumns(
        _ edits: [ColumnEdit], _ meeting: Meeting, _ current: [Value], _ resolve: Resolver
    ) rethrows -> MergeResult {
        var write: [StoredValue] = []
        var logged: [ColumnEdit] = []
        var (lost, done, combined) = (0, 0, 0)
        var forHandler: [ColumnEdit] = []
        for edit in edits {
            let rule = rules.rule(for: table.columns[edit.column].name)
            let verdict = try self.verdict(edit, rule, meeting, current, resolve)
            if isConflict(verdict, edit, rule, meeting, current) { logged.append(edit) }
            switch verdict {
            case .done: done += 1
            case .mine: write.append(StoredValue(column: edit.column, value: edit.new))
            case .theirs: lost += 1
            case .combined(let value):
                combined += 1
                write += changes([StoredValue(column: edit.column, value: value)], current)
            case .handler: forHandler.append(edit)
            case .keepBoth:
                let sides = Sides(
                    kind: .updateUpdate, base: old(edits), mine: new(edits),
                    columns: edits.filter { isOpen($0, current) }.map(\.column))
                return keepBoth(row(current, with: edits), sides, current)
            case .refused(let refusal):
                let sides = Sides(
                    kind: .refused, base: old(edits), mine: new(edits), columns: [edit.column])
                return refused(refusal, sides, rule, current)
            }
        }
        if !forHandler.isEmpty {
            let sides = Sides(
                kind: .updateUpdate, base: old(edits), mine: new(edits),
                columns: forHandler.map(\.column))
            let decided = try ask(rules.rule, sides, meeting, current, resolve) {
                .update(new(forHandler))
            }
            return join(decided, with: write, current)
        }
        let outcome: Outcome.Kind =
            lost == 0 && combined == 0
            ? .applied : write.isEmpty && done == 0 && combined == 0 ? .overruled : .merged
        return MergeResult(
            write: write.isEmpty ? .none : .update(write), outcome: outcome,
            conflict: conflict(logged, current, written: write))
    }

    private func verdict(
        _ edit: ColumnEdit, _ rule: MergeRule, _ meeting: Meeting, _ current: [Value],
        _ resolve: Resolver
    ) rethrows -> Verdict {
        let column = table.columns[edit.column]
        let theirs = current[edit.column]
        if column.isGenerated { return .done }
        if case .add = rule {
            // The hub cannot tell whether it added this change under the other name (decision
            // 0016).
            if meeting.change.isAgain { return .theirs }
        } else if column.type.equal(theirs, edit.new) {
            return .done
        }
        if column.type.equal(theirs, edit.old) { return .mine }
        switch rule {
        case .keepBoth: return .keepBoth
        case .handler where rules.columns[column.name] == nil: return .handler
        case .handler, .expression:
            return try ask(rule, about: edit, meeting, current, resolve)
        case .add, .max, .min, .union, .text:
            let merged = ValueMerge(
                rule, column.type, base: edit.old, mine: edit.new, theirs: theirs)
            switch merged {
            case .undecided: break
            case .overflow:
                return .refused(.overflow(column, of: table))
            case .value(let value):
                switch rule {
                // A union that the central value already contains loses nothing. A text may again
                // have lines that one side deleted, so the merge logs it.
                case .union where column.type.equal(value, theirs): return .done
                case .text where column.type.equal(value, theirs) && meeting.change.isAgain:
                    return .done
                case .union, .text: return .combined(value)
                case .add: return .combined(value)
                default: return column.type.equal(value, theirs) ? .theirs : .mine
                }
            }
        case .newest, .server, .client: break
        }
        return wins(rule, meeting) ? .mine : .theirs
    }

    /// Asks about one column that has a rule of its own.
    private func ask(
        _ rule: MergeRule, about edit: ColumnEdit, _ meeting: Meeting, _ current: [Value],
        _ resolve: Resolver
    ) rethrows -> Verdict {
        let sides = Sides(
            kind: .updateUpdate, base: old([edit]), mine: new([edit]), columns: [edit.column])
        switch try resolve(rule, question(sides, meeting, current)) {
        case .mine: return .mine
        case .theirs: return .theirs
        case .reject(let reason): return .refused(Refusal(code: .rule, message: reason))
        case .values(let values):
            switch answered(values, by: rule, among: [edit.column]) {
            case .failure(let error): return .refused(error.refusal)
            case .success(let write):
                let type = table.columns[edit.column].type
                guard let value = write.first?.value,
                    !type.equal(value, current[edit.column])
                else { return .theirs }
                return type.equal(value, edit.new) ? .mine : .combined(value)
            }
        }
    }

    /// Whether the conflict log must keep both values. A sum and a union of sets lose nothing.
    private func isConflict(
        _ verdict: Verdict, _ edit: ColumnEdit, _ rule: MergeRule, _ meeting: Meeting,
        _ current: [Value]
    ) -> Bool {
        switch verdict {
        case .done, .handler, .keepBoth, .refused: false
        case .theirs: true
        case .mine: !table.columns[edit.column].type.equal(current[edit.column], edit.old)
        case .combined: rule != .add && rule != .union
        }
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
            base: old(edits), mine: new(edits),
            theirs: edits.map { .init(column: $0.column, value: current[$0.column]) },
            result: result)
    }

    /// Joins the handler's decision with the columns that it was not asked about.
    private func join(
        _ decided: MergeResult, with write: [StoredValue], _ current: [Value]
    ) -> MergeResult {
        if case .refused = decided.outcome { return decided }
        var answered: [StoredValue] = []
        if case .update(let values) = decided.write { answered = values }
        let named = Set(answered.map(\.column))
        let all = write.filter { !named.contains($0.column) } + answered
        let outcome: Outcome.Kind =
            decided.outcome == .overruled && !write.isEmpty ? .merged : decided.outcome
        return MergeResult(
            write: all.isEmpty ? .none : .update(all), outcome: outcome,
            conflict: decided.conflict)
    }
}
