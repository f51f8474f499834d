#if Server
    /// What is wrong with the configuration (docs/reference/errors.md, Configuration file, Server
    /// start). What is wrong with one setting is with the code that reads it.
    extension CommandFailure {
        // MARK: The file

        static func unreadableConfiguration(_ path: String) -> CommandFailure {
            CommandFailure(
                "The configuration cannot be read.", at: path,
                next: "See that the file is there, or name another with --config.",
                exit: .configuration)
        }

        static func configurationNotUTF8(_ path: String) -> CommandFailure {
            CommandFailure(
                "The configuration is not UTF-8 text.", at: path, exit: .configuration)
        }

        /// - Parameter problem: A part of a sentence.
        static func configurationNotYAML(
            _ place: String, problem: String? = nil
        ) -> CommandFailure {
            let reason = problem.map { ": " + $0 } ?? ""
            return CommandFailure(
                "The configuration is not YAML\(reason).", at: place, exit: .configuration)
        }

        static func sameKeyTwice(_ key: String, at place: String) -> CommandFailure {
            CommandFailure(
                "The configuration has the key `\(key)` twice.", at: place,
                next: "Keep one of them.", exit: .configuration)
        }

        // MARK: Variables of the environment

        static let openVariable = CommandFailure(
            "A `${` has no `}`.", next: "Close it, or write `$${` for the text.",
            exit: .configuration)

        static let variableWithoutName = CommandFailure(
            "`${…}` does not contain the name of an environment variable.",
            next: "Use letters, digits and underscores, or write `$${` for the text.",
            exit: .configuration)

        static func unknownVariable(_ name: String) -> CommandFailure {
            CommandFailure(
                "The environment has no variable \(name).",
                next: "Set \(name), then run the command again.", exit: .configuration)
        }

        // MARK: Sign-in and tables

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
