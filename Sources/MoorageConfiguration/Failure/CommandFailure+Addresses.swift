#if Server
    /// What is wrong with an address or a secret (docs/reference/errors.md, Addresses and secrets).
    extension CommandFailure {
        // MARK: Secrets

        static func noSecret(for url: String) -> CommandFailure {
            CommandFailure(
                "No shared secret was given.", at: url,
                next: """
                    Give the server's secret: in MOORAGE_SECRET, in a file with --secret-file, or \
                    in moorage.yaml.
                    """,
                exit: .unauthorized)
        }

        static func unreadableSecret(_ path: String) -> CommandFailure {
            CommandFailure(
                "The secret cannot be read.", at: path,
                next: "See that the file is there and has one line of text.",
                exit: .configuration)
        }

        // MARK: Databases

        // These do not repeat the text: without the form of a URL, its password cannot be found and
        // hidden.
        static let notDatabaseURL = unusableURL("This is no database URL.")
        static let sqliteWithoutPath = unusableURL("`sqlite:` needs the path of a file.")
        static let unsupportedDatabase = unusableURL("Moorage does not support SQL Server.")

        private static func unusableURL(_ what: String) -> CommandFailure {
            CommandFailure(
                what,
                next: """
                    Write `sqlite:path/to/file.db`, `postgres://user@host:5432/name` or \
                    `mysql://user@host:3306/name`.
                    """,
                exit: .usage)
        }

        /// - Parameter url: Without its password.
        static func passwordOnCommandLine(_ url: String) -> CommandFailure {
            CommandFailure(
                "The database URL has a password, and others can read a command line.", at: url,
                next: """
                    Write '${NAME}' in its place, in single quotes, and set NAME in the \
                    environment. Or put the URL into moorage.yaml.
                    """,
                exit: .usage)
        }

        // MARK: Hubs

        /// - Parameter text: Without what may be a secret.
        static func notHub(_ text: String) -> CommandFailure {
            CommandFailure(
                "This is no hub.", at: text,
                next: """
                    Write `http://host:port` or `https://host` for a server, or a database URL \
                    (`sqlite:path`, `postgres://…`, `mysql://…`) to work on the central database \
                    directly.
                    """,
                exit: .usage)
        }

        static func serverWithPath(_ url: String, path: String) -> CommandFailure {
            CommandFailure(
                "The address of a server has no path.", at: url,
                next: "Leave \(path) out: write \(url.dropLast(path.utf8.count)).", exit: .usage)
        }

        static func plainHTTP(to host: String) -> CommandFailure {
            CommandFailure(
                "Plain HTTP would send secret and rows unencrypted to \(host).",
                next: "Use https://, or --allow-plain-http on a network that is private.",
                exit: .usage)
        }

        static func unreadableAuthorities(_ path: String) -> CommandFailure {
            CommandFailure(
                "The certificate authorities cannot be read.", at: path,
                next: "See that the file is there.", exit: .usage)
        }
    }
#endif
