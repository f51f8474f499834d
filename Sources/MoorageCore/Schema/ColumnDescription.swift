/// One column of a synced table, as the central database declares it.
public struct ColumnDescription: Hashable, Sendable {
    /// The column's name, compared by bytes.
    public let name: String
    /// What the column's values mean. It decides how values travel and which are equal.
    public let type: ColumnType
    /// Whether the column accepts NULL.
    public let isNullable: Bool
    /// The value for an insert that does not name the column.
    public let defaultValue: ColumnDefault
    /// The central database computes the column: it travels down, never up.
    public let isGenerated: Bool
    /// The names by which apps may have the column.
    package var appNames = AppNames()
    /// The column's name in the central database, where `name` is another one of its names.
    package internal(set) var centralName: String?

    /// A column that accepts NULL, has no default and is not generated, unless arguments say so.
    public init(
        name: String, type: ColumnType, isNullable: Bool = true,
        defaultValue: ColumnDefault = .none,
        isGenerated: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.defaultValue = defaultValue
        self.isGenerated = isGenerated
    }
}

/// The value that a column gets when an insert does not name it.
public enum ColumnDefault: Hashable, Sendable {
    /// No default, or NULL as the default.
    case none
    /// A constant. A cloned table declares it, too.
    case value(Value)
    /// An expression that only the central database can evaluate (`now()`, a sequence).
    case central
}
