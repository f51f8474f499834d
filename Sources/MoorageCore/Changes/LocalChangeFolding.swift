/// Folds the log of one row into a local change, entry by entry in the order of the log
/// (docs/reference/client.md, Folding).
///
/// | recorded so far | then | becomes |
/// |---|---|---|
/// | – | insert, update, delete | insert, update, delete |
/// | insert | update | insert |
/// | insert | delete | refetch; if the insert was sent before, a delete of the row as it was sent |
/// | update | update | update; the first old value of each column stays |
/// | update | delete | delete; its row has the first old values |
/// | delete | insert, or update and insert | update, with the deleted row as before-image; columns that the table got since are not in it |
/// | refetch | insert | insert |
/// | – | fill | update with the fill |
/// | update | fill | update; the fill joins it, or says what the hub had before an edit |
/// | fill | update of its column | update with an edit, and the fill's old value |
/// | delete | fill | delete; its row has what the hub had |
/// | insert, refetch | fill | as before |
///
/// A fill is no edit, so it does not make one newer.
///
/// An update that changed no column records nothing. A candidate becomes a delete when an insert of
/// the row follows. It also becomes one when the row is gone at the end without a delete of its
/// own. The reason is that `REPLACE` fires no delete trigger.
package struct LocalChangeFolding: Sendable {
    private var kind: LocalChange.Kind?
    /// Of the row in a `.delete`: see ``LogEntry/unknownColumns``.
    private var unknown: Set<Int> = []
    private var at: DeviceTime = 0
    private var isAgain = false
    /// If the last insert was sent before, what updates changed since.
    private var sinceSent: [OldValue]?
    private var candidate: (row: GoneRow, at: DeviceTime)?
    /// A candidate that updates followed, with what the log said before them. The cascade of a
    /// replaced key can update the row that takes the key before that row's insert is recorded.
    private var passed: (row: GoneRow, kind: LocalChange.Kind?)?
    /// An update was the first log entry to show that a deleted row exists again. The key's own
    /// cascade, or a trigger of the app, wrote it before the row's own log entry.
    private var isBackUnrecorded = false

    private struct GoneRow {
        let values: [Value]
        let unknown: Set<Int>
    }

    package init() {}

    package mutating func add(_ entry: LogEntry) {
        switch entry.kind {
        case .candidate(let row):
            if candidate == nil { candidate = (goneRow(row, entry), entry.at) }
            return
        case .insert:
            if let replaced = candidate {
                delete(replaced.row)
            } else if let passed {
                kind = passed.kind
                delete(passed.row)
            }
            passed = nil
            insert()
            sinceSent = entry.isAgain ? [] : nil
        case .update(let old):
            if let candidate { passed = (candidate.row, kind) }
            if old.isEmpty && kind == nil {
                candidate = nil
                return
            }
            update(old)
        case .fill(let old):
            candidate = nil
            if kind == nil { at = max(at, entry.at) }
            isAgain = isAgain || entry.isAgain
            fill(old)
            return
        case .delete(let row):
            passed = nil
            delete(goneRow(row, entry))
        }
        candidate = nil
        at = max(at, entry.at)
        isAgain = isAgain || entry.isAgain
    }

    private func goneRow(_ values: [Value], _ entry: LogEntry) -> GoneRow {
        GoneRow(values: values, unknown: entry.unknownColumns)
    }

    /// The local change, or `nil` when the log records nothing for the row.
    ///
    /// - Parameter exists: Whether the row is in the table now. This decides what a candidate at
    ///   the end of the log means.
    package func localChange(exists: Bool) -> LocalChange? {
        var copy = self
        if let replaced = candidate, !exists, !isGone {
            copy.delete(replaced.row)
            copy.at = max(at, replaced.at)
        }
        return copy.kind.map { LocalChange(kind: $0, at: copy.at, isAgain: copy.isAgain) }
    }

    /// Whether ``localChange(exists:)`` depends on the row's existence.
    package var hasOpenCandidate: Bool { candidate != nil }

    private var isGone: Bool {
        switch kind {
        case .delete, .refetch: true
        case .insert, .update, nil: false
        }
    }

    private mutating func insert() {
        switch kind {
        case nil, .refetch, .insert: kind = .insert
        case .delete(let row):
            kind = .update(
                row.enumerated().filter { !unknown.contains($0.offset) }
                    .map { OldValue(column: $0.offset, value: $0.element) })
        case .update where isBackUnrecorded: break
        // The row was removed in between without a log entry, by a page or a cascade. The row that
        // is here now is new.
        case .update: kind = .insert
        }
        isBackUnrecorded = false
    }

    private mutating func update(_ old: [OldValue]) {
        switch kind {
        case nil: kind = .update(old.sorted { $0.column < $1.column })
        case .update(let first): kind = .update(Self.merged(first, old))
        // The log has the row as deleted, but an update shows that it exists again. No trigger saw
        // its insert, or the insert is not recorded yet.
        case .delete, .refetch:
            insert()
            isBackUnrecorded = true
        case .insert: sinceSent = sinceSent.map { Self.merged($0, old) }
        }
    }

    private mutating func fill(_ hub: [OldValue]) {
        let fills = hub.map { OldValue(column: $0.column, value: $0.value, isFill: true) }
        switch kind {
        case nil: kind = .update(fills.sorted { $0.column < $1.column })
        case .update(let first): kind = .update(Self.filled(first, fills))
        case .delete(var row):
            for fill in fills where row.indices.contains(fill.column) {
                row[fill.column] = fill.value
                unknown.remove(fill.column)
            }
            kind = .delete(row)
        case .insert, .refetch: break
        }
    }

    private mutating func delete(_ row: GoneRow) {
        isBackUnrecorded = false
        switch kind {
        case nil: gone(row, before: [])
        case .insert:
            // The hub may have taken the insert, and a refetch would bring the row back.
            if let sinceSent { gone(row, before: sinceSent) } else { kind = .refetch }
        case .update(let first): gone(row, before: first)
        case .delete, .refetch: break
        }
    }

    private mutating func gone(_ row: GoneRow, before changes: [OldValue]) {
        kind = .delete(Self.row(row.values, before: changes))
        unknown = row.unknown.subtracting(changes.map(\.column))
    }

    /// A row as it was before some of its columns changed.
    private static func row(_ row: [Value], before changes: [OldValue]) -> [Value] {
        var before = row
        for old in changes where before.indices.contains(old.column) {
            before[old.column] = old.value
        }
        return before
    }

    private static func merged(_ first: [OldValue], _ later: [OldValue]) -> [OldValue] {
        // A filled column was edited: the edit begins with what the hub has.
        joined(first, later) { known, old in
            OldValue(
                column: known.column, value: known.value, isFill: known.isFill && old.isFill)
        }
    }

    /// Adds fills. If a column was edited already, its edit began with a value that the hub never
    /// had.
    private static func filled(_ first: [OldValue], _ fills: [OldValue]) -> [OldValue] {
        joined(first, fills) { known, fill in
            OldValue(column: known.column, value: fill.value, isFill: known.isFill)
        }
    }

    /// The old values of both, one for each column.
    ///
    /// - Parameter both: The old value of a column that is in both.
    private static func joined(
        _ first: [OldValue], _ later: [OldValue], both: (OldValue, OldValue) -> OldValue
    ) -> [OldValue] {
        var result = first
        for old in later {
            if let place = result.firstIndex(where: { $0.column == old.column }) {
                result[place] = both(result[place], old)
            } else {
                result.append(old)
            }
        }
        return result.sorted { $0.column < $1.column }
    }
}
