import Foundation
import MoorageHub

/// The address of the database. It never prints itself, because it contains the password.
struct MySQLAddress: Sendable, CustomStringConvertible, CustomReflectable {
    /// The TLS that a connection needs.
    enum Encryption: String, Sendable {
        /// TLS where the server offers it, without a check of the certificate.
        case preferred
        /// TLS always, without a check of the certificate.
        case required
        /// TLS with a certificate that a known authority has signed and that names the host.
        case verified
        case disabled
    }

    let host: String
    let port: UInt32
    let user: String
    let password: String
    let database: String
    let encryption: Encryption
    /// A file of certificates to trust instead of the system's.
    let authority: String?
    /// A local socket in place of host and port.
    let socket: String?

    /// - Parameter url: `mysql://user:password@host:3306/database?tls=verified&ca=…&socket=…`, or
    ///   `mariadb://…`.
    /// - Throws: ``CentralError`` of kind `failed`; its message never repeats the URL.
    init(url: String) throws {
        guard let parts = URLComponents(string: url),
            ["mysql", "mariadb"].contains(parts.scheme ?? ""), let host = parts.host,
            let user = parts.user, !user.isEmpty, parts.path.count > 1,
            !parts.path.dropFirst().contains("/")
        else { throw CentralError.unreadableAddress }
        var options: [String: String] = [:]
        for item in parts.queryItems ?? [] {
            guard ["tls", "ca", "socket"].contains(item.name), let value = item.value else {
                throw CentralError.unknownOption
            }
            options[item.name] = value
        }
        guard let encryption = Encryption(rawValue: options["tls"] ?? "preferred") else {
            throw CentralError.unknownEncryption
        }
        let texts = [user, parts.password ?? "", String(parts.path.dropFirst()), host]
        guard (texts + options.values).allSatisfy({ !$0.utf8.contains(0) }),
            let port = UInt16(exactly: parts.port ?? 3306)
        else { throw CentralError.unreadableAddress }
        // A URL has an IPv6 address in brackets.
        let bare =
            host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
        self.host = bare.isEmpty ? "127.0.0.1" : String(bare)
        self.port = UInt32(port)
        self.user = user
        password = parts.password ?? ""
        database = String(parts.path.dropFirst())
        self.encryption = encryption
        authority = options["ca"]
        socket = options["socket"]
    }

    var description: String { "mysql://…" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
