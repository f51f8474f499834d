import Foundation

/// The MariaDB server for the tests. Each test makes a database of its own and drops it.
enum MariaDBFixture {
    /// The URL of a user with all rights. `Scripts/test` starts a server and sets it.
    static let serverURL: String? = {
        guard let url = ProcessInfo.processInfo.environment["MOORAGE_TEST_MARIADB"] else {
            print(
                """
                Integration: the suites do not run on MariaDB, because MOORAGE_TEST_MARIADB is not \
                set (Scripts/test starts a server and sets it).
                """)
            return nil
        }
        return url
    }()

    static var isThere: Bool { serverURL != nil }

    /// Another server with its own modes, character sets and time zone; `nil` without one.
    static let otherServerURL: String? = {
        let url = ProcessInfo.processInfo.environment["MOORAGE_TEST_MARIADB_OTHER"]
        if url == nil {
            print(
                "Integration: MOORAGE_TEST_MARIADB_OTHER is not set, and no second MariaDB is tried."
            )
        }
        return url
    }()

    struct NoServer: Error {}

    /// Makes a database with a random name, which compares texts by their bytes.
    static func makeDatabase(
        on server: String? = serverURL
    ) throws -> (name: String, url: String) {
        guard let server, var parts = URLComponents(string: server) else { throw NoServer() }
        let name =
            "moorage_story_" + UUID().uuidString.lowercased().prefix(12).replacing("-", with: "")
        try MySQLLink(url: server).run(
            "CREATE DATABASE \(name) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
        parts.path = "/\(name)"
        return (name, parts.string ?? server)
    }

    static func drop(_ name: String, on server: String? = serverURL) throws {
        guard let server else { return }
        try MySQLLink(url: server).run("DROP DATABASE IF EXISTS \(name)")
    }
}
