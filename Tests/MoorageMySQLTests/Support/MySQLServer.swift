import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting

@testable import MoorageMySQL

/// Why a test could not go on.
struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A server that the tests run against; each test makes a database of its own there.
struct MySQLServer: Sendable, CustomStringConvertible {
    let name: String
    let url: String
    var description: String { name }

    /// Those that the environment names: MariaDB, one with other modes and collations, and a MySQL.
    static let all: [MySQLServer] = ["MARIADB", "MARIADB_OTHER", "MYSQL"].compactMap { name in
        guard let url = ProcessInfo.processInfo.environment["MOORAGE_TEST_\(name)"], !url.isEmpty
        else {
            print("Tests on \(name) did not run: MOORAGE_TEST_\(name) names no server.")
            return nil
        }
        return MySQLServer(name: name, url: url)
    }

    static var first: [MySQLServer] { Array(all.prefix(1)) }

    /// For tests that hardly depend on modes and collations. The MariaDB with other ones comes only
    /// with the long counts.
    static var usual: [MySQLServer] {
        isNightly ? all : all.filter { $0.name != "MARIADB_OTHER" }
    }

    func url(database: String, user: String? = nil) throws -> String {
        guard var parts = URLComponents(string: url) else {
            throw TestFailure("MOORAGE_TEST_\(name) is no URL")
        }
        parts.path = "/" + database
        if let user {
            parts.user = user
            parts.password = "secret"
        }
        return parts.string ?? url
    }

    func session(_ database: String, user: String? = nil) throws -> MySQLSession {
        try MySQLSession(url: url(database: database, user: user))
    }

    /// Makes a database for the time of the work.
    func withDatabase<Result>(
        options: MySQLDatabase.Options = .init(), _ work: (MySQLSubject) throws -> Result
    ) throws -> Result {
        let subject = try make(options)
        defer { drop(subject) }
        return try work(subject)
    }

    func withDatabase<Result>(
        options: MySQLDatabase.Options = .init(), _ work: (MySQLSubject) async throws -> Result
    ) async throws -> Result {
        let subject = try make(options)
        defer { drop(subject) }
        return try await work(subject)
    }

    private func make(_ options: MySQLDatabase.Options) throws -> MySQLSubject {
        let name =
            "moorage_test_\(UUID().uuidString.lowercased().prefix(13).replacing("-", with: "_"))"
        try session("mysql").execute("CREATE DATABASE \(name)")
        return try MySQLSubject(name: name, server: self, options: options)
    }

    private func drop(_ subject: MySQLSubject) {
        subject.mysql.close()
        do {
            try session("mysql").execute("DROP DATABASE IF EXISTS \(subject.name)")
        } catch {
            print("The database \(subject.name) could not be dropped: \(error)")
        }
    }
}

/// A database of a test, and other programs that write to it.
struct MySQLSubject: ConformanceSubject {
    let name: String
    let server: MySQLServer
    let mysql: MySQLDatabase
    var database: any CentralDatabase { mysql }

    init(
        name: String, server: MySQLServer, options: MySQLDatabase.Options = .init(),
        user: String? = nil
    ) throws {
        self.name = name
        self.server = server
        mysql = try MySQLDatabase(url: server.url(database: name, user: user), options: options)
    }

    func openSession() throws -> any OwnerSession { try session() }

    func storedName(_ table: String) -> String {
        let isLowered = try? session().cell("SELECT @@lower_case_table_names") == "1"
        return isLowered == true ? table.lowercased() : table
    }

    func session(user: String? = nil) throws -> MySQLSession {
        try server.session(name, user: user)
    }
}

/// Another program's connection: plain SQL, and no Moorage.
final class MySQLSession: OwnerSession {
    private let link: Link

    init(url: String) throws {
        link = Link(address: try MySQLAddress(url: url)) { kind in
            [
                "SET NAMES utf8mb4",
                "SET SESSION time_zone = '+02:00', sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_ALL_TABLES'",
            ]
        }
        try link.open()
    }

    /// Runs the SQL that the checks are written in, translated for this server.
    func execute(_ sql: String) throws {
        let text = "VARCHAR(190) CHARACTER SET utf8mb4 COLLATE \(link.kind.binaryCollation)"
        let own =
            sql.contains("CREATE TABLE")
            ? sql.replacing(" TEXT", with: " \(text)")
                .replacing(" DEFERRABLE INITIALLY IMMEDIATE", with: "")
                .replacing(" DEFERRABLE INITIALLY DEFERRED", with: "")
            : sql.replacing(" TEXT", with: " \(text)")
                .replacing("ON CONFLICT (id) DO UPDATE SET", with: "ON DUPLICATE KEY UPDATE")
                .replacing("excluded.name", with: "VALUES(name)")
        do {
            try link.simple(own)
        } catch let error as CentralError {
            guard case .refused = error.kind else {
                throw TestFailure("\(error) \(link.lastError.map { "\($0)" } ?? "") in \(own)")
            }
            throw TestFailure("a constraint refused it: \(error)")
        }
    }

    /// Runs the SQL unchanged.
    func plain(_ sql: String) throws { try link.simple(sql) }

    /// The cells of an answer, as text.
    func rows(_ sql: String) throws -> [[String?]] {
        let answer = try link.query(sql, Parameters(), isKept: false)
        return (0..<answer.rowCount).map { row in
            answer.columns.indices.map { answer.text(row, $0) }
        }
    }

    func cell(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

    /// The code of the last error.
    var lastCode: UInt32? { link.lastError?.code }
}
