/// A foreign key between two synced tables.
public struct ForeignKey: Hashable, Sendable {
    /// What happens to the referring row when the row that it refers to is deleted or gets another
    /// key.
    public enum Action: String, Hashable, Sendable {
        /// The database refuses the change, once it checks the key.
        case noAction
        /// The database refuses the change at once.
        case restrict
        /// The referring row is deleted, too, or gets the new key.
        case cascade
        /// The referring columns become NULL.
        case setNull
        /// The referring columns get their defaults.
        case setDefault
    }

    /// The referring columns, as positions in their own table.
    public let columns: [Int]
    /// The table referred to, by name. It may be the referring table itself.
    public let referencedTable: String
    /// The columns referred to, by name, in the order of `columns`.
    public let referencedColumns: [String]
    /// What happens when the row referred to is deleted.
    public let onDelete: Action
    /// What happens when the row referred to gets other values in ``referencedColumns``.
    public let onUpdate: Action
    /// Whether the central database can check the key as late as the commit. A cloned table then
    /// checks it at the commit.
    public let isDeferrable: Bool

    /// - Parameters:
    ///   - columns: At least one, as positions in the referring table.
    ///   - referencedTable: A table of the same database, by name.
    ///   - referencedColumns: As many names as `columns`, in the same order.
    ///   - onDelete: The action on a delete.
    ///   - onUpdate: The action on a changed key.
    ///   - isDeferrable: Whether the key can be checked as late as the commit.
    public init(
        columns: [Int], referencedTable: String, referencedColumns: [String],
        onDelete: Action = .noAction,
        onUpdate: Action = .noAction, isDeferrable: Bool = false
    ) {
        self.columns = columns
        self.referencedTable = referencedTable
        self.referencedColumns = referencedColumns
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.isDeferrable = isDeferrable
    }

    /// The positions of the referenced columns in their table; `nil` when the table lacks one.
    public func positions(in parent: TableDescription) -> [Int]? {
        let positions = referencedColumns.compactMap { parent.column(named: $0) }
        return positions.count == columns.count ? positions : nil
    }

    /// The values by which other rows refer to a row. `nil` when a value is NULL or its column is
    /// missing: no row can refer to it then.
    public func values(of row: [Value], in parent: TableDescription) -> [Value]? {
        let values = positions(in: parent)?.map { row[$0] }
        return values?.contains(where: \.isNull) == true ? nil : values
    }
}
