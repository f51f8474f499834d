import MoorageHub

/// Tables that are not as they were attached any more, and statements that fail.
extension CentralError {
    // MARK: Tables

    static func referencedColumnUnknown(_ column: String, of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            A foreign key refers to the column \(table).\(column), which the hub does not sync. \
            Run `moorage attach`.
            """)
    }

    // MARK: Keys

    /// For a query that must know each unnumbered row, where there are too many. A retry after a
    /// numbering step finds fewer.
    static func tooManyUnnumbered(of table: String) -> CentralError {
        CentralError(
            .conflict,
            "Many rows of \(table) changed just now, and the hub has not numbered them yet.")
    }

    // MARK: The database

    static func noWrites(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            The central database takes no writes now (\(code)). Name the primary server in its \
            URL; `moorage doctor` says more.
            """)
    }

    static func statementRefused(_ code: UInt32) -> CentralError {
        CentralError(.failed, "The central database refused a statement of the hub (\(code)).")
    }

    // MARK: Transactions

    static let transactionEnded = CentralError(
        .conflict, "Another transaction was in the way, and the server ended this one.")

    static let changedMeanwhile = CentralError(
        .conflict,
        "Another transaction changed rows of this batch while the hub repeated a part of it.")
}
