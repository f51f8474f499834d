/// Folds the log of one row into a local change, entry by entry in the order of the log (docs/design.md,
/// 4).
///
/// | recorded so far | then | becomes |
/// |---|---|---|
/// | – | insert, update, delete | insert, update, delete |
/// | insert | update | insert |
/// | insert | delete | touch |
/// | update | update | update; the first old value of each column stays |
/// | update | delete | delete; its row has the first old values |
/// | delete | insert, or update and insert | update, with the deleted row as before-image |
/// | touch | insert | insert |
///
/// An update that changed no column records nothing. A candidate becomes a delete when the row was
/// inserted next, or is gone at the end, without a delete of its own: `REPLACE` fires no delete
/// trigger.
public struct LocalChangeFolding: Sendable {
    private var kind: LocalChange.Kind?
    private var at: DeviceTime = 0
    private var isAgain = false
    private var candidate: (row: [Value], at: DeviceTime)?
    /// A candidate that was followed by updates, and what the log said before them. The key's own
    /// cascade reaches the row that takes a replaced key before that row is recorded.
    private var passed: (row: [Value], kind: LocalChange.Kind?)?
    /// An update was the first to tell that a deleted row is there again: the key's own cascade, or a
    /// trigger of the app's, came before the row's local change.
    private var isBackUnrecorded = false

    public init() {}

    public mutating func add(_ entry: LogEntry) {
        switch entry.kind {
        case .candidate(let row):
            if candidate == nil { candidate = (row, entry.at) }
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
        case .update(let old):
            if let candidate { passed = (candidate.row, kind) }
            if old.isEmpty && kind == nil {
                candidate = nil
                return
            }
            update(old)
        case .delete(let row):
            passed = nil
            delete(row)
        }
        candidate = nil
        at = max(at, entry.at)
        isAgain = isAgain || entry.isAgain
    }

    /// The local change, or `nil` when the log says nothing of the row.
    ///
    /// - Parameter exists: Whether the row is in the table now; it decides what a last candidate
    ///   was.
    public func localChange(exists: Bool) -> LocalChange? {
        var copy = self
        if let replaced = candidate, !exists, !isGone {
            copy.delete(replaced.row)
            copy.at = max(at, replaced.at)
        }
        return copy.kind.map { LocalChange(kind: $0, at: copy.at, isAgain: copy.isAgain) }
    }

    /// Whether ``localChange(exists:)`` depends on the row's existence.
    public var hasOpenCandidate: Bool { candidate != nil }

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
            kind = .update(row.enumerated().map { OldValue(column: $0, value: $1) })
        case .update where isBackUnrecorded: break
        // It went in between without a local change, with a page or by a cascade: what is here now is new.
        case .update: kind = .insert
        }
        isBackUnrecorded = false
    }

    private mutating func update(_ old: [OldValue]) {
        switch kind {
        case nil: kind = .update(old.sorted { $0.column < $1.column })
        case .update(let first): kind = .update(Self.merged(first, old))
        // A row that the log holds for deleted was updated: it is there again, made while no
        // trigger looked, or not recorded yet.
        case .delete, .refetch:
            insert()
            isBackUnrecorded = true
        case .insert: break
        }
    }

    private mutating func delete(_ row: [Value]) {
        isBackUnrecorded = false
        switch kind {
        case nil: kind = .delete(row)
        case .insert: kind = .refetch
        case .update(let first):
            var before = row
            for old in first
            where before.indices.contains(old.column) {
                before[old.column] = old.value
            }
            kind = .delete(before)
        case .delete, .refetch: break
        }
    }

    private static func merged(_ first: [OldValue], _ later: [OldValue]) -> [OldValue] {
        var result = first
        for old in later where !first.contains(where: { $0.column == old.column }) {
            result.append(old)
        }
        return result.sorted { $0.column < $1.column }
    }
}
