import Foundation
import MoorageCore
import MoorageHub
import MoorageMySQL

/// A MariaDB database with a random name.
final class MySQLCentre: Centre {
    let kind = CentreKind.mariadb
    let url: String
    private let name: String
    let owner: MySQLLink

    private let server: String?

    init(server: String? = MariaDBFixture.serverURL) throws {
        self.server = server
        (name, url) = try MariaDBFixture.makeDatabase(on: server)
        owner = try MySQLLink(url: url)
    }

    func connector() throws -> any CentralDatabase { try MySQLDatabase(url: url) }

    func openSession() throws -> any OwnerSession {
        let session = try MySQLLink(url: url)
        // No program waits long for a lock.
        try session.run("SET SESSION innodb_lock_wait_timeout = 1")
        return session
    }

    /// Runs SQL that the tests share. TEXT becomes VARCHAR, so that it may be a key or unique.
    func execute(_ sql: String) throws { try owner.run(Self.own(sql)) }

    private static func own(_ sql: String) -> String {
        guard sql.contains("CREATE TABLE") || sql.contains("ALTER TABLE") else { return sql }
        return sql.replacing(" TEXT", with: " VARCHAR(190)")
    }

    func insert(into table: String, _ columns: [String], _ values: [Value]) throws {
        let names = columns.map { $0.quoted(by: "\"") }.joined(separator: ", ")
        let literals = values.map(MySQLLink.literal).joined(separator: ", ")
        try owner.run("INSERT INTO \(table.quoted(by: "\"")) (\(names)) VALUES (\(literals))")
    }

    func text(_ sql: String) throws -> String? { try owner.query(sql).first?.first ?? nil }

    func rows(_ table: TableDescription) throws -> [[Value]] {
        let columns = table.columns.map { column -> String in
            let name = column.name.quoted(by: "\"")
            return switch column.type {
            case .blob: "HEX(\(name))"
            // Bits come as bytes.
            case .integer, .boolean: "(\(name) + 0)"
            case .time(let digits) where digits > 0:
                "TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST(\(name) AS CHAR)))"
            // As text, a FLOAT has only six digits.
            case .real: "CAST(\(name) AS DOUBLE)"
            default: name
            }
        }
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table.name.quoted(by: "\""))"
        return try owner.query(sql).map { row in
            zip(table.columns, row).map { column, text in
                guard let text else { return .null }
                switch column.type {
                case .integer, .boolean: return Int64(text).map(Value.integer) ?? .text(text)
                case .real: return Double(text).map(Value.real) ?? .text(text)
                case .blob: return .blob(Hex.bytes(text.lowercased()[...]))
                default: return .text(text)
                }
            }
        }
    }

    func close() throws { try MariaDBFixture.drop(name, on: server) }
}
