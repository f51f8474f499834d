import CPostgres
import MoorageHub

/// Where the database is. It never prints itself, because the password is in it.
struct PostgresAddress: Sendable, CustomStringConvertible, CustomReflectable {
    let url: String
    private let password: String?

    init(url: String) throws {
        let isURL = url.hasPrefix("postgres://") || url.hasPrefix("postgresql://")
        var message: UnsafeMutablePointer<CChar>?
        // libpq's own message may repeat a password that was taken for something else: it is not
        // shown.
        let options = isURL ? PQconninfoParse(url, &message) : nil
        if let message { PQfreemem(message) }
        guard let options else {
            throw CentralError(
                .failed,
                """
                The address of the central database cannot be read. It must be a URL like \
                postgres://user:password@host:5432/database, with special characters in user and \
                password escaped (%40 for @).
                """)
        }
        defer { PQconninfoFree(options) }
        var password: String?
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == "password", let value = option.pointee.val {
                password = String(cString: value)
            }
            option += 1
        }
        self.url = url
        self.password = password
    }

    /// The text without the password, should it stand in there.
    func redacted(_ text: String) -> String {
        guard let password, !password.isEmpty else { return text }
        var rest = Substring(text)
        var result = ""
        while !rest.isEmpty {
            if rest.hasPrefix(password) {
                result += "***"
                rest = rest.dropFirst(password.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }

    var description: String { "postgres://…" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
