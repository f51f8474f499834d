/// A foreign key between two synced tables.
public struct ForeignKey: Hashable, Sendable {
    /// What happens to the referring row.
    public enum Action: String, Hashable, Sendable {
        case noAction, restrict, cascade, setNull, setDefault
    }

    /// The referring columns, as positions in their own table.
    public let columns: [Int]
    public let referencedTable: String
    /// The columns referred to, by name, in the order of `columns`.
    public let referencedColumns: [String]
    public let onDelete: Action
    public let onUpdate: Action
    public let isDeferrable: Bool

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
}
