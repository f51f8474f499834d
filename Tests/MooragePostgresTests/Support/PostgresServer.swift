import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting

@testable import MooragePostgres

/// The server that the tests run against; each test makes a database of its own there.
enum PostgresServer {
    /// A superuser's URL, to the database `postgres`.
    static let url: String? = {
        let url = ProcessInfo.processInfo.environment["MOORAGE_TEST_POSTGRES"]
        if url == nil {
            print("PostgreSQL tests did not run: MOORAGE_TEST_POSTGRES names no server.")
        }
        return url
    }()

    static var isAvailable: Bool { url != nil }

    /// Whether transactions can be prepared there.
    static let preparesTransactions: Bool = {
        guard url != nil else { return false }
        let most = try? session("postgres").cell("SHOW max_prepared_transactions")
        if most == "0" {
            print("Tests of prepared transactions did not run: max_prepared_transactions is 0.")
        }
        return most != "0"
    }()

    /// The URL of another database, and role, of the same server.
    static func url(database: String, role: String? = nil, schema: String? = nil) throws -> String {
        guard let url, var parts = URLComponents(string: url) else {
            throw TestFailure("MOORAGE_TEST_POSTGRES is no URL")
        }
        parts.path = "/" + database
        if let role {
            parts.user = role
            parts.password = "secret"
        }
        if let schema { parts.queryItems = [URLQueryItem(name: "schema", value: schema)] }
        return parts.string ?? url
    }

    static func session(_ database: String, role: String? = nil) throws -> PostgresSession {
        try PostgresSession(url: url(database: database, role: role))
    }

    /// A database for the time of the work.
    ///
    /// - Parameter schema: Is made there, and is where its sessions and the hub look for tables.
    static func withDatabase<Result>(
        schema: String? = nil, _ work: (PostgresSubject) throws -> Result
    ) throws -> Result {
        let subject = try make(schema)
        defer { drop(subject) }
        return try work(subject)
    }

    static func withDatabase<Result>(
        schema: String? = nil, _ work: (PostgresSubject) async throws -> Result
    ) async throws -> Result {
        let subject = try make(schema)
        defer { drop(subject) }
        return try await work(subject)
    }

    private static func make(_ schema: String?) throws -> PostgresSubject {
        let name =
            "moorage_test_\(UUID().uuidString.lowercased().prefix(13).replacing("-", with: "_"))"
        try session("postgres").execute("CREATE DATABASE \(name) TEMPLATE template0")
        if let schema {
            let quoted = SQLText.name(schema)
            try session(name).execute(
                """
                CREATE SCHEMA \(quoted); ALTER DATABASE \(name) SET search_path TO \(quoted), public
                """)
        }
        return try PostgresSubject(name: name, schema: schema)
    }

    private static func drop(_ subject: PostgresSubject) {
        subject.postgres.close()
        do {
            try session("postgres").execute("DROP DATABASE IF EXISTS \(subject.name) WITH (FORCE)")
        } catch {
            print("The database \(subject.name) could not be dropped: \(error)")
        }
    }
}

/// A database of a test, and other programs that write to it.
struct PostgresSubject: ConformanceSubject {
    let name: String
    let postgres: PostgresDatabase
    var database: any CentralDatabase { postgres }

    init(name: String, schema: String? = nil) throws {
        self.name = name
        postgres = try PostgresDatabase(
            url: PostgresServer.url(database: name, schema: schema))
    }

    func openSession() throws -> any OwnerSession { try session() }
    func session(role: String? = nil) throws -> PostgresSession {
        try PostgresServer.session(name, role: role)
    }
}

/// Another program's connection: plain SQL, and no Moorage.
final class PostgresSession: OwnerSession {
    private let link: Link

    init(
        url: String,
        settings: [String] = ["TimeZone TO 'Europe/Berlin'", "client_min_messages TO error"]
    ) throws {
        link = Link(address: try PostgresAddress(url: url), settings: settings)
        try link.open()
    }

    func execute(_ sql: String) throws { try link.simple(sql) }

    /// The cells of an answer, as text.
    func rows(_ sql: String) throws -> [[String?]] {
        let answer = try link.simple(sql)
        return (0..<answer.rowCount).map { row in
            (0..<answer.columnCount).map { answer.text(row, $0) }
        }
    }

    func cell(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

    /// The code of the error that came last.
    var lastState: String? { link.lastError?.state }
}
