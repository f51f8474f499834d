import MoorageHub

/// Why a table cannot be synced, and what would fix it.
extension TableProblem {
    // MARK: The kind of table

    static func virtualTable(_ table: String) -> TableProblem {
        TableProblem(
            """
            The table \(table) is a virtual table and cannot be synced. Sync an ordinary table \
            instead.
            """)
    }

    // MARK: Names

    static func unreadableName(_ table: String) -> TableProblem {
        TableProblem("The table \(table) has a name that is not UTF-8. Rename it.")
    }

    static func unreadableColumn(of table: String) -> TableProblem {
        TableProblem("A column of the table \(table) has a name that is not UTF-8. Rename it.")
    }

    // MARK: The columns

    /// - Parameter declared: The type that the table declares.
    static func unclearType(_ declared: String, of column: String, in table: String)
        -> TableProblem
    {
        TableProblem(
            """
            The column \(table).\(column) has the type '\(declared)', which does not say what its \
            values mean. Declare it as INTEGER, REAL, DECIMAL, TEXT, BLOB, BOOLEAN, UUID, DATE, \
            TIME, TIMESTAMP or JSON.
            """)
    }
}
