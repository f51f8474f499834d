import MoorageHub

/// The database file and Moorage's own tables in it.
extension CentralError {
    // MARK: The file

    static func cannotOpen(_ path: String) -> CentralError {
        CentralError(
            .unavailable,
            """
            The file \(path) cannot be opened as a SQLite database. See that this user may read \
            and write the file and its folder.
            """)
    }

    /// Another try changes nothing.
    static func notDatabase(_ path: String) -> CentralError {
        CentralError(
            .failed,
            """
            The file \(path) is no SQLite database, or it is encrypted. Nothing changed. Correct \
            the path.
            """)
    }

    static let closed = CentralError(
        .unavailable, "The central database is closed. Open it again.")

    // MARK: Tables

    static func keysUsedUp(of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The table \(table) has no keys left, because its keys have reached the largest integer.
            """)
    }

    static func unreadableIndex(of table: String) -> CentralError {
        CentralError(
            .failed,
            "A unique index of \(table) cannot be read. Make it again, with a name in UTF-8.")
    }
}
