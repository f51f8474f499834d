import MoorageWire

/// Rules for scopes that do not fit the tables.
extension HubError {
    static func tooManyScopePaths(of table: String, most: Int) -> HubError {
        wrongScope("The table \(table) has more than \(most) ways to its scopes.")
    }

    static func scopesTooFarAway(from table: String, most: Int) -> HubError {
        wrongScope("The table \(table) is more than \(most) tables away from its scopes.")
    }

    static func scopesInCircle(at table: String) -> HubError {
        wrongScope(
            """
            The table \(table) gets its scopes from rows that get theirs from this table. They go \
            in a circle.
            """)
    }

    static func scopeThroughNoKey(of table: String, _ columns: [String]) -> HubError {
        wrongScope(
            """
            The table \(table) has no foreign key of the columns \
            \(columns.joined(separator: ", ")) to a table that is synced.
            """)
    }

    static func scopeThroughGenerated(_ column: String, of table: String) -> HubError {
        wrongScope(
            "The table \(table) gets its scopes through the column \(column), which is generated.")
    }

    static func membersWithoutKey(_ members: String, of table: String) -> HubError {
        wrongScope(
            """
            The table \(table) has its members in \(members), which is no table with a primary key.
            """)
    }

    static func membersNotByOneKey(_ members: String, of table: String) -> HubError {
        wrongScope(
            """
            The table \(table) has its members in \(members), which must refer to \(table) by \
            exactly one foreign key.
            """)
    }

    static func noScopeColumn(_ column: String, in table: String) -> HubError {
        wrongScope("The table \(table) has no column \(column) to name scopes by.")
    }

    static func scopeByGenerated(_ column: String, in table: String) -> HubError {
        wrongScope(
            """
            The table \(table) gets its scopes from the column \(column), which is generated. Name \
            the column that it is made from.
            """)
    }

    static func scopeByType(_ type: String, of column: String, in table: String) -> HubError {
        wrongScope(
            """
            The table \(table) cannot name scopes by the column \(column), which is of type \
            \(type). Choose a column of integers, booleans, text or UUIDs.
            """)
    }

    static func impossibleCondition(
        on column: String, of type: String, in table: String
    ) -> HubError {
        wrongScope(
            """
            The table \(table) has a condition on the column \(column) that no value of type \
            \(type) can meet.
            """)
    }

    private static func wrongScope(_ problem: String) -> HubError {
        HubError(.configuration, "\(problem) Correct its `scope`.")
    }

    // MARK: Filters

    static func unreadableFilter(at character: Int, _ problem: String) -> HubError {
        HubError(
            .configuration, "The filter cannot be read at character \(character). \(problem)")
    }

    static func parameterBesideScope(of table: String) -> HubError {
        wrongFilter(
            table,
            """
            has a parameter, and other rules already say in which scopes the rows are. Leave out \
            the parameter or the rules.
            """)
    }

    static func noFilterColumn(_ column: String, in table: String) -> HubError {
        wrongFilter(table, "names the column \(column), which does not exist. Correct the name.")
    }

    static func filterByGenerated(_ column: String, in table: String) -> HubError {
        wrongFilter(
            table,
            """
            names the column \(column), which is generated. Name the column that it is made from.
            """)
    }

    /// - Parameter remedy: What can be asked of such a column, as a sentence.
    static func impossibleTest(
        of column: String, _ type: String, in table: String, _ remedy: String
    ) -> HubError {
        wrongFilter(
            table,
            "has a test of the column \(column) that does not fit its type \(type). \(remedy)")
    }

    private static func wrongFilter(_ table: String, _ problem: String) -> HubError {
        HubError(.configuration, "The filter of the table \(table) \(problem)")
    }

    // MARK: Foreign keys

    static func rowsWithoutParents(
        of table: String, _ columns: [String], parent: String
    ) -> HubError {
        HubError(
            .configuration,
            """
            Rows of \(table) can reach a device without the rows of \(parent) that they refer to. \
            Give \(table) the scope `through: \(columns.joined(separator: ", "))`, or name its \
            columns under `unenforcedKeys`: devices then do not check the foreign key.
            """)
    }

    static func noUnenforcedKey(of table: String, _ columns: [String]) -> HubError {
        HubError(
            .configuration,
            """
            The table \(table) has no foreign key of the columns \
            \(columns.joined(separator: ", ")). Correct its `unenforcedKeys`.
            """)
    }
}
