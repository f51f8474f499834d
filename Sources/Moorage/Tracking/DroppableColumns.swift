import MoorageCore
import SQLiteSupport

/// Lets an app drop a column that triggers name, with SQLite's `ALTER TABLE … DROP COLUMN` and no
/// other step.
///
/// SQLite resolves all triggers again after it removed a column, and refuses if a name has no
/// meaning. So each name that a trigger uses has a second meaning. A query within a query looks for
/// `OLD.a` in the row that fired the trigger. If that row has no such column, it looks in the outer
/// query. That query joins an empty table with a column of every name. What is gone is NULL until
/// the replica makes its triggers again (decision 0055).
struct DroppableColumns {
    private let table: String

    /// An expression in SQLite is at most 1,000 deep, and a join by names has a term for each
    /// column.
    private static let most = 900

    /// `nil` if no column can be dropped, or if there are too many of them.
    init?(_ table: TrackedTable) {
        guard (1...Self.most).contains(Self.names(table).count) else { return nil }
        self.table = SQLText.name(table.namesTable)
    }

    /// Every column that is no part of the key.
    static func names(_ table: TrackedTable) -> [String] {
        table.local.columns.map(\.name).filter { name in
            !table.keyNames.contains { SQLText.isSameName($0, name) }
        }
    }

    /// One row of NULLs under each of these names of rows.
    func standIns(for rows: [String]) -> String {
        "(SELECT 1) " + rows.map { "LEFT JOIN \(table) AS \($0) ON 0" }.joined(separator: " ")
    }

    /// The rows of a table, with NULL for columns that it does not have.
    func joined(to target: String) -> String { "\(target) NATURAL LEFT JOIN \(table)" }
}
