public import MoorageCore

/// A rule with the tables that it leads through, from the table itself upwards, as attached. A
/// connector makes triggers from it.
public struct ScopePath: Hashable, Sendable {
    /// A table on the way.
    public struct Level: Hashable, Sendable {
        /// The name of the owner's table.
        public let table: String
        /// A row leads to the scopes only if it meets all of these; empty for every row.
        public let conditions: [Condition]
        /// A row leads to the scopes only if it also meets all of these; empty for every row.
        package let filters: [Filter]
        /// To the next level; `nil` on the last.
        public let link: Link?

        package init(
            table: String, conditions: [Condition] = [], filters: [Filter] = [], link: Link? = nil
        ) {
            self.table = table
            self.conditions = conditions
            self.filters = filters
            self.link = link
        }

        /// Whether each row of the table leads to the scopes.
        var isOfEveryRow: Bool { conditions.isEmpty && filters.isEmpty }

        /// The columns of conditions, of filters and of the link to the next level. They decide
        /// about scopes, as the source's column does.
        public var decidingColumns: [String] {
            conditions.map(\.column) + filters.flatMap(\.columns).map(\.name)
                + (link?.columns ?? [])
        }
    }

    /// Columns that point to a row of another table.
    public struct Link: Hashable, Sendable {
        /// Names of the columns that point to the row.
        public let columns: [String]
        /// Names of the columns that they point to, in the same order.
        public let referenced: [String]

        /// - Parameter referenced: As many names as `columns` has.
        public init(columns: [String], referenced: [String]) {
            self.columns = columns
            self.referenced = referenced
        }
    }

    /// A column has a fixed value.
    public struct Condition: Hashable, Sendable {
        /// The name of the column, in the table of the level.
        public let column: String
        /// The column's portable type: an integer, a boolean, a text or a UUID.
        public let type: ColumnType
        /// The value as text; ``ScopeDialect/literal(_:_:)`` makes SQL of it.
        public let value: String

        package init(column: String, type: ColumnType, value: String) {
            self.column = column
            self.type = type
            self.value = value
        }
    }

    /// Where the scopes come from, at the last level.
    public enum Source: Hashable, Sendable {
        /// The scope `*`, which every replica has.
        case everyone
        /// The scope `kind/value`, by the value of the column with this name and type. A NULL gives
        /// no scope, and neither does a value longer than ``ScopeRule/maximumValueBytes``.
        case column(kind: String, String, ColumnType)
        /// Rows of another table that refer to the row of the last level.
        case members(Members)
    }

    /// A table whose rows each give the row that they refer to one scope, `kind/value`.
    public struct Members: Hashable, Sendable {
        /// The name of the table that has the members.
        public let table: String
        /// From the member's row to that of the last level.
        public let link: Link
        /// What the scope's name begins with, without the `/`.
        public let kind: String
        /// The name of the member's column whose value the scope's name ends with.
        public let column: String
        /// The portable type of that column: an integer, a boolean, a text or a UUID.
        public let type: ColumnType

        package init(table: String, link: Link, kind: String, column: String, type: ColumnType) {
            self.table = table
            self.link = link
            self.kind = kind
            self.column = column
            self.type = type
        }
    }

    /// The table itself first; never empty.
    public let levels: [Level]
    /// Where the last level gets its scopes from.
    public let source: Source

    package init(levels: [Level], source: Source) {
        self.levels = levels
        self.source = source
    }

    /// The columns of a level that decide about scopes.
    public func decidingColumns(_ level: Int) -> [String] {
        var columns = levels[level].decidingColumns
        guard level == levels.count - 1 else { return columns }
        switch source {
        case .everyone: break
        case .column(_, let column, _): columns.append(column)
        case .members(let members): columns += members.link.referenced
        }
        return columns
    }

    /// The path of a table whose rows point to this table's rows, and have their scopes.
    func below(_ level: Level) -> ScopePath { ScopePath(levels: [level] + levels, source: source) }
}
