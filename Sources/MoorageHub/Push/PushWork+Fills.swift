import MoorageCore

/// Fills: what columns of a device had before they were synced.
extension PushWork {
    /// The changes without the fills that do not go in. Refusals, logs and the audit trail know
    /// nothing of those: nobody asked for them.
    mutating func withoutLostFills(_ changes: [ResolvedChange]) -> [ResolvedChange] {
        guard changes.contains(where: { batch.changes[$0.index].hasFills }) else { return changes }
        var left: [ResolvedChange] = []
        for change in changes {
            guard batch.changes[change.index].hasFills else {
                left.append(change)
                continue
            }
            let table = change.table
            let merge = Merge(
                table: table.restricted, rules: configuration.rules(for: table.attached.name))
            let taken = merge.withoutLostFills(change.change, against: fillable(change))
            takenWithFills[change.index] = taken
            left.append(change.taken(as: taken))
        }
        return left
    }

    /// A change as the hub takes it. One that is refused unread has no fills: whether they would go
    /// in is not known.
    func taken(_ index: Int) -> Change {
        takenWithFills[index] ?? batch.changes[index].keepingFills { _ in false }
    }

    /// The change without the fills that were left out since it was read.
    func asTaken(_ change: ResolvedChange) -> ResolvedChange {
        takenWithFills[change.index].map { change.taken(as: $0) } ?? change
    }

    /// Decides and writes. Some fills show only then that the user may not write them. Such a fill
    /// takes the row out of the user's scopes, or refers to a row that the user cannot see. The hub
    /// decides its change once more without fills, so that the edits go in.
    ///
    /// A row that does not exist must look like one that the user cannot see. So every reference
    /// that leads nowhere counts.
    ///
    /// - Returns: What was written.
    mutating func writeFilling(_ changes: [ResolvedChange]) throws -> [WriteOperation] {
        guard changes.contains(where: { $0.change.hasFills }) else { return try writeAll(changes) }
        var left = changes
        while true {
            var attempt = self
            try connection.savepoint()
            let written = try attempt.writeAll(left)
            let refused = left.filter { attempt.mayNotFill($0) }
            if refused.isEmpty {
                try connection.releaseSavepoint()
                self = attempt
                return written
            }
            // Each round leaves out the fills of at least one more change.
            try connection.rollbackToSavepoint()
            for change in refused {
                takenWithFills[change.index] = change.change.keepingFills { _ in false }
            }
            left = left.map { asTaken($0) }
        }
    }

    /// Whether a change was refused for what a fill may be at fault.
    private func mayNotFill(_ change: ResolvedChange) -> Bool {
        guard change.change.hasFills, case .refused(let refusal)? = outcomes[change.index]?.kind
        else { return false }
        return refusal.code == .permission || refusal.code == .foreignKey
    }

    /// Whether an operation writes nothing but fills. It is no edit, so it leaves the row's time
    /// and priority as they are, and keeps no row from a delete. Another value in a filled column
    /// is what a rule made of an edit.
    func isFill(_ operation: WriteOperation, by change: ResolvedChange?) -> Bool {
        guard operation.kind == .update, let change, change.change.hasFills else { return false }
        var filled: [Int: Value] = [:]
        for fill in change.change.fills { filled[change.table.columns[fill.column]] = fill.new }
        // A fill that refers to a rekeyed row follows it.
        for stored in redirected[change.index, default: []] {
            let column = change.table.columns[stored.column]
            if filled[column] != nil { filled[column] = stored.value }
        }
        let columns = operation.table.description.columns
        return zip(operation.columns, operation.values).allSatisfy { column, value in
            guard let fill = filled[column] else { return false }
            return columns[column].type.equal(fill, value)
        }
    }

    /// The row that a fill meets. A soft-deleted one counts as gone, even where an update may bring
    /// it back: only an edit does that.
    private func fillable(_ change: ResolvedChange) -> CentralRow {
        let row = known(change)
        if let marker = softDelete(change.table.attached), let values = row.values,
            marker.isSoftDeleted(values)
        {
            return .absent
        }
        return restricted(row, change.table)
    }
}
