/// The rules of one table.
public struct TableRules: Hashable, Sendable {
    /// What counts as a conflict.
    public enum Granularity: String, Hashable, Sendable, CaseIterable {
        /// One column that both sides changed; edits of different columns join.
        case column
        /// Any two changes of a row. The result is one side's row, never a mixture.
        case row
    }

    /// What happens to an update when the central row was deleted.
    public enum UpdateOfDeleted: String, Hashable, Sendable, CaseIterable {
        /// The hub refuses it, and the row stays deleted.
        case refuse
        /// The row comes back as the device has it.
        case resurrect
    }

    /// Merges whole rows, and every column without a rule of its own. Whole rows meet when two
    /// inserts meet, or a delete and an update. In a table merged by row, two updates are whole
    /// rows, too. A rule of values leaves whole rows to `newest`.
    public var rule: MergeRule
    /// Rules of single columns, by name.
    public var columns: [String: MergeRule]
    /// What counts as a conflict: a column by default. With ``Granularity/row`` no column has a
    /// rule of its own, and ``rule`` combines no values.
    public var granularity: Granularity
    /// Merges two inserts of one key, where ``rule`` is not to decide: `newest`, `server`, `client`
    /// or `keepBoth`.
    public var inserts: MergeRule?
    /// How many keys a replica gets at a time, so that it can insert rows of this table while it is
    /// offline. The key is one integer column. Two rows with one key are both kept, unless
    /// ``inserts`` says otherwise.
    public var keyBlock: Int?
    /// Merges a delete against an update, where ``rule`` is not to decide: `newest`, `server` or
    /// `client`.
    public var deletes: MergeRule?
    /// What happens to an update of a deleted row: the hub refuses it by default.
    public var updateOfDeleted: UpdateOfDeleted
    /// The deletion marker: a column that says that a row is deleted. A pushed delete sets it, and
    /// the row stays.
    public var softDelete: String?
    /// The table's own column with the time of its last edit, such as `updated_at`. `newest`
    /// compares it instead of the times that the hub keeps.
    public var time: String?

    /// The rules of a table. Each parameter sets the property of its name, and has the default of
    /// `moorage.yaml`. ``problem(in:)`` says whether the rules fit a table.
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

    /// Edits of different columns join. A column that both sides edited goes by `rule`.
    public static func merge(else rule: MergeRule = .newest) -> TableRules {
        TableRules(rule: rule)
    }

    /// The rule of one column, by its name: its own rule, or else ``rule``.
    public func rule(for column: String) -> MergeRule { columns[column] ?? rule }

    /// The rule for whole rows.
    public var rowRule: MergeRule { rule.isOfValues ? .newest : rule }

    /// The rule for two inserts of one key.
    public var insertRule: MergeRule { inserts ?? (keyBlock == nil ? rowRule : .keepBoth) }

    /// The rule for a delete against an update. With `keepBoth` the central row stays.
    public var deleteRule: MergeRule {
        if let deletes { return deletes }
        if case .keepBoth = rule { return .server }
        return rowRule
    }
}
