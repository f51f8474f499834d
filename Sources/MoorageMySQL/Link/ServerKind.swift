/// Which of the two servers it is, and what it can do.
struct ServerKind: Hashable, Sendable {
    let isMariaDB: Bool
    /// 10·10,000 + 11·100 + 6 for 10.11.6.
    let version: Int

    /// Arrays of arguments for one statement. MySQL answers them with an error.
    var bindsArrays: Bool { isMariaDB }
    /// `CREATE OR REPLACE TRIGGER`. Without it the table is locked while a trigger is replaced.
    var replacesTriggers: Bool { isMariaDB }
    /// Locking reads in the parts of a recursive statement. They are untested on MySQL.
    var readsRecursivelyWithLocks: Bool { isMariaDB }
    /// After a rollback to a savepoint, the next write to a FULLTEXT index crashes the server.
    var losesFullText: Bool { isMariaDB }
    /// The server prints literal defaults in quotes, and NULL as a word.
    var quotesDefaults: Bool { isMariaDB }
    /// A JSON column is a text with a check.
    var hasJSONAsText: Bool { isMariaDB }
    /// The list of checks names the table of each.
    var listsTablesOfChecks: Bool { isMariaDB }
    /// The type `UUID`.
    var hasUUID: Bool { isMariaDB && version >= 100_700 }
    /// An attach can add a column whose default is `uuid()`. MySQL refuses some statements with such
    /// a default while it writes a binary log.
    var addsKeys: Bool { isMariaDB }
    /// `GRANT … TO PUBLIC`.
    var grantsToPublic: Bool { isMariaDB && version >= 101_100 }
    /// The variables with the server's own id, the better ones first. Not every release of MariaDB
    /// has the first one.
    var identities: [String] { isMariaDB ? ["server_uid", "hostname"] : ["server_uuid"] }

    /// The value before a server has sent its greeting.
    static let mariaDB = ServerKind(isMariaDB: true, version: 100_600)

    private init(isMariaDB: Bool, version: Int) {
        self.isMariaDB = isMariaDB
        self.version = version
    }

    /// A collation of utf8mb4 that compares bytes, spaces at the end included.
    var binaryCollation: String { isMariaDB ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin" }

    /// - Parameter text: The server's greeting: `5.5.5-10.11.6-MariaDB-0+deb12u1`, `8.0.36`.
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
}
