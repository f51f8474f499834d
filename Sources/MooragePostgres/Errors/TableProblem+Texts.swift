import MoorageHub

/// Why a table cannot be synced, and what would fix it.
extension TableProblem {
    static func foreignTable(_ table: String) -> TableProblem {
        TableProblem(
            """
            \(table) is a foreign table, whose changes the hub cannot track. Attach the database \
            that has the rows.
            """)
    }

    static func partition(_ table: String) -> TableProblem {
        TableProblem("The table \(table) is a partition. Sync the table that it is a part of.")
    }

    static func inherited(_ table: String) -> TableProblem {
        TableProblem(
            """
            The table \(table) takes part in table inheritance, where two tables can have rows \
            with the same key. Use a partitioned table instead.
            """)
    }

    static func unlogged(_ table: String, repair: [String]) -> TableProblem {
        TableProblem(
            """
            The table \(table) is unlogged: a crash empties it without a trace. Run ALTER TABLE … \
            SET LOGGED.
            """, repair: repair)
    }

    static func rowPolicies(of table: String, repair: [String]) -> TableProblem {
        TableProblem(
            """
            The table \(table) has row policies that hide rows from the hub's role. Give the role \
            BYPASSRLS, or let the table's owner attach.
            """, repair: repair)
    }

    static func subscribed(_ table: String) -> TableProblem {
        TableProblem(
            """
            The table \(table) is filled by a subscription, whose changes fire no statement \
            triggers. Attach the database that publishes it.
            """)
    }
}
