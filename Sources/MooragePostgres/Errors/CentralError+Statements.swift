import MoorageHub

/// Tables that are not as they were attached any more, and statements that fail.
extension CentralError {
    // MARK: Tables

    static func tableGone(_ table: String) -> CentralError {
        CentralError(
            .failed, "The table \(table) is gone. Run `moorage attach` to go on without it.")
    }

    static func columnGone(_ column: String, of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The table \(table) has no column \(column) any more. Run `moorage attach` to go on \
            with the table.
            """)
    }

    static func keyTypeChanged(of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The key of the table \(table) has another type than when it was attached. Run \
            `moorage attach` to go on with the table.
            """)
    }

    // MARK: Keys

    static func keysUsedUp(_ column: String, of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The column \(table).\(column) has no room for more keys. Give the column a larger type.
            """)
    }

    static func sequenceUsedUp(of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The sequence of the table \(table) has few numbers left, and the hub leaves those to \
            other programs. Give the key and its sequence a larger type.
            """)
    }

    static func keysTaken(of table: String) -> CentralError {
        CentralError(.conflict, "Others took the next keys of the table \(table) meanwhile.")
    }

    // MARK: The database

    static func noWrites(_ state: String) -> CentralError {
        CentralError(
            .failed,
            """
            The central database takes no writes now (\(state)). Name the primary server in its \
            URL; `moorage doctor` says more.
            """)
    }

    static func statementRefused(_ state: String) -> CentralError {
        CentralError(
            .failed,
            """
            The central database refused a statement of the hub (\(state)). The server's own log \
            names the statement.
            """)
    }

    static let nulInArgument = CentralError(
        .failed,
        """
        PostgreSQL cannot store a text with a NUL character. The hub did not send the statement.
        """)

    /// - Parameter error: The error of a statement for which the role lacks a right.
    static func lackingRight(_ error: CentralError) -> CentralError {
        CentralError(
            error.kind, "\(error.message) `moorage doctor` says which right the role lacks.")
    }

    // MARK: Transactions

    static let rolledBack = CentralError(
        .failed,
        """
        A statement of the transaction had failed, so the server rolled the transaction back. \
        Nothing of it was stored.
        """)

    static func inTheWay(_ state: String) -> CentralError {
        CentralError(
            .conflict,
            """
            Another transaction was in the way, or the statement reached a time limit (\(state)).
            """)
    }

    static func shapeChanged(_ state: String) -> CentralError {
        CentralError(.conflict, "A table changed its shape meanwhile (\(state)).")
    }

    static let scopesNotDerived = CentralError(
        .conflict, "Rows changed their scopes, and the hub has not derived these yet.")

    static let invalidCheckpoint = CentralError(
        .invalidCheckpoint, "The checkpoint is not one of PostgreSQL's snapshots.")
}
