#if Server
    import MoorageConfiguration

    /// What is wrong with a replica, or with its file (docs/reference/errors.md, Replica files).
    extension CommandFailure {
        static func noReplicaFile(_ path: String) -> CommandFailure {
            CommandFailure(
                "There is no such file.", at: path,
                next: "Make the replica with `moorage clone <hub> \(ShellWord.quoted(path))`.")
        }

        static func notReplica(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file is no replica.", at: path,
                next: "Make one with `moorage clone <hub> <new file>`.")
        }

        /// Opening a file brings it up to date, which is a write.
        static func earlierReplica(_ path: String) -> CommandFailure {
            CommandFailure(
                "An earlier version of Moorage wrote the file, and this command only reads.",
                at: path,
                next: """
                    Open it with its app, or copy it and run `moorage status` on the copy: both                     bring the file up to date.
                    """)
        }

        /// - Parameter known: The tables that the file syncs.
        static func tableNotInReplica(
            _ table: String, among known: [String], in path: String
        ) -> CommandFailure {
            CommandFailure(
                "The replica has no table \(table).", at: path,
                next: NearestName.question(for: table, among: known)
                    ?? "It has \(TextTable.shown(known.prefix(20).joined(separator: ", "))).")
        }

        /// - Parameter columns: Those of the table's key.
        static func otherKey(_ columns: [String], of table: String) -> CommandFailure {
            let names = TextTable.shown(columns.joined(separator: ", "))
            return CommandFailure(
                "A key of \(TextTable.shown(table)) has \(columns.count) values: \(names).",
                next: "Write them as a JSON array in single quotes, such as '[7,\"a\"]'.",
                exit: .usage)
        }

        /// - Parameter key: A JSON array.
        static func unknownRow(_ key: String, of table: String, in path: String) -> CommandFailure {
            CommandFailure(
                """
                The file has no row \(TextTable.shown(table)) \(TextTable.shown(key)), and knows \
                nothing of it.
                """, at: path,
                next: "Correct the key. `moorage verify` says whether the hub has the row.")
        }

        /// - Parameter hub: The address that the file remembers.
        static func incompleteClone(_ path: String, hub: String?) -> CommandFailure {
            let hub = hub.map { ShellWord.quoted(HubAddress.shown($0)) } ?? "<hub>"
            return CommandFailure(
                "The file is a clone that is not complete.", at: path,
                next: """
                    Run `moorage clone \(hub) \(ShellWord.quoted(path))`: it continues where it \
                    stopped.
                    """)
        }

        /// A clone found a finished one.
        static func alreadyReplica(_ path: String) -> CommandFailure {
            CommandFailure(
                "The file is a replica already.", at: path,
                next: """
                    Sync it: `moorage sync \(ShellWord.quoted(path))`. For other tables, clone into \
                    a new file.
                    """)
        }

        /// A clone found a table that it would make.
        static func tableInFile(_ table: String, _ path: String) -> CommandFailure {
            CommandFailure(
                "The file has a table \(table) already, and a clone makes its tables itself.",
                at: path, next: "Name a file that does not exist yet.")
        }

        /// - Parameter known: The names of the hub's tables.
        static func tableNotAtHub(_ table: String, among known: [String]) -> CommandFailure {
            let listed = TextTable.shown(known.prefix(20).joined(separator: ", "))
            let rest = known.count > 20 ? " and \(known.count - 20) more" : ""
            return CommandFailure(
                "The hub has no table \(table).",
                next: NearestName.question(for: table, among: known)
                    ?? "It has \(listed)\(rest). Name each with a --table of its own.")
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
                next: "See `moorage status \(ShellWord.quoted(file))`, and sync again.")
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
