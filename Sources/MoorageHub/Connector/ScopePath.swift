public import MoorageCore

/// A rule with the tables that it leads through, from the table itself upwards, as attached. A
/// connector makes triggers from it.
public struct ScopePath: Hashable, Sendable {
    /// A table on the way.
    public struct Level: Hashable, Sendable {
        public let table: String
        public let conditions: [Condition]
        /// To the next level; `nil` on the last.
        public let link: Link?

        package init(table: String, conditions: [Condition] = [], link: Link? = nil) {
            self.table = table
            self.conditions = conditions
            self.link = link
        }

        /// The columns of the conditions and of the link to the next level. They decide about
        /// scopes, as the source's column does.
        public var decidingColumns: [String] {
            conditions.map(\.column) + (link?.columns ?? [])
        }
    }

    /// Columns that point to a row of another table.
    public struct Link: Hashable, Sendable {
        public let columns: [String]
        public let referenced: [String]

        public init(columns: [String], referenced: [String]) {
            self.columns = columns
            self.referenced = referenced
        }
    }

    public struct Condition: Hashable, Sendable {
        public let column: String
        public let type: ColumnType
        public let value: String

        package init(column: String, type: ColumnType, value: String) {
            self.column = column
            self.type = type
            self.value = value
        }
    }

    /// Where the scopes come from, at the last level.
    public enum Source: Hashable, Sendable {
        case everyone
        case column(kind: String, String, ColumnType)
        /// Rows of another table that refer to the row of the last level.
        case members(Members)
    }

    public struct Members: Hashable, Sendable {
        public let table: String
        /// From the member's row to that of the last level.
        public let link: Link
        public let kind: String
        public let column: String
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
