import MoorageWire

/// The review of conflicts and replicas.
extension HubError {
    static func noConflict(id: String) -> HubError {
        HubError(
            .notFound,
            "There is no conflict with the id \(id). `moorage conflicts list` shows them.")
    }

    static func severalConflicts(id: String) -> HubError {
        HubError(
            .notFound, "The ids of several conflicts begin with \(id). Give more of the id.")
    }

    static func noReplica(id: String) -> HubError {
        HubError(
            .notFound,
            "There is no replica with the id \(id). `moorage replicas list` shows them.")
    }

    static func severalReplicas(id: String) -> HubError {
        HubError(
            .notFound, "The ids of several replicas begin with \(id). Give more of the id.")
    }

    static func tableNeverSynced(_ table: String) -> HubError {
        HubError(
            .unknownTable,
            """
            The table \(table) is not attached, and no replica asks for it. Names are compared byte \
            by byte.
            """)
    }

    static func columnNeverSynced(_ column: String, of table: String) -> HubError {
        HubError(
            .unknownColumn,
            """
            The table \(table) is attached without a column \(column), and no replica asks for one. \
            Names are compared byte by byte.
            """)
    }

    static func conflictRowGone(from table: String) -> HubError {
        HubError(
            .notFound,
            """
            The row of \(table) is gone, and the conflict log has only a part of it. Dismiss the \
            conflict, or insert the row by hand. Nothing changed.
            """)
    }

    static func conflictWithoutValues(of table: String) -> HubError {
        HubError(
            .notFound,
            """
            The values of this conflict were too large to log. Dismiss it, or change the row of \
            \(table) by hand. Nothing changed.
            """)
    }

    /// - Parameter decision: What was decided.
    static func alreadyDecided(_ decision: String) -> HubError {
        HubError(
            .alreadyDecided,
            "Somebody has already decided this conflict: \(decision). Nothing changed.")
    }

    static func conflictTableNotAttached(_ table: String) -> HubError {
        HubError(
            .tableSuspended,
            """
            The table \(table) is not attached any more. Attach it, or dismiss the conflict. \
            Nothing changed.
            """)
    }

    static func conflictColumnGone(_ column: String, from table: String) -> HubError {
        HubError(
            .tableSuspended,
            """
            The table \(table) has no column \(column) any more. Dismiss the conflict. Nothing \
            changed.
            """)
    }

    /// - Parameters:
    ///   - code: The code of the refusal.
    ///   - message: The refusal's message, a full sentence.
    static func decisionUnfit(_ code: String, _ message: String) -> HubError {
        HubError(
            .databaseError,
            """
            The hub does not write what this decision asks for (\(code)): \(message) Nothing \
            changed. Dismiss the conflict, or write the row in the central database.
            """)
    }

    static func decisionRefused(_ code: String, _ message: String) -> HubError {
        HubError(
            .databaseError,
            """
            The central database refuses what this decision writes (\(code)): \(message) Nothing \
            changed. Correct the row, then decide again.
            """)
    }
}
