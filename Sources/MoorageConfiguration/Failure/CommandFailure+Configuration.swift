#if Server
    /// What is wrong with the configuration (docs/reference/errors.md, Configuration file). What is
    /// wrong with one setting is with the code that reads it.
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

        // MARK: Keys

        static func unreadableTokenKey(_ path: String) -> CommandFailure {
            CommandFailure(
                "A key for tokens cannot be read.", at: path,
                next: "See that the file is there, and that it is PEM.", exit: .configuration)
        }
    }
#endif
