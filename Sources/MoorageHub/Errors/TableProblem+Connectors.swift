/// Why a table cannot be synced, in words that several connectors use.
extension TableProblem {
    /// For a view, or a materialized view.
    public static func view(_ table: String) -> TableProblem {
        TableProblem("\(table) is a view and cannot be synced. Sync the tables that it reads.")
    }

    /// - Parameters:
    ///   - keyless: What can become its key.
    ///   - remedy: How to give the table a primary key: an imperative without its full stop.
    ///   - repair: The statements that do so.
    public static func noPrimaryKey(
        of table: String, _ keyless: KeylessTable,
        remedy: String = "Add one with ALTER TABLE … ADD PRIMARY KEY", repair: [String]
    ) -> TableProblem {
        let substitutes = keyless.substitutes.prefix(3).map {
            "`key: [\(keyless.names(of: $0).joined(separator: ", "))]`"
        }
        let other =
            if !substitutes.isEmpty {
                ", or write \(substitutes.joined(separator: " or ")) for it in the configuration"
            } else if keyless.addedKeyType != nil {
                ", or let `moorage attach --add-key \(table)` add a column for it"
            } else {
                ""
            }
        return TableProblem(
            """
            The table \(table) has no primary key, so its rows cannot be told apart. \(remedy)\
            \(other).
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
