#if Server
    /// A central database: `sqlite:path`, `postgres://…` or `mysql://…`.
    package enum DatabaseAddress: Hashable, Sendable {
        case sqlite(path: String)
        case postgres(url: String)
        /// MariaDB or MySQL.
        case mysql(url: String)

        package init(_ text: String) throws(CommandFailure) {
            if let path = Self.rest(of: text, after: "sqlite:") {
                // sqlite:relative, sqlite:/absolute and sqlite:///absolute.
                let path = path.hasPrefix("//") ? String(path.dropFirst(2)) : path
                guard !path.isEmpty, !path.hasPrefix("file:"), path != ":memory:" else {
                    throw CommandFailure.sqliteWithoutPath
                }
                self = .sqlite(path: path)
            } else if ["postgres://", "postgresql://"].contains(where: text.hasPrefix) {
                self = .postgres(url: text)
            } else if ["mysql://", "mariadb://"].contains(where: text.hasPrefix) {
                self = .mysql(url: text)
            } else if text.hasPrefix("sqlserver://") {
                throw CommandFailure.unsupportedDatabase
            } else {
                throw CommandFailure.notDatabaseURL
            }
        }

        /// Reads an argument of the command line. Everyone on the machine can read it, so a
        /// password has to come from the environment, as `${NAME}`.
        package init(
            argument text: String, environment: [String: String]
        ) throws(CommandFailure) {
            if Self.holdsPassword(text) {
                throw CommandFailure.passwordOnCommandLine(Self.withoutPassword(text))
            }
            do {
                try self.init(try Substitution(environment: environment).apply(to: text))
            } catch {
                throw CommandFailure(error.what, next: error.next, exit: .usage)
            }
        }

        /// The address without its password, for people and logs.
        package var description: String {
            switch self {
            case .sqlite(let path): "sqlite:\(path)"
            case .postgres(let url), .mysql(let url): Self.withoutPassword(url)
            }
        }

        private static func rest(of text: String, after prefix: String) -> String? {
            text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
        }

        /// The passwords' ranges in the text's bytes, in order and without overlap.
        ///
        /// Like libpq, which also reads bytes, it finds a user where an `@` comes before the first
        /// slash after the scheme.
        static func passwordRanges(in text: String) -> [Range<Int>] {
            let bytes = Array(text.utf8)
            var ranges: [Range<Int>] = []
            if let user = userPassword(in: bytes) { ranges.append(user) }
            var position = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
            while let name = bytes[position...].firstRange(of: Array("password=".utf8)) {
                position =
                    bytes[name.upperBound...].firstIndex(of: UInt8(ascii: "&"))
                    ?? bytes.endIndex
                if let last = ranges.last, last.upperBound > name.upperBound {
                    ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, position)
                } else {
                    ranges.append(name.upperBound..<position)
                }
            }
            return ranges
        }

        private static func userPassword(in bytes: [UInt8]) -> Range<Int>? {
            guard let scheme = bytes.firstRange(of: Array("://".utf8)) else { return nil }
            let user = bytes[scheme.upperBound...].prefix { $0 != UInt8(ascii: "/") }
            guard let at = user.lastIndex(of: UInt8(ascii: "@")),
                let colon = user[..<at].firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            return (colon + 1)..<at
        }

        /// Whether the text contains a password itself, and not the name of a variable.
        private static func holdsPassword(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return passwordRanges(in: text).contains { range in
                bytes[range].firstRange(of: Array("${".utf8)) == nil
            }
        }

        private static func isVariable(_ password: ArraySlice<UInt8>) -> Bool {
            guard password.starts(with: "${".utf8), password.last == UInt8(ascii: "}") else {
                return false
            }
            return Substitution.isName(
                String(decoding: password.dropFirst(2).dropLast(), as: UTF8.self))
        }

        /// A password that is the name of a variable, such as `${NAME}`, stays.
        static func withoutPassword(_ text: String) -> String {
            var bytes = Array(text.utf8)
            for range in passwordRanges(in: text).reversed() where !isVariable(bytes[range]) {
                bytes.replaceSubrange(range, with: Array("***".utf8))
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
