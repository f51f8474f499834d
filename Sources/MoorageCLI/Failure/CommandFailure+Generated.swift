#if Server
    import MoorageConfiguration
    import MoorageWire

    /// What is wrong with a schema file, or with what is made from it (docs/reference/errors.md,
    /// Schema files and generated source).
    extension CommandFailure {
        // MARK: Files

        static func noSchemaFile(_ path: String) -> CommandFailure {
            CommandFailure(
                "There is no schema file.", at: path,
                next: """
                    Make it with `moorage schema <hub> --output \(ShellWord.quoted(path))`, or \
                    name another one.
                    """)
        }

        /// - Parameter reason: A sentence.
        static func unusableSchema(_ reason: String, at path: String) -> CommandFailure {
            CommandFailure(
                "This is no schema file that can be used. \(reason)", at: path,
                next: """
                    Make it again: `moorage schema <hub> --output \(ShellWord.quoted(path))`. A \
                    newer file needs a newer `moorage`.
                    """)
        }

        static func unreadableFile(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file cannot be read.", at: path,
                next: """
                    See that it is there, that this user may read it, and that it has at most \
                    \(SchemaFile.maximumBytes >> 20) MB.
                    """)
        }

        static func unwritableFile(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file cannot be written.", at: path,
                next: "See that its folder is there, and that this user may write into it.")
        }

        // MARK: Differences

        /// - Parameter differences: How many, as `2 differences`.
        static func schemaDiffers(_ differences: String, from path: String) -> CommandFailure {
            CommandFailure(
                "\(differences) between the schema file and the hub's tables.", at: path,
                next: """
                    Make the file again: \
                    `moorage schema <hub> --output \(ShellWord.quoted(path))`. \
                    Then generate the app's records again, and migrate its tables.
                    """)
        }

        static func sourceDiffers(_ path: String) -> CommandFailure {
            CommandFailure(
                "The source is not what the schema file gives.", at: path,
                next: """
                    Make it again: `moorage generate swift --output \(ShellWord.quoted(path))`, \
                    with the same other options. Write code of your own into other files.
                    """)
        }

        /// - Parameter differences: How many, as `2 differences`.
        static func appDiffers(_ differences: String, in path: String) -> CommandFailure {
            CommandFailure(
                "\(differences) between the app's tables and the schema file.", at: path,
                next: "Add a migration to the app that does what the lines above say.")
        }

        static func noTableInApp(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file has no table that can be synced.", at: path,
                next: "Run the app's migrations on it first, and give its tables a primary key.")
        }

        // MARK: New tables

        /// - Parameters:
        ///   - reason: A sentence.
        ///   - made: The tables that were made before.
        static func tablesNotMade(
            _ table: String, _ reason: String, made: [String], in database: String
        ) -> CommandFailure {
            CommandFailure(
                "The table \(table) could not be made. \(reason)", at: database,
                next: made.isEmpty
                    ? "Nothing was made. Correct the cause, and run the command again."
                    : """
                    What was made stays: \(TextTable.shown(made.joined(separator: ", "))). Drop \
                    these tables, correct the cause, and run the command again.
                    """)
        }
    }
#endif
