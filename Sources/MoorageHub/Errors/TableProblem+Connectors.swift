/// Why a table cannot be synced, in words that several connectors use.
extension TableProblem {
    /// For a view, or a materialized view.
    public static func view(_ table: String) -> TableProblem {
        TableProblem("\(table) is a view and cannot be synced. Sync the tables that it reads.")
    }

    /// - Parameter repair: The statements that give the table a primary key.
    public static func noPrimaryKey(of table: String, repair: [String]) -> TableProblem {
        TableProblem(
            """
            The table \(table) has no primary key, so its rows cannot be told apart. Add one with \
            ALTER TABLE … ADD PRIMARY KEY.
            """, repair: repair)
    }

    /// - Parameter type: The key column's type, in the database's words.
    public static func keyType(_ type: String, of table: String) -> TableProblem {
        TableProblem(
            """
            The table \(table) has a primary key of type \(type), which cannot be synced. Use an \
            integer, text or uuid key.
            """)
    }
}
