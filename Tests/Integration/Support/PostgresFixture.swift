import Foundation

/// The PostgreSQL server for the tests. Each test makes a database of its own and drops it.
enum PostgresFixture {
    /// A superuser's URL to any database of the server. `Scripts/test` starts a server and sets it.
    static let serverURL: String? = {
        guard let url = ProcessInfo.processInfo.environment["MOORAGE_TEST_POSTGRES"] else {
            print(
                """
                Integration: the suites do not run on PostgreSQL, because MOORAGE_TEST_POSTGRES is \
                not set (Scripts/test starts a server and sets it).
                """)
            return nil
        }
        return url
    }()

    static var isThere: Bool { serverURL != nil }

    struct NoServer: Error {}

    /// Makes a database with a random name.
    static func makeDatabase() throws -> (name: String, url: String) {
        guard let serverURL, var parts = URLComponents(string: serverURL) else { throw NoServer() }
        let name =
            "moorage_story_" + UUID().uuidString.lowercased().prefix(12).replacing("-", with: "")
        try PostgresSession(url: serverURL).query("CREATE DATABASE \(name) TEMPLATE template0")
        parts.path = "/\(name)"
        return (name, parts.string ?? serverURL)
    }

    /// Ends the database's sessions and drops it.
    ///
    /// The server waits five seconds for sessions that it ends, and then refuses. On a busy machine
    /// they may take longer, so this tries again.
    static func drop(_ name: String) throws {
        guard let serverURL else { return }
        let session = try PostgresSession(url: serverURL)
        let sql = "DROP DATABASE IF EXISTS \(name) WITH (FORCE)"
        for _ in 0..<10 {
            do {
                try session.query(sql)
                return
            } catch let failure as PostgresSession.Failure where failure.isInUse {
                continue
            }
        }
        try session.query(sql)
    }
}
