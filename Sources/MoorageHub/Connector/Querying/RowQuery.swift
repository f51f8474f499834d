public import MoorageCore

/// What a program reads of one table. Columns are places in the table's description.
public struct RowQuery: Hashable, Sendable {
    /// The scopes of which at least one must have the row; `nil` for a table whose rows are all
    /// everyone's.
    public var scopes: Set<Scope>?
    /// What a row must meet; `nil` for every row.
    public var condition: RowCondition?
    /// How the rows are ordered. It ends with the key's columns, so that no two rows are in one
    /// place.
    public var order: [RowOrder]
    /// The place behind which reading continues: a value for each part of the order. `nil` from the
    /// beginning.
    public var after: [Value]?
    /// The columns to read, in this order; at least one.
    public var columns: [Int]
    /// How many rows at most.
    public var limit: Int

    /// - Parameters:
    ///   - scopes: `nil` for a table whose rows are all everyone's.
    ///   - after: A value for each part of the order, or `nil`.
    public init(
        scopes: Set<Scope>?, condition: RowCondition? = nil, order: [RowOrder],
        after: [Value]? = nil, columns: [Int], limit: Int
    ) {
        self.scopes = scopes
        self.condition = condition
        self.order = order
        self.after = after
        self.columns = columns
        self.limit = limit
    }
}

/// One part of an order. Numbers and times are ordered by what they say, everything else by its
/// bytes, and NULL is less than every value.
///
/// A database may order texts and blobs by their first 4,000 bytes alone. It then reads no more of
/// them at a place either, so that reading continues behind the same row.
public struct RowOrder: Hashable, Sendable {
    /// A column of any type but JSON.
    public let column: Int
    /// Whether the largest value comes first.
    public let isDescending: Bool

    /// - Parameter isDescending: Whether the largest value comes first.
    public init(_ column: Int, isDescending: Bool = false) {
        self.column = column
        self.isDescending = isDescending
    }
}

/// What a row must meet. Values are equal as their column's type says, and are ordered as for a
/// ``RowOrder``. As in SQL, a test of NULL is neither true nor false, except ``isNull(_:)``.
///
/// No value is NULL or NaN, and each is one that its column's type accepts. A JSON column can only
/// be tested for NULL.
public indirect enum RowCondition: Hashable, Sendable {
    /// The column is NULL.
    case isNull(Int)
    /// The column has one of these values, at least one.
    case isOneOf(Int, [Value])
    /// The column is on one side of a value.
    case compares(Int, Comparison, Value)
    /// All are met; at least one.
    case allOf([RowCondition])
    /// One is met; at least one.
    case anyOf([RowCondition])
    /// It is false.
    case not(RowCondition)

    /// How a column compares with a value.
    public enum Comparison: String, CaseIterable, Hashable, Sendable {
        /// Less than the value.
        case less = "<"
        /// Less than the value, or equal.
        case lessOrEqual = "<="
        /// Greater than the value.
        case greater = ">"
        /// Greater than the value, or equal.
        case greaterOrEqual = ">="
    }
}
