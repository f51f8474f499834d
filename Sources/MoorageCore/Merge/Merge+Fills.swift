/// Fills: what columns of the device had before they were synced (docs/reference/hub.md, Fills).
///
/// The hub fills the central row first, and then merges the edits with the filled row. So rules see
/// no fill, and a fill neither conflicts nor counts for the outcome.
extension Merge {
    /// The change without the fills that do not go in (V1).
    package func withoutLostFills(_ change: Change, against central: CentralRow) -> Change {
        change.keepingFills { goesIn($0, central) }
    }

    /// The fills that go in.
    func fills(of change: Change, _ central: CentralRow) -> [StoredValue] {
        change.fills.filter { goesIn($0, central) }.map {
            StoredValue(column: $0.column, value: $0.new)
        }
    }

    /// Whether the central value is what the device saw, and the fill changes it. A deletion marker
    /// takes no fill, because that would delete the row.
    private func goesIn(_ fill: ColumnEdit, _ central: CentralRow) -> Bool {
        let column = table.columns[fill.column]
        guard let theirs = central.values?[fill.column], !column.isGenerated,
            SoftDelete(rules, in: table)?.column != fill.column
        else { return false }
        return column.type.equal(theirs, fill.old) && !column.type.equal(theirs, fill.new)
    }
}

extension CentralRow {
    func filled(with fills: [StoredValue]) -> CentralRow {
        guard var row = values else { return self }
        for fill in fills { row[fill.column] = fill.value }
        return CentralRow(
            values: row, changedAt: changedAt, isTombstone: isTombstone, priority: priority)
    }
}

extension MergeResult {
    /// Writes the fills beside what the rules decided. They share the fate of a refused change. A
    /// row that is kept beside the central one has them already.
    ///
    /// The rules met the filled row. The conflict has the central row as it is, and as it remains.
    ///
    /// - Parameter central: The row before it was filled.
    func filled(with fills: [StoredValue], over central: CentralRow) -> MergeResult {
        let write = filling(with: fills)
        return MergeResult(
            write: write ?? self.write, outcome: outcome,
            conflict: conflict?.unfilled(fills, over: central, isWritten: write != nil))
    }

    /// The write with the fills; `nil` where they do not go into the central row.
    private func filling(with fills: [StoredValue]) -> Write? {
        if case .refused = outcome { return nil }
        switch write {
        case .none: return fills.isEmpty ? nil : .update(fills)
        case .update(let values):
            let named = Set(values.map(\.column))
            return .update(fills.filter { !named.contains($0.column) } + values)
        case .insert, .delete, .keepBoth: return nil
        }
    }
}

extension Conflict {
    /// The conflict with the central row's own values where the rules met fills.
    ///
    /// - Parameter isWritten: Whether the fills go into the central row, and remain there.
    fileprivate func unfilled(
        _ fills: [StoredValue], over central: CentralRow, isWritten: Bool
    ) -> Conflict {
        guard let row = central.values else { return self }
        let filled = Set(fills.map(\.column))
        func own(_ side: [StoredValue]?) -> [StoredValue]? {
            side?.map { stored in
                filled.contains(stored.column)
                    ? StoredValue(column: stored.column, value: row[stored.column]) : stored
            }
        }
        return Conflict(
            kind: kind, rule: rule, base: base, mine: mine, theirs: own(theirs),
            result: isWritten ? result : own(result))
    }
}
