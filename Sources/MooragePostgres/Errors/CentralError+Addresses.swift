import MoorageHub

/// What is wrong with the URL of the database. No message repeats the URL.
extension CentralError {
    static let unreadableAddress = CentralError(
        .failed,
        """
        The hub cannot read the address of the central database. It must be a URL like \
        postgres://user:password@host:5432/database. Escape special characters in user and \
        password (%40 for @).
        """)

    static let unknownPort = CentralError(
        .failed, "The port in the URL of the central database must be a number from 1 to 65535.")

    /// - Parameter option: One of Moorage's own options.
    static func unreadableOption(_ option: String) -> CentralError {
        CentralError(
            .failed,
            """
            The option `\(option)` in the URL of the central database is there twice, or its value \
            cannot be read. Write it once, with a value whose special characters are escaped (%20 \
            for a space).
            """)
    }

    static let unknownPooling = CentralError(
        .failed,
        """
        The option `pooling` in the URL of the central database must be `transaction` or `session`.
        """)

    // MARK: The schema

    static func schemaMissing(_ schema: String) -> CentralError {
        CentralError(
            .failed,
            """
            The central database has no schema \(schema). Correct `schema` in its URL; upper and \
            lower case count.
            """)
    }

    static let schemaWithoutName = CentralError(
        .failed,
        """
        The option `schema` in the URL of the central database has no valid name. Name the schema \
        with your tables.
        """)

    static func systemSchema(_ schema: String) -> CentralError {
        CentralError(
            .failed, "The schema \(schema) is PostgreSQL's own. Name the one with your tables.")
    }

    static func schemaForbidden(_ schema: String) -> CentralError {
        CentralError(
            .failed,
            "The hub's role may not use the schema \(schema). Grant it USAGE on the schema.")
    }
}
