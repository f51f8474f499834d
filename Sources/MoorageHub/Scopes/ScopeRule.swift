public import MoorageCore

/// How the rows of a table come into scopes. A table may have several rules, and a row is in the
/// scopes of all of them. A table without a rule is in the scope `*`, which every replica has.
public struct ScopeRule: Hashable, Sendable {
    /// What names the scopes of a row.
    public enum Source: Hashable, Sendable {
        /// The scope `*`; with conditions, only for some rows.
        case everyone
        /// `kind/value`, by the value of a column; NULL puts the row in no scope.
        case column(kind: String, String)
        /// The scopes of the row that the foreign key of these columns points to.
        case through([String])
        /// `kind/value` for each row of another table that refers to this one, by the value of a
        /// column of that row.
        case members(of: String, kind: String, String)
    }

    /// Where the rule finds the scopes of a row.
    public let source: Source
    /// Only rows that meet all of these are in the scopes.
    public let conditions: [Condition]
    /// Only rows that also meet all of these are in the scopes.
    public let filters: [RowFilter]

    /// - Parameters:
    ///   - conditions: What a row must meet, all of it; empty for every row.
    ///   - filters: What it must meet, too. None of them has a parameter.
    public init(
        _ source: Source, where conditions: [Condition] = [], filters: [RowFilter] = []
    ) {
        self.source = source
        self.conditions = conditions
        self.filters = filters
    }

    /// A column has a fixed value.
    public struct Condition: Hashable, Sendable {
        /// The name of a column of integers, booleans, text or UUIDs in the rule's own table.
        public let column: String
        /// A value of the column's type: a whole number, a boolean as `true` or `false`, or text.
        public let value: String

        /// - Parameter value: As in ``value``, such as `5`, `true` or `open`.
        public init(_ column: String, is value: String) {
            self.column = column
            self.value = value
        }
    }

    /// The name of a scope: `employee/5`.
    ///
    /// - Returns: `nil` for a value that is longer than the name of a scope may be.
    public static func scope(_ kind: String, _ value: String) -> Scope? {
        value.utf8.count <= maximumValueBytes ? Scope("\(kind)/\(value)") : nil
    }

    /// The longest name of a kind of scopes.
    package static let maximumKindBytes = 50

    /// A row whose value is longer is in no scope, because the name is part of an index.
    public static let maximumValueBytes = 200
}
