import MoorageWire

/// A configuration that does not fit the tables.
extension HubError {
    /// - Parameter problem: Full sentences that name table and column, with what to do.
    static func configuration(_ problem: String) -> HubError { HubError(.configuration, problem) }

    static func rulesOfUnattachedTable(_ table: String, attached: [String]) -> HubError {
        HubError(
            .configuration,
            """
            The configuration has rules for a table \(table), which is not attached. Correct its \
            name, or attach it. The attached tables are: \(attached.joined(separator: ", ")).
            """)
    }

    static func scopesOfUnsyncedTable(_ table: String) -> HubError {
        HubError(
            .configuration,
            """
            The configuration has scopes for a table \(table), which is not synced. Correct its \
            name, or sync it.
            """)
    }

    /// - Parameter message: What the database says, as a full sentence.
    static func cannotEvaluateRule(
        of table: String, column: String, _ message: String
    ) -> HubError {
        HubError(
            .configuration,
            """
            The central database cannot evaluate the SQL rule of \(table).\(column). Correct the \
            expression. The reason: \(message)
            """)
    }

    /// - Parameter message: What the database says, as a full sentence.
    static func cannotReadScopes(_ message: String) -> HubError {
        HubError(
            .configuration,
            """
            The central database cannot evaluate the query for the scopes of a user. Correct the \
            query. The reason: \(message)
            """)
    }

    static let minimumVersionUnreadable = HubError(
        .configuration,
        """
        A minimum version of the app in the configuration does not begin with a number. Write \
        numbers with points between them, such as 2.10.
        """)

    // MARK: Moorage's own tables, which a database that was attached earlier may lack

    static let classesNeedAttach = attachAgain("has classes of replicas")

    static let conflictDaysNeedAttach = attachAgain(
        "limits how long the hub keeps the conflict log")

    static let auditNeedsAttach = attachAgain("asks for an audit trail")

    private static func attachAgain(_ what: String) -> HubError {
        HubError(
            .configuration,
            """
            The configuration \(what), and an older version of Moorage attached this database. Run \
            `moorage attach` again.
            """)
    }

    // MARK: Users

    static func tooManyScopes(most: Int) -> HubError {
        HubError(
            .configuration,
            "A user has more than \(most) scopes. Choose scopes with more rows each.")
    }
}
