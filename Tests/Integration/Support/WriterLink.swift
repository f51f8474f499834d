import CPostgres

/// Another program's libpq connection, used by one thread at a time.
final class WriterLink: OwnerSession {
    private let handle: OpaquePointer?

    init(_ url: String) throws {
        handle = PQconnectdb(url)
        guard PQstatus(handle) == CONNECTION_OK else { throw failure("") }
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    struct Failure: OwnerFailure, CustomStringConvertible {
        let state: String
        let description: String

        var isExpected: Bool { state.hasPrefix("40") || state.hasPrefix("23") }
    }

    /// Runs one statement, or several at once.
    ///
    /// - Returns: The last one's rows as text, with NULL as `∅`.
    @discardableResult
    func run(_ sql: String) throws -> [[String]] {
        guard let result = PQexec(handle, sql) else { throw failure("") }
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            // 67 is PG_DIAG_SQLSTATE, a macro that is not imported.
            guard let state = PQresultErrorField(result, 67) else { throw failure("") }
            throw failure(String(cString: state))
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0,
                    let value = PQgetvalue(result, row, column)
                else { return "∅" }
                return String(cString: value)
            }
        }
    }

    private func failure(_ state: String) -> Failure {
        Failure(state: state, description: String(cString: PQerrorMessage(handle)))
    }
}

/// A test's own database on the server that `MOORAGE_TEST_POSTGRES` names.
struct WriterDatabase {
    /// The URL with the password.
    let url: String

    /// Whether a server is available. Without one, it prints the reason once.
    static var isThere: Bool { PostgresFixture.isThere }

    static func with<Result>(_ body: (WriterDatabase) async throws -> Result) async throws -> Result
    {
        let (name, url) = try PostgresFixture.makeDatabase()
        do {
            let result = try await body(WriterDatabase(url: url))
            try PostgresFixture.drop(name)
            return result
        } catch {
            try PostgresFixture.drop(name)
            throw error
        }
    }

    func open() throws -> WriterLink { try WriterLink(url) }
}
