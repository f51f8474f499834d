#if Server
    import MoorageConfiguration

    /// What is wrong with the database or the hub that a command names (docs/reference/errors.md,
    /// Addresses and secrets).
    extension CommandFailure {
        static let noDatabaseNamed = CommandFailure(
            "No database was named.",
            next: "Give its URL, or set `database` in moorage.yaml.", exit: .usage)

        static let trustWithDatabase = CommandFailure(
            "--ca-file and --pin are for a server; this hub is a database.",
            next: "Leave them out.", exit: .usage)

        static func noHubRemembered(_ file: String) -> CommandFailure {
            CommandFailure(
                "The file does not say which hub it belongs to.", at: file,
                next: "Name it with `--hub <hub>`. After the next sync the file remembers it.",
                exit: .usage)
        }

        static func hubInsteadOfFile(_ hub: String) -> CommandFailure {
            CommandFailure(
                "This is a hub, and the file comes first.", at: hub,
                next: "Write the file, then `--hub <hub>`.", exit: .usage)
        }

        static func fileInsteadOfHub(_ file: String) -> CommandFailure {
            CommandFailure(
                "This is a file, and the hub comes first.", at: file,
                next: "Write `moorage clone <hub> <file>`.", exit: .usage)
        }

        static let cloneWithoutPlaces = CommandFailure(
            "A clone needs the hub and one file.",
            next: "Write `moorage clone <hub> <file>`, or `moorage clone <file> --hub <hub>`.",
            exit: .usage)

        static func unknownCommand(_ name: String, among names: [String]) -> CommandFailure {
            CommandFailure(
                "There is no command `\(name)`.",
                next: NearestName.question(for: name, among: names)
                    ?? "`moorage --help` lists the commands.",
                exit: .usage)
        }
    }
#endif
