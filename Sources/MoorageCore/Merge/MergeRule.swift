/// Who wins where a replica and the central database changed the same.
public enum MergeRule: String, Hashable, Sendable, CaseIterable {
    /// The later edit, by the hub's clock; at equal times the central value stands.
    case newest
    /// The central value.
    case server
    /// The replica's value.
    case client
}

/// The rules of one table.
public struct TableRules: Hashable, Sendable {
    /// Settles whole rows: an insert against an insert, a delete against an update, and every
    /// column without a rule.
    public let rule: MergeRule
    /// Rules of single columns, by name.
    public let columns: [String: MergeRule]

    public init(rule: MergeRule = .newest, columns: [String: MergeRule] = [:]) {
        self.rule = rule
        self.columns = columns
    }

    /// Different columns join, one column edited on both sides goes by `rule`.
    public static func merge(else rule: MergeRule = .newest) -> TableRules {
        TableRules(rule: rule)
    }

    public func rule(for column: String) -> MergeRule { columns[column] ?? rule }
}
