import MoorageHub

/// Tables that cannot be attached, or not as they are now.
extension CentralError {
    static func columnGoneDuringAttach(_ column: String, of table: String) -> CentralError {
        CentralError(
            .failed, "The column \(table).\(column) is gone. Run `moorage attach` again.")
    }

    static func binaryLogOfStatements(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            The server's binary log contains statements (\(code)), so it takes no write in READ \
            COMMITTED, which Moorage needs. Set binlog_format to MIXED or ROW on the server.
            """)
    }

    static let triggersForbidden = CentralError(
        .failed,
        """
        The server writes a binary log, and lets only administrators make triggers. Set \
        log_bin_trust_function_creators = 1 on it, or attach as a user with the right SUPER.
        """)

    static func triggerWithoutUser(_ code: UInt32) -> CentralError {
        CentralError(
            .failed,
            """
            A trigger runs as a user that does not exist (\(code)). If the trigger is Moorage's, \
            run `moorage attach`.
            """)
    }

    static let preparedTransaction = CentralError(
        .conflict,
        """
        A prepared transaction (XA PREPARE) waits for its end, and may have written to the table \
        before its triggers were made. XA RECOVER names it: end it with XA COMMIT or XA ROLLBACK.
        """)

    /// Keys that are read alike but stored differently. Such a key always comes after itself, so
    /// the scan would not end.
    static func keysReadAlike(of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The database reads different keys of \(table) alike, so the hub cannot distinguish \
            them. Run `moorage attach`. If that does not help, change the type of the primary key.
            """)
    }

    static func tooManyCascades(to table: String) -> CentralError {
        CentralError(.failed, TableProblem.tooManyCascades(to: table).reason)
    }
}
