#if Server
    import MoorageConfiguration

    /// What is wrong with a replica, or with its file (docs/reference/errors.md, Replica files).
    extension CommandFailure {
        static func noReplicaFile(_ path: String) -> CommandFailure {
            CommandFailure(
                "There is no such file.", at: path,
                next: "Make the replica with `moorage clone <hub> \(path)`.")
        }

        static func notReplica(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file is no replica.", at: path,
                next: "Make one with `moorage clone <hub> <new file>`.")
        }

        static func incompleteClone(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file is a clone that is not complete.", at: path,
                next: "Run `moorage clone` again: it continues where it stopped.")
        }

        static func readOnlyFile(_ path: String) -> CommandFailure {
            CommandFailure(
                "This user may only read the file.", at: path,
                next: "Allow this user to write the file and its folder.")
        }

        static func unopenableFile(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file cannot be opened as a SQLite database.", at: path,
                next: "See that its folder is there, and that this user may read and write it.")
        }

        static func notDatabase(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file is no SQLite database, or it is encrypted.", at: path,
                next: "Correct the path, or clone into a new file.")
        }

        static let hubWithoutTables = CommandFailure(
            "The hub syncs no table.", next: "Run `moorage attach` on its database.")

        static func notCaughtUp(_ file: String) -> CommandFailure {
            CommandFailure(
                "The replica has not caught up.", at: file,
                next: "See `moorage status \(file)`, and sync again.")
        }

        static func rowsDiffer(_ count: Int, in file: String) -> CommandFailure {
            CommandFailure(
                "\(count) rows differ from the hub's.", at: file,
                next: """
                    Sync and verify again. If rows still differ, something changed them without \
                    the triggers: clone a new file.
                    """)
        }

        /// - Parameter changes: Local changes of these tables, which wait.
        static func tablesSuspended(
            _ tables: Int, changes: Int, in file: String
        ) -> CommandFailure {
            CommandFailure(
                tables == 1
                    ? "A table is suspended; \(changes) of its changes wait."
                    : "\(tables) tables are suspended; \(changes) of their changes wait.",
                at: file,
                next: """
                    Do what the table's line says, then sync. Keep the file until then: \
                    `moorage pending \(file)` lists what waits.
                    """,
                exit: .suspended)
        }
    }
#endif
