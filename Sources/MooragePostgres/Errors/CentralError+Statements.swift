import MoorageHub

/// Keys that are used up, and statements and transactions that fail.
extension CentralError {
    // MARK: Keys

    static func sequenceUsedUp(of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The sequence of the table \(table) has few numbers left, and the hub leaves those to \
            other programs. Give the key and its sequence a larger type.
            """)
    }

    // MARK: The database

    static func noWrites(_ state: String) -> CentralError {
        CentralError(
            .failed,
            """
            The central database takes no writes now (\(state)). Name the primary server in its \
            URL. The server's own log says why.
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
    static func withDoctorAdvice(_ error: CentralError) -> CentralError {
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

    static func shapeChanged(_ state: String) -> CentralError {
        CentralError(.conflict, "A table changed its shape meanwhile (\(state)).")
    }

    static let scopesNotDerived = CentralError(
        .conflict, "Rows changed their scopes, and the hub has not derived these yet.")

    static let invalidCheckpoint = CentralError(
        .invalidCheckpoint, "The checkpoint is not one of PostgreSQL's snapshots.")
}
