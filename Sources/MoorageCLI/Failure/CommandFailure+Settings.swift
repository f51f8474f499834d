#if Server
    import MoorageConfiguration

    /// Which settings do not fit the central database, or leave no way to sign in
    /// (docs/reference/errors.md, Server start).
    extension CommandFailure {
        static let nobodyCanSignIn = CommandFailure(
            "Nobody could sign in: there is no shared secret, no API key and no rule for tokens.",
            next: """
                Set MOORAGE_SECRET, or name a file with --secret-file; make one with \
                `openssl rand -base64 32`. Or say under `signIn` which tokens the server accepts.
                """,
            exit: .configuration)

        static func tableNotConfigured(_ table: String) -> CommandFailure {
            CommandFailure(
                """
                The table \(table) is attached, and the configuration does not name it. Every user \
                would get its rows.
                """,
                next: "Name it under `tables`, or run `moorage attach` to detach it.",
                exit: .configuration)
        }

        /// - Parameter next: The column that may be meant.
        static func ruleWithoutColumn(
            _ column: String, of table: String, next: String?
        ) -> CommandFailure {
            CommandFailure(
                "The configuration has a rule for \(table).\(column), which is no column.",
                next: next, exit: .configuration)
        }
    }
#endif
