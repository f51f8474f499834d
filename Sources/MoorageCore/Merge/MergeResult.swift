/// How one pushed change meets the central row: what to write, what to answer, what to log.
package struct MergeResult: Hashable, Sendable {
    /// What is written to the central row. Columns are positions in the table.
    package enum Write: Hashable, Sendable {
        case none
        case insert([Value])
        /// The columns to set, with their values.
        case update([StoredValue])
        case delete
        /// The central row stays, and this row is inserted beside it under a key of its own.
        case keepBoth([Value])
    }

    package let write: Write
    package let outcome: Outcome.Kind
    package let conflict: Conflict?

    package init(write: Write, outcome: Outcome.Kind, conflict: Conflict? = nil) {
        self.write = write
        self.outcome = outcome
        self.conflict = conflict
    }
}

/// A pair of changes that contradict each other. Each side is a list of columns with values; `nil`
/// means that there is no row.
public struct Conflict: Hashable, Sendable {
    /// Which changes met: the replica's first, the central one second.
    public enum Kind: String, Hashable, Sendable {
        /// Both sides inserted a row with the same key, and the rows differ.
        case insertInsert
        /// Both sides changed the row.
        case updateUpdate
        /// The replica changed, or inserted again, a row that was deleted centrally.
        case updateDelete
        /// The replica deleted a row that changed centrally. Also each row that a delete's cascade
        /// removed, and that the replica did not delete itself.
        case deleteUpdate
        /// The hub refused the change for another reason, such as a constraint, a right or a rule.
        case refused
    }

    /// Which changes met.
    public let kind: Kind
    /// The rule that decided: for several columns the rule of the first. `nil` when no rule
    /// decided, as when the database refused the change.
    public let rule: MergeRule?
    /// What the replica's edit started from.
    public let base: [StoredValue]?
    /// What the replica asked for.
    public let mine: [StoredValue]?
    /// The values of the central row.
    public let theirs: [StoredValue]?
    /// The values that remain.
    public let result: [StoredValue]?

    package init(
        kind: Kind, rule: MergeRule?, base: [StoredValue]?, mine: [StoredValue]?,
        theirs: [StoredValue]?,
        result: [StoredValue]?
    ) {
        self.kind = kind
        self.rule = rule
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.result = result
    }
}

/// The central row that a change meets.
public struct CentralRow: Hashable, Sendable {
    /// The values, one for each column of the table; `nil` when there is no such row.
    public let values: [Value]?
    /// When it was last changed; `nil` when it was never tracked.
    public let changedAt: HubTime?
    /// A row with this key existed and is gone.
    public let isTombstone: Bool
    /// The priority of whoever changed it last.
    package let priority: Int

    /// - Parameters:
    ///   - values: One for each column of the table; `nil` when there is no such row.
    ///   - changedAt: When the row was last changed or deleted; `nil` when it was never tracked.
    ///   - isTombstone: Whether a row with this key existed and is gone.
    ///   - priority: The highest priority of the replicas that wrote the row; 0 for other programs.
    public init(values: [Value]?, changedAt: HubTime?, isTombstone: Bool, priority: Int = 0) {
        self.values = values
        self.changedAt = changedAt
        self.isTombstone = isTombstone
        self.priority = priority
    }

    /// No row, and no trace of an earlier one.
    public static let absent = CentralRow(values: nil, changedAt: nil, isTombstone: false)
}
