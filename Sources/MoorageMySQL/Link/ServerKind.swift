/// What the server can do, as values: nothing else asks which of the two it is.
struct ServerKind: Hashable, Sendable {
    let isMariaDB: Bool
    /// 10·10,000 + 11·100 + 6 for 10.11.6.
    let version: Int

    /// Arrays of arguments for one statement; MySQL answers them with an error.
    var bindsArrays: Bool { isMariaDB }
    /// `CREATE OR REPLACE TRIGGER`; without it the table is locked while a trigger is made again.
    var replacesTriggers: Bool { isMariaDB }
    /// Locking reads in the parts of a recursive statement; nobody has tried MySQL.
    var readsRecursivelyWithLocks: Bool { isMariaDB }
    /// A rollback to a savepoint leaves FULLTEXT indexes in a state that ends the server at the next write.
    var losesFullText: Bool { isMariaDB }
    /// Literal defaults come quoted, and NULL as a word.
    var quotesDefaults: Bool { isMariaDB }
    /// A JSON column is a text with a check.
    var hasJSONAsText: Bool { isMariaDB }
    /// The type `UUID`.
    var hasUUID: Bool { isMariaDB && version >= 100_700 }
    /// `GRANT … TO PUBLIC`.
    var grantsToPublic: Bool { isMariaDB && version >= 101_100 }
    /// The variables that hold the server's own id, the better ones first: not every release of MariaDB has one.
    var identities: [String] { isMariaDB ? ["server_uid", "hostname"] : ["server_uuid"] }

    /// Until a server has greeted.
    static let mariaDB = ServerKind(isMariaDB: true, version: 100_600)

    private init(isMariaDB: Bool, version: Int) {
        self.isMariaDB = isMariaDB
        self.version = version
    }

    /// A collation of utf8mb4 that compares bytes, spaces at the end included.
    var binaryCollation: String { isMariaDB ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin" }

    /// - Parameter text: As the server greets: `5.5.5-10.11.6-MariaDB-0+deb12u1`, `8.0.36`.
    init?(greeting text: String) {
        isMariaDB = text.contains("MariaDB")
        var words = text.split(separator: "-").map(String.init)
        if isMariaDB, words.count > 1, words[0] == "5.5.5" { words.removeFirst() }
        let parts = (words.first ?? "").split(separator: ".").map { part in
            Int(part.prefix { $0.isASCII && $0.isNumber })
        }
        guard parts.count >= 2, let major = parts[0], let minor = parts[1], major < 1000,
            minor < 100
        else { return nil }
        version = major * 10_000 + minor * 100 + min(99, (parts.count > 2 ? parts[2] : nil) ?? 0)
    }

    /// Why this server will not do; `nil` when it will.
    var problem: String? {
        if isMariaDB, version < 100_600 {
            return "MariaDB 10.6 or newer is needed; this server is older. Upgrade it."
        }
        if !isMariaDB, version < 80_022 {
            return "MySQL 8.0.22 or newer is needed; this server is older. Upgrade it."
        }
        return nil
    }
}
