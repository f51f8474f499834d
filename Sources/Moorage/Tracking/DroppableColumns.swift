import MoorageCore
import SQLiteSupport

/// Lets an app drop a column that triggers name, with SQLite's `ALTER TABLE … DROP COLUMN` and no other
/// step.
///
/// SQLite resolves all triggers again after it took a column out, and refuses where a name is left that
/// means nothing. So each name that a trigger uses has a second meaning: a query within a query looks for
/// `OLD.a` in the row that fired the trigger, and where that has no such column, in the query around it,
/// which joins an empty table with a column of every name. What is gone is NULL until the replica makes
/// its triggers again (decision 0055).
struct DroppableColumns {
    private let table: String

    /// An expression of SQLite is no deeper than 1,000, and a join by names has a term for each column.
    private static let most = 900

    /// `nil` where no column can be dropped, or there are too many of them.
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
