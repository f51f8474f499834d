#if Server
    /// A central database: `sqlite:path`, or `postgres://…`.
    enum DatabaseAddress: Hashable {
        case sqlite(path: String)
        case postgres(url: String)

        init(_ text: String) throws(CommandFailure) {
            if let path = Self.rest(of: text, after: "sqlite:") {
                // sqlite:relative, sqlite:/absolute and sqlite:///absolute.
                let path = path.hasPrefix("//") ? String(path.dropFirst(2)) : path
                guard !path.isEmpty, !path.hasPrefix("file:"), path != ":memory:" else {
                    throw Self.failure("`sqlite:` needs the path of a file.")
                }
                self = .sqlite(path: path)
            } else if ["postgres://", "postgresql://"].contains(where: text.hasPrefix) {
                self = .postgres(url: text)
            } else if ["mysql://", "mariadb://", "sqlserver://"].contains(where: text.hasPrefix) {
                throw Self.failure("This kind of database comes with a later version.")
            } else {
                // Not repeated: in what is no URL nobody can tell the password from the rest.
                throw Self.failure("This is no database URL.")
            }
        }

        /// Reads an argument of the command line, where everyone on the machine can read it: a
        /// password has to come from the environment, as `${NAME}`.
        init(argument text: String, environment: [String: String]) throws(CommandFailure) {
            if let password = Self.password(in: text), !password.contains("${") {
                throw CommandFailure(
                    "The database URL holds a password, and a command line can be read by others.",
                    at: Self.withoutPassword(text),
                    next: """
                        Write '${NAME}' in its place, in single quotes, and set NAME in the \
                        environment; or put the URL into moorage.yaml.
                        """,
                    exit: .usage)
            }
            do {
                let text = try Substitution(environment: environment).apply(to: text)
                try self.init(text)
            } catch {
                throw CommandFailure(error.what, next: error.next, exit: .usage)
            }
        }

        /// The address without its password, for people and logs.
        var description: String {
            switch self {
            case .sqlite(let path): "sqlite:\(path)"
            case .postgres(let url): Self.withoutPassword(url)
            }
        }

        private static func rest(of text: String, after prefix: String) -> String? {
            text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
        }

        private static func failure(_ what: String) -> CommandFailure {
            CommandFailure(
                what, next: "Write `sqlite:path/to/file.db` or `postgres://user@host:5432/name`.",
                exit: .usage)
        }

        private static func passwordRange(in text: String) -> Range<String.Index>? {
            guard let scheme = text.firstRange(of: "://") else { return nil }
            let rest = text[scheme.upperBound...]
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            guard let at = authority.lastIndex(of: "@"),
                let colon = authority[..<at].firstIndex(of: ":")
            else { return nil }
            return authority.index(after: colon)..<at
        }

        private static func password(in text: String) -> String? {
            if let range = passwordRange(in: text) { return String(text[range]) }
            guard let range = queryPassword(in: text) else { return nil }
            return String(text[range])
        }

        private static func queryPassword(in text: String) -> Range<String.Index>? {
            guard let name = text.firstRange(of: "password="),
                text[..<name.lowerBound].contains("?")
            else { return nil }
            let value = text[name.upperBound...].prefix { $0 != "&" }
            return value.startIndex..<value.endIndex
        }

        static func withoutPassword(_ text: String) -> String {
            var text = text
            if let range = passwordRange(in: text) { text.replaceSubrange(range, with: "***") }
            if let range = queryPassword(in: text) { text.replaceSubrange(range, with: "***") }
            return text
        }
    }
#endif
