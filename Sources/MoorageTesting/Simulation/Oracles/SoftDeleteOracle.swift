import GRDB
import MoorageCore
import MoorageWire

/// Rows that are deleted by a deletion marker stay at the centre, and count as deleted (docs/reference/merge-rules.md, Deletes).
extension JudgedPush {
    private func marker(of table: String) -> String? { rules[table]?.softDelete }

    func isDeletionMarker(_ column: String, _ change: Change) -> Bool {
        marker(of: change.table) == column
    }

    /// Whether a row counts as deleted.
    func isSoftDeleted(_ row: [String: Value], in table: String) -> Bool {
        guard let value = marker(of: table).flatMap({ row[$0] }) else { return false }
        return !value.isNull && !value.means(.integer(0))
    }

    /// What a delete leaves as it was; `nil` where it removes the row.
    func withoutMarker(_ row: [String: Value], of table: String) -> [String: Value]? {
        guard let marker = marker(of: table) else { return nil }
        return row.filter { $0.key != marker }
    }

    /// Whether an update comes too late: the row is marked, and the update says nothing of that.
    func isRefusedAsDeleted(_ change: Change, _ row: [String: Value]) -> Bool {
        isSoftDeleted(row, in: change.table) && !editsMarker(change)
            && rules[change.table]?.updateOfDeleted == .refuse
    }

    /// Whether a row keeps nothing that refers to it, be it marked by this very batch.
    func countsAsDeleted(_ name: RowName) -> Bool {
        if let row = before.rows[name], isSoftDeleted(row, in: name.table) { return true }
        return batch.changes.contains { $0.rowName == name && editsMarker($0) }
    }

    private func editsMarker(_ change: Change) -> Bool {
        guard case .update(let edits) = change.operation, let marker = marker(of: change.table)
        else {
            return false
        }
        return edits.contains { $0.isChange && columns(change)[$0.column] == marker }
    }

    /// A pushed delete sets the deletion marker; a deletion marker goes only where an edit takes it away, or where the table brings
    /// back what is edited.
    ///
    /// - Returns: How many rows were marked, and how many came back.
    func checkSoftDeletes() throws -> (set: Int, cleared: Int) {
        // What is kept beside a row may take the place of another.
        guard rules.values.contains(where: { $0.softDelete != nil }), !keepsBoth else {
            return (0, 0)
        }
        var count = (set: 0, cleared: 0)
        for (change, outcome) in pairs where marker(of: change.table) != nil {
            guard !hidden.contains(change.rowName), !isRefused(outcome),
                let row = before.rows[change.rowName], let now = after.rows[change.rowName]
            else { continue }
            if case .delete = change.operation {
                if try checkDelete(change, outcome, row, now) { count.set += 1 }
            } else if isSoftDeleted(row, in: change.table), try checkReturn(change, row, now) {
                count.cleared += 1
            }
        }
        let changed = Set(batch.changes.map(\.rowName))
        for (name, row) in before.rows where !changed.contains(name) {
            guard let marker = marker(of: name.table), let now = after.rows[name],
                now[marker] != row[marker]
            else { continue }
            throw violation(name, "got another mark, and is not in the batch")
        }
        return count
    }

    /// - Returns: Whether the delete set the deletion marker.
    private func checkDelete(
        _ change: Change, _ outcome: Outcome, _ row: [String: Value], _ now: [String: Value]
    ) throws -> Bool {
        guard let marker = marker(of: change.table), !isSoftDeleted(row, in: change.table),
            outcome.kind == .applied
        else { return false }
        guard isSoftDeleted(now, in: change.table) else {
            throw violation(change.rowName, "was deleted, and is not marked")
        }
        guard case .text(let moment)? = now[marker], let time = times.place(change) else {
            return true
        }
        // A date is the beginning of its moment.
        let sql = "SELECT strftime('%Y-%m-%d %H:%M:%S', \(time / 1000), 'unixepoch')"
        let expected = try centre.write { try $0.rawRows(sql) }.first?.first
        guard case .text(let text)? = expected, text.prefix(moment.utf8.count) == moment.prefix(19)
        else { throw violation(change.rowName, "was deleted at \(time), and marked \(moment)") }
        return true
    }

    /// - Returns: Whether the row came back without an edit of the deletion marker.
    private func checkReturn(
        _ change: Change, _ row: [String: Value], _ now: [String: Value]
    ) throws -> Bool {
        guard let marker = marker(of: change.table), !editsMarker(change) else { return false }
        let names = columns(change)
        let asked: [(String, Value)] =
            switch change.operation {
            case .update(let edits):
                edits.filter { $0.isChange && !$0.isFill }.map { (names[$0.column], $0.new) }
            // The row says whether it is marked.
            case .insert(let values) where !names.contains(marker): Array(zip(names, values))
            case .insert, .delete, .refetch: []
            }
        let isWritten = asked.contains { row[$0.0] != now[$0.0] }
        let isClear = !isSoftDeleted(now, in: change.table)
        if isWritten, !isClear {
            throw violation(change.rowName, "was changed, and still counts as deleted")
        }
        // A write that changes nothing in the end may be one.
        if isClear, asked.allSatisfy({ row[$0.0]?.means($0.1) ?? true }), !namesMarker(change) {
            throw violation(change.rowName, "came back, and nothing brought it")
        }
        return isWritten
    }

    /// Whether a change says what the deletion marker is to be.
    private func namesMarker(_ change: Change) -> Bool {
        guard let marker = marker(of: change.table), columns(change).contains(marker) else {
            return false
        }
        return switch change.operation {
        case .insert: true
        case .update(let edits): edits.contains { columns(change)[$0.column] == marker }
        case .delete, .refetch: false
        }
    }

    private func violation(_ name: RowName, _ what: String) -> Violation {
        Violation(
            .softDelete,
            "batch \(batch.number): \(name.table) \(name.key.values.jsonText()) \(what)")
    }
}
