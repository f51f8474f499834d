/// The deletion marker: a column that says that a row is deleted (``TableRules/softDelete``).
public struct SoftDelete: Hashable, Sendable {
    /// Its position in the table.
    public let column: Int
    private let description: ColumnDescription

    /// `nil` when the table's rules name no such column, or one that the table does not have.
    public init?(_ rules: TableRules, in table: TableDescription) {
        guard let column = rules.softDelete.flatMap({ table.column(named: $0) }) else { return nil }
        self.column = column
        description = table.columns[column]
    }

    /// Whether the row counts as deleted.
    public func isSoftDeleted(_ row: [Value]) -> Bool {
        switch description.type.normalized(row[column]) {
        case .null, .integer(0): false
        default: true
        }
    }

    /// The value that marks a row as deleted at this time.
    public func deletedValue(at time: HubTime) -> StoredValue {
        let moment = CalendarText(milliseconds: time.milliseconds)
        let value: Value =
            switch description.type {
            case .date: .text(moment.dateText)
            case .timestamp(let digits), .instant(let digits): .text(moment.text(digits))
            default: .integer(1)
            }
        return StoredValue(column: column, value: value)
    }

    /// The value of a row that is not deleted.
    public var clear: StoredValue {
        StoredValue(column: column, value: description.isNullable ? .null : .integer(0))
    }
}
