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

    /// The URL of another database, and role, of the same server.
    static func url(database: String, role: String? = nil) throws -> String {
        guard let url, var parts = URLComponents(string: url) else {
            throw TestFailure("MOORAGE_TEST_POSTGRES is no URL")
        }
        parts.path = "/" + database
        if let role {
            parts.user = role
            parts.password = "secret"
        }
        return parts.string ?? url
    }

    static func session(_ database: String, role: String? = nil) throws -> PostgresSession {
        try PostgresSession(url: url(database: database, role: role))
    }

    /// A database for the time of the work.
    static func withDatabase<Result>(_ work: (PostgresSubject) throws -> Result) throws -> Result {
        let subject = try make()
        defer { drop(subject) }
        return try work(subject)
    }

    static func withDatabase<Result>(_ work: (PostgresSubject) async throws -> Result) async throws
        -> Result
    {
        let subject = try make()
        defer { drop(subject) }
        return try await work(subject)
    }

    private static func make() throws -> PostgresSubject {
        let name =
            "moorage_test_\(UUID().uuidString.lowercased().prefix(13).replacing("-", with: "_"))"
        try session("postgres").execute("CREATE DATABASE \(name) TEMPLATE template0")
        return try PostgresSubject(name: name)
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

    init(name: String) throws {
        self.name = name
        postgres = try PostgresDatabase(url: PostgresServer.url(database: name))
    }

    func openSession() throws -> any OwnerSession { try session() }
    func session(role: String? = nil) throws -> PostgresSession {
        try PostgresServer.session(name, role: role)
    }
}

/// Another program's connection: plain SQL, and no Moorage.
final class PostgresSession: OwnerSession {
    private let link: Link

    init(url: String) throws {
        link = Link(
            address: try PostgresAddress(url: url),
            settings: "SET TimeZone TO 'Europe/Berlin'; SET client_min_messages TO error")
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

    func query(_ sql: String, _ parameters: Parameters) throws {
        _ = try link.query(sql, parameters)
    }
    var lastState: String? { link.lastError?.state }
}
