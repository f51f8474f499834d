import MoorageHub

/// Why there is no connection. A kind of `failed` means that a later attempt would fail, too. To an
/// error of the kind `unavailable` the command line adds what to do.
extension CentralError {
    // MARK: Sign-in

    /// - Parameter reason: The reason that libpq gives, without the password.
    static func passwordMissing(_ reason: String) -> CentralError {
        CentralError(
            .failed,
            "The central database asks for a password: \(reason). Put one into the database's URL.")
    }

    /// The error where the server refused the sign-in; `nil` where a later attempt may succeed.
    ///
    /// - Parameters:
    ///   - reason: The reason that libpq gives, without the password.
    ///   - state: The server's SQLSTATE.
    static func signInRefused(_ reason: String, _ state: String) -> CentralError? {
        guard let advice = remedy(state) else { return nil }
        return CentralError(
            .failed, "The central database refused the sign-in: \(reason) (\(state)). \(advice)")
    }

    private static func remedy(_ state: String) -> String? {
        switch state {
        case "3D000": "Correct the name of the database in its URL."
        case "42501": "Grant the role CONNECT on the database."
        case _ where state.hasPrefix("28"):
            "Correct the user and the password in the database's URL, or what pg_hba.conf allows."
        default: nil
        }
    }

    // MARK: The server

    static let serverTooOld = CentralError(
        .failed,
        "The hub needs PostgreSQL 13 or newer, and this server is older. Upgrade the server.")

    static let unclearEncoding = CentralError(
        .failed,
        """
        The central database has the encoding SQL_ASCII, which does not say what its text means. \
        Make a database with the encoding UTF8, and move the data there.
        """)

    static let standby = CentralError(
        .failed,
        """
        The central database is a standby. Its snapshots do not know running transactions, so the \
        hub would lose changes. Name the primary server in the database's URL.
        """)

    static let poolerWithoutTransactions = CentralError(
        .unavailable,
        """
        The pooler in front of the central database closed the connection when a transaction \
        began. It lost the server, or it is in statement mode, which has no transactions. Set it \
        to `transaction` or `session` mode for this database, or connect to the server directly.
        """)

    // MARK: The connection

    /// - Parameter reason: The reason that libpq gives, without the password.
    static func noAnswer(_ reason: String) -> CentralError {
        CentralError(.unavailable, "The central database does not answer: \(reason).")
    }
}
