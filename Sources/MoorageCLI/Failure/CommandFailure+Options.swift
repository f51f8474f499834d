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
                next: "Name it once with `--hub <hub>`: from then on the file remembers it.",
                exit: .usage)
        }

        static func hubInsteadOfFile(_ hub: String) -> CommandFailure {
            CommandFailure(
                "This is a hub, and the file comes first.", at: hub,
                next: "Write the file, then `--hub <hub>`.", exit: .usage)
        }
    }
#endif
