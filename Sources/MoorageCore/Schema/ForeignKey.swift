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
