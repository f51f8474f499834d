import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MooragePostgres
import MoorageSQLite
import MoorageTesting
import NorthwindSample
import Testing

enum CentreKind: String, Sendable, CustomTestStringConvertible {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"
    case mariadb = "MariaDB"

    /// SQLite always, and the other databases for which a server is available. Otherwise the reason
    /// is printed.
    static let available: [CentreKind] =
        [.sqlite] + (PostgresFixture.isThere ? [.postgres] : [])
        + (MariaDBFixture.isThere ? [.mariadb] : [])

    var testDescription: String { rawValue }

    var dialect: NorthwindSample.Dialect {
        switch self {
        case .sqlite: .sqlite
        case .postgres: .postgres
        case .mariadb: .mysql
        }
    }

    func make() throws -> any Centre {
        switch self {
        case .sqlite: try SQLiteCentre()
        case .postgres: try PostgresCentre()
        case .mariadb: try MySQLCentre()
        }
    }
}

/// The owner's central database in a test, with the owner's session beside the hub's.
protocol Centre: Sendable {
    var kind: CentreKind { get }
    /// Makes what the hub works on.
    func connector() throws -> any CentralDatabase
    /// Opens a session for another program of the owner's. It does not wait long for locks.
    func openSession() throws -> any OwnerSession
    /// Runs the owner's SQL, which may have several statements.
    func execute(_ sql: String) throws
    func insert(into table: String, _ columns: [String], _ values: [Value]) throws
    /// The first column of the first row.
    func text(_ sql: String) throws -> String?
    /// A table's rows in portable form, read without Moorage.
    func rows(_ table: TableDescription) throws -> [[Value]]
    func close() throws
}

extension Centre {
    func count(_ sql: String) throws -> Int { Int(try text(sql) ?? "") ?? -1 }
}

/// A SQLite file that another program has open as well.
final class SQLiteCentre: Centre {
    let kind = CentreKind.sqlite
    let folder: TemporaryFolder
    private let owner: DatabaseQueue
    var path: String { folder.path("central.db") }

    init() throws {
        folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        // Each of the owner's statements is a transaction, so none waits for the disk. The file may
        // lose data in a power cut.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        owner = try DatabaseQueue(path: folder.path("central.db"), configuration: configuration)
    }

    func connector() throws -> any CentralDatabase { try SQLiteDatabase(path: path) }

    func openSession() throws -> any OwnerSession { try SQLiteSession(path: path) }

    func execute(_ sql: String) throws {
        try owner.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    func insert(into table: String, _ columns: [String], _ values: [Value]) throws {
        try owner.write { try $0.insert(into: table, columns, values) }
    }

    func text(_ sql: String) throws -> String? {
        try owner.read { try String.fetchOne($0, sql: sql) }
    }

    func rows(_ table: TableDescription) throws -> [[Value]] {
        let stored = try owner.read {
            try $0.values(of: table.columns.map(\.name), in: table.name)
        }
        return stored.map { row in
            zip(table.columns, row).map { column, value in
                // A JSON column has NUMERIC affinity, so SQLite stores a bare number as a number.
                switch (column.type, value) {
                case (.json, .integer(let number)): .text(String(number))
                case (.json, .real(let number)): .text(number.description)
                // The same for a text column whose declared type is STRING.
                case (.text, .integer(let number)): .text(String(number))
                case (.text, .real(let number)): .text(number.description)
                default: value
                }
            }
        }
    }

    func close() throws {
        try owner.close()
        folder.remove()
    }
}

/// A PostgreSQL database with a random name.
final class PostgresCentre: Centre {
    let kind = CentreKind.postgres
    let url: String
    private let name: String
    let schema: String?
    let owner: PostgresSession

    /// - Parameter schema: A schema to make for the tables of the owner and the hub; `nil` for
    ///   `public`.
    init(schema: String? = nil) throws {
        (name, url) = try PostgresFixture.makeDatabase()
        self.schema = schema
        if let schema {
            let quoted = "\"" + schema.replacing("\"", with: "\"\"") + "\""
            try PostgresSession(url: url).query(
                """
                CREATE SCHEMA \(quoted); ALTER DATABASE \(name) SET search_path TO \(quoted), public
                """)
        }
        owner = try PostgresSession(url: url)
    }

    func connector() throws -> any CentralDatabase {
        guard let schema else { return try Self.connector(url: url) }
        guard var parts = URLComponents(string: url) else { throw PostgresFixture.NoServer() }
        parts.queryItems = [URLQueryItem(name: "schema", value: schema)]
        return try Self.connector(url: parts.string ?? url)
    }

    func openSession() throws -> any OwnerSession {
        let session = try WriterLink(url)
        // Deadlocks between the programs are intended, and end soon.
        try session.run("SET deadlock_timeout = '20ms'; SET synchronous_commit = off")
        return session
    }

    static func connector(url: String) throws -> any CentralDatabase {
        try PostgresDatabase(url: url)
    }

    /// The same database as another role.
    func url(user: String, password: String) throws -> String {
        guard var parts = URLComponents(string: url) else { throw PostgresFixture.NoServer() }
        parts.user = user
        parts.password = password
        return parts.string ?? url
    }

    func execute(_ sql: String) throws { try owner.query(sql) }

    func insert(into table: String, _ columns: [String], _ values: [Value]) throws {
        let names = columns.map { $0.quoted(by: "\"") }.joined(separator: ", ")
        let parameters = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        try owner.query(
            "INSERT INTO \(table.quoted(by: "\"")) (\(names)) VALUES (\(parameters))", values)
    }

    func text(_ sql: String) throws -> String? { try owner.query(sql).first?.first ?? nil }

    func rows(_ table: TableDescription) throws -> [[Value]] {
        let columns = table.columns.map { column -> String in
            let name = column.name.quoted(by: "\"")
            return switch column.type {
            // The text must not depend on the session's time zone.
            case .instant: "(\(name) AT TIME ZONE 'UTC')::text"
            // As text, a `real` would have fewer digits than its double, and money would have a
            // currency.
            case .real: "\(name)::double precision::text"
            case .decimal: "\(name)::numeric::text"
            default: "\(name)::text"
            }
        }
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table.name.quoted(by: "\""))"
        return try owner.query(sql).map { row in
            zip(table.columns, row).map { column, text in
                guard let text else { return .null }
                switch column.type {
                case .integer: return Int64(text).map(Value.integer) ?? .text(text)
                case .boolean: return .integer(text == "true" ? 1 : 0)
                case .real: return Double(text).map(Value.real) ?? .text(text)
                case .blob: return .blob(Hex.bytes(text.dropFirst(2)))
                default: return .text(text)
                }
            }
        }
    }

    func close() throws { try PostgresFixture.drop(name) }
}

/// A folder that the test removes at its end.
final class TemporaryFolder: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "moorage-story-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func remove() {
        do { try FileManager.default.removeFolder(at: url) } catch { print("left behind: \(url)") }
    }
}
