import Foundation
import GRDB
import MoorageHub
import MoorageMySQL
import MooragePostgres
import MoorageSQLite
import MoorageTesting

/// A central database in which the owner's own writes are measured, in the words of its SQL.
protocol OwnersDatabase {
    var name: String { get }
    /// Makes the table `item`.
    var schema: [String] { get }
    /// Makes the table `plain` like it.
    var copy: String { get }
    /// Another text of the same length.
    var changedName: String { get }
    var central: any CentralDatabase { get }
    /// Runs a statement as a transaction.
    func run(_ sql: String) throws
    /// Puts away what statements before have left for later.
    func tidy() throws
    func remove() throws
    /// A statement that inserts rows made by the server, with `flags` as their number and keys in no order.
    func insert(_ numbers: Range<Int>, into table: String) -> String
    /// The key of a number.
    func key(_ number: String) -> String
}

final class PostgresOwner: OwnersDatabase {
    let name = "PostgreSQL"
    let central: any CentralDatabase
    private let scratch: PostgresScratch
    private let link: PostgresLink

    /// - Returns: `nil` where no server is named.
    init?() throws {
        guard let server = PostgresScratch.serverURL else { return nil }
        scratch = try PostgresScratch(server)
        link = try PostgresLink(scratch.url)
        central = try PostgresDatabase(url: scratch.url)
    }

    let schema = [Item.postgresSchema, "CREATE INDEX item_flags ON item (flags)"]
    let copy = "CREATE TABLE plain (LIKE item INCLUDING ALL)"
    let changedName = "reverse(name)"

    func run(_ sql: String) throws { try link.run(sql) }
    func tidy() throws { try link.run("VACUUM") }
    func remove() throws { try scratch.remove() }

    func insert(_ numbers: Range<Int>, into table: String) -> String {
        """
        INSERT INTO \(table)
        SELECT \(key("i::text")), 'alpha river stone ' || i % 10, 'green table order ' || i % 7, i % 1000,
               i, i / 100.0, '2026-03-11T08:10:07.123Z'
        FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound - 1)) AS i
        """
    }

    func key(_ number: String) -> String { "md5((\(number))::text)::uuid::text" }
}

final class MariaDBOwner: OwnersDatabase {
    let name = "MariaDB"
    let central: any CentralDatabase
    private let database: String
    private let server: MariaDBLink
    private let link: MariaDBLink

    /// - Returns: `nil` where no server is named.
    init?() throws {
        guard let url = ProcessInfo.processInfo.environment["MOORAGE_TEST_MARIADB"],
            var parts = URLComponents(string: url)
        else { return nil }
        database = "moorage_bench_\(UInt32.random(in: 0 ... .max))"
        server = try MariaDBLink(url)
        try server.run(
            "CREATE DATABASE \(database) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
        parts.path = "/" + database
        link = try MariaDBLink(parts.string ?? url)
        central = try MySQLDatabase(url: parts.string ?? url)
    }

    let schema = [
        """
        CREATE TABLE item (
          id varchar(36) PRIMARY KEY, name varchar(60) NOT NULL, note varchar(60), quantity bigint,
          flags bigint, price double, updated_at varchar(24), KEY item_flags (flags))
        """
    ]
    let copy = "CREATE TABLE plain LIKE item"
    let changedName = "reverse(name)"

    func run(_ sql: String) throws { try link.run(sql) }
    func tidy() throws { try central.perform { try $0.numberChanges() } }
    func remove() throws { try server.run("DROP DATABASE \(database)") }

    func insert(_ numbers: Range<Int>, into table: String) -> String {
        """
        INSERT INTO \(table)
        SELECT \(key("seq")), concat('alpha river stone ', seq % 10), concat('green table order ', seq % 7),
               seq % 1000, seq, seq / 100.0, '2026-03-11T08:10:07.123Z'
        FROM seq_\(numbers.lowerBound)_to_\(numbers.upperBound - 1)
        """
    }

    func key(_ number: String) -> String {
        "concat(left(md5(\(number)), 8), '-', substr(md5(\(number)), 9, 27))"
    }
}

final class SQLiteOwner: OwnersDatabase {
    let name = "SQLite"
    let central: any CentralDatabase
    private let folder: URL
    private let queue: DatabaseQueue

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "moorage-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "central.db").path
        queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        central = try SQLiteDatabase(path: path)
    }

    let schema = [Item.sqliteSchema, "CREATE INDEX item_flags ON item (flags)"]
    let copy = """
        CREATE TABLE plain (
          id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, note TEXT, quantity INTEGER,
          flags INTEGER, price REAL, updated_at TEXT);
        CREATE INDEX plain_flags ON plain (flags)
        """
    let changedName = "substr(name, 2) || substr(name, 1, 1)"

    func run(_ sql: String) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }
    func tidy() throws { try central.perform { try $0.numberChanges() } }
    func remove() throws {
        try queue.close()
        try FileManager.default.removeFolder(at: folder)
    }

    func insert(_ numbers: Range<Int>, into table: String) -> String {
        """
        WITH RECURSIVE n(i) AS (
          SELECT \(numbers.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(numbers.upperBound - 1))
        INSERT INTO \(table)
        SELECT \(key("i")), 'alpha river stone ' || i % 10, 'green table order ' || i % 7, i % 1000,
               i, i / 100.0, '2026-03-11T08:10:07.123Z' FROM n
        """
    }

    func key(_ number: String) -> String {
        "printf('%08x-0000-4000-8000-%012d', (\(number)) * 2654435761 % 4294967296, \(number))"
    }
}
