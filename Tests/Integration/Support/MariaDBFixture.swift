import Foundation

/// The MariaDB server that the tests may use: each test makes a database of its own and drops it.
enum MariaDBFixture {
    /// The URL of a user who may do everything; `Scripts/test` starts one and sets it.
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

    struct NoServer: Error {}

    /// Makes a database with a random name, whose texts compare by their bytes.
    static func makeDatabase() throws -> (name: String, url: String) {
        guard let serverURL, var parts = URLComponents(string: serverURL) else { throw NoServer() }
        let name =
            "moorage_story_" + UUID().uuidString.lowercased().prefix(12).replacing("-", with: "")
        try MySQLLink(url: serverURL).run(
            "CREATE DATABASE \(name) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
        parts.path = "/\(name)"
        return (name, parts.string ?? serverURL)
    }

    static func drop(_ name: String) throws {
        guard let serverURL else { return }
        try MySQLLink(url: serverURL).run("DROP DATABASE IF EXISTS \(name)")
    }
}
