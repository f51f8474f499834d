import CPostgres
import MoorageHub

/// The address of the database, and its schema. It never prints itself, because it contains the
/// password.
struct PostgresAddress: Sendable, CustomStringConvertible, CustomReflectable {
    /// What is between the hub and the server.
    enum Pooling: String, Sendable {
        /// Each transaction may have another session.
        case transaction
        /// Each connection has a session of its own.
        case session
    }

    /// The URL without Moorage's own options.
    let libpqURL: String
    let schema: OwnerSchema
    /// `nil` where the connection finds out.
    let pooling: Pooling?
    private let password: String?

    init(url: String) throws {
        let isURL = url.hasPrefix("postgres://") || url.hasPrefix("postgresql://")
        let query = isURL ? try AddressQuery(url: url, own: ["schema", "pooling"]) : nil
        var message: UnsafeMutablePointer<CChar>?
        // libpq's message may repeat a password that it read as something else, so the error leaves
        // it out.
        let options = query.flatMap { PQconninfoParse($0.rest, &message) }
        if let message { PQfreemem(message) }
        guard let query, let options else { throw CentralError.unreadableAddress }
        defer { PQconninfoFree(options) }
        var password: String?
        var ports: [Substring] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == "password", let value = option.pointee.val {
                password = String(cString: value)
            }
            if String(cString: keyword) == "port", let value = option.pointee.val {
                ports = String(cString: value).split(separator: ",")
            }
            option += 1
        }
        guard ports.allSatisfy({ (1...65535).contains(Int($0) ?? 0) }) else {
            throw CentralError.unknownPort
        }
        libpqURL = query.rest
        schema = try OwnerSchema(query.values["schema"] ?? OwnerSchema.usual)
        pooling = try query.values["pooling"].map { word in
            guard let pooling = Pooling(rawValue: word) else { throw CentralError.unknownPooling }
            return pooling
        }
        self.password = password
    }

    /// The text without the password, if it contains that.
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
