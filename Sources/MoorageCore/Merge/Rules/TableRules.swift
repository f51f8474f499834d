/// The rules of one table.
public struct TableRules: Hashable, Sendable {
    /// What counts as a conflict.
    public enum Granularity: String, Hashable, Sendable, CaseIterable {
        /// One column that both sides changed; edits of different columns join.
        case column
        /// Any two changes of a row: it is one side's row or the other's, never a mixture.
        case row
    }

    /// What becomes of an update whose row was deleted at the centre.
    public enum UpdateOfDeleted: String, Hashable, Sendable, CaseIterable {
        /// It is refused, and the row stays gone.
        case refuse
        /// The row comes back as the device holds it.
        case resurrect
    }

    /// Merges every column without a rule, and whole rows: an insert against an insert, a delete
    /// against an update. A rule of values leaves whole rows to `newest`.
    public var rule: MergeRule
    /// Rules of single columns, by name.
    public var columns: [String: MergeRule]
    public var granularity: Granularity
    /// Merges two inserts of one key, where that is not to be ``rule``: `newest`, `server`, `client`
    /// or `keepBoth`.
    public var inserts: MergeRule?
    /// How many keys a replica gets at a time, so that it can insert rows of this table while it is
    /// away. The key is one integer column; two rows that get one key all the same are both kept,
    /// unless ``inserts`` says otherwise.
    public var keyBlock: Int?
    /// Merges a delete against an update, where that is not to be ``rule``: `newest`, `server` or
    /// `client`.
    public var deletes: MergeRule?
    public var updateOfDeleted: UpdateOfDeleted
    /// A column that marks a row as deleted: a pushed delete sets it, and the row stays.
    public var softDelete: String?
    /// The table's own column of its last edit, such as `updated_at`: `newest` compares it instead of
    /// the times that the hub keeps.
    public var time: String?

    public init(
        rule: MergeRule = .newest, columns: [String: MergeRule] = [:],
        granularity: Granularity = .column, inserts: MergeRule? = nil, keyBlock: Int? = nil,
        deletes: MergeRule? = nil,
        updateOfDeleted: UpdateOfDeleted = .refuse, softDelete: String? = nil, time: String? = nil
    ) {
        self.rule = rule
        self.columns = columns
        self.granularity = granularity
        self.inserts = inserts
        self.keyBlock = keyBlock
        self.deletes = deletes
        self.updateOfDeleted = updateOfDeleted
        self.softDelete = softDelete
        self.time = time
    }

    /// Different columns join, one column edited on both sides goes by `rule`.
    public static func merge(else rule: MergeRule = .newest) -> TableRules {
        TableRules(rule: rule)
    }

    public func rule(for column: String) -> MergeRule { columns[column] ?? rule }

    /// Merges whole rows.
    public var rowRule: MergeRule { rule.isOfValues ? .newest : rule }

    /// Merges two inserts of one key.
    public var insertRule: MergeRule { inserts ?? (keyBlock == nil ? rowRule : .keepBoth) }

    /// Merges a delete against an update. A row that is to be kept beside another is not deleted.
    public var deleteRule: MergeRule {
        if let deletes { return deletes }
        if case .keepBoth = rule { return .server }
        return rowRule
    }
}
