/// One column of a synced table, as the central database declares it.
public struct ColumnDescription: Hashable, Sendable {
    public let name: String
    public let type: ColumnType
    public let isNullable: Bool
    public let defaultValue: ColumnDefault
    /// The central database computes the column: it travels down, never up.
    public let isGenerated: Bool

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
    case none
    case value(Value)
    /// An expression that only the central database can evaluate (`now()`, a sequence).
    case central
}
