import CPostgres
import Foundation
import MoorageTesting

/// The server that `Scripts/test` starts, and databases on it that live for one test.
enum PostgresServer {
    static let url: String? = {
        let url = ProcessInfo.processInfo.environment["MOORAGE_TEST_POSTGRES"]
        if url == nil {
            print(
                "PostgreSQL suites do not run: MOORAGE_TEST_POSTGRES names no server (Scripts/test does)."
            )
        }
        return url
    }()

    static var isAvailable: Bool { url != nil }

    static func withDatabase(_ work: (String) throws -> Void) throws {
        let name = "moorage_test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let server = try PostgresSession(url: url ?? "")
        try server.execute("CREATE DATABASE \(name)")
        defer { try? server.execute("DROP DATABASE \(name) WITH (FORCE)") }
        try work(urlOf(name))
    }

    /// The server's URL with another database.
    static func urlOf(_ database: String) -> String {
        guard var components = URLComponents(string: url ?? "") else { return "" }
        components.path = "/" + database
        return components.string ?? ""
    }
}

/// Another program's connection, straight on libpq.
final class PostgresSession: OwnerSession {
    private let handle: OpaquePointer?

    init(url: String) throws {
        handle = PQconnectdb(url)
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQstatus(handle) == CONNECTION_OK else {
            throw SessionError(description: String(cString: PQerrorMessage(handle)))
        }
    }

    deinit { PQfinish(handle) }

    func execute(_ sql: String) throws {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            throw SessionError(description: String(cString: PQerrorMessage(handle)))
        }
    }
}

struct SessionError: Error, CustomStringConvertible {
    let description: String
}
