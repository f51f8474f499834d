#if Server
    import MoorageConfiguration

    /// What is wrong with the central database, or with a key for tokens (docs/reference/errors.md,
    /// Central database).
    extension CommandFailure {
        static func noSQLiteFile(_ path: String) -> CommandFailure {
            CommandFailure(
                "There is no such file.", at: path,
                next: "Check the path; `moorage sample sqlite:\(path)` makes an example.")
        }

        static func noTableToSync(_ database: String) -> CommandFailure {
            CommandFailure(
                "No table can be synced.", at: database,
                next: "Give the tables a key, as the lines above say.")
        }

        /// - Parameter reason: A sentence, with what to do.
        static func attachedAsOtherHub(_ reason: String, at database: String) -> CommandFailure {
            CommandFailure(reason, at: database)
        }

        /// - Parameter reason: A sentence.
        static func notAttachedAfterRestore(
            _ reason: String, at database: String
        ) -> CommandFailure {
            CommandFailure(
                reason, at: database,
                next: """
                    If you copied the rows from another central database, run `moorage attach --hub \
                    ID` with the id of its hub. Otherwise restore Moorage's own tables, too.
                    """)
        }

        /// - Parameter steps: How many, as `2 steps`.
        static func restoreNeeds(_ steps: String, in database: String) -> CommandFailure {
            CommandFailure(
                "\(steps) before devices may come back.", at: database,
                next: "Follow the steps above, then start the server.")
        }

        /// - Parameter problems: How many, as `2 problems`.
        static func doctorFound(_ problems: String, in database: String) -> CommandFailure {
            CommandFailure(
                "\(problems) found.", at: database,
                next: "Fix them as the lines above say, and run `moorage doctor` again.")
        }

        /// - Parameters:
        ///   - name: The table, or table and column.
        ///   - replicas: How many, as `2 replicas`.
        static func stillNeeded(
            _ name: String, by replicas: String, in database: String
        ) -> CommandFailure {
            CommandFailure(
                "It is not safe to drop \(name): needed by \(replicas).", at: database,
                next: """
                    Update the app on these devices, and let them sync. Revoke replicas that are \
                    gone for good: `moorage replicas revoke`.
                    """)
        }

        /// - Parameter reason: A sentence.
        static func nothingToDrop(_ reason: String) -> CommandFailure {
            CommandFailure(
                reason, next: "See that the name is right. What nobody syncs, no replica needs.",
                exit: .usage)
        }

        /// - Parameter reason: A sentence.
        static func exampleFailed(_ reason: String, in database: String) -> CommandFailure {
            CommandFailure(
                "The example could not be made: \(reason)", at: database,
                next: "Name a database that does not have these tables yet.")
        }

        // MARK: Tokens

        static let noTokens = CommandFailure(
            "The configuration does not accept tokens.",
            next: """
                Write `signIn: {issuer: dev, audience: moorage, keys: [{kid: dev, algorithm: \
                HS256, secret: "${TOKEN_SECRET}"}]}` into moorage.yaml.
                """,
            exit: .configuration)

        static let keySetAlone = CommandFailure(
            "The configuration has no key of its own: only a key set, which cannot sign.",
            next: "Add a key to `signIn.keys`.", exit: .configuration)

        static let unknownKeyID = CommandFailure(
            "The configuration has no key of this `kid`.",
            next: "Name another key, or add one to `signIn.keys`.", exit: .configuration)
    }
#endif
