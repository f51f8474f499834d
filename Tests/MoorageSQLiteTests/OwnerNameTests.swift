import GRDB
import GRDBSQLite
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MoorageSQLite

/// Names that an owner may give and that are easily taken for others.
@Suite(.ownThreads) struct `A name of the owner's` {
    private func attach(_ sql: String) throws -> (SQLiteDatabase, AttachReport) {
        let database = try SQLiteDatabase()
        try database.execute(sql)
        let report = try database.perform { connection in
            try Attachment(on: connection, makeID: { "id" }).attach(tables: nil)
        }
        return (database, report)
    }

    @Test(arguments: [
        ("\"", "\"\""), ("\"\u{301}", "\"\"\u{301}"), ("a\"\u{20D0}b", "a\"\"\u{20D0}b"),
        ("'", "'"), ("]", "]"), ("é", "é"), ("e\u{301}", "e\u{301}"),
    ])
    func `is taken as it is, with every quote in it`(name: String, quoted: String) throws {
        let (database, report) = try attach(
            "CREATE TABLE \"\(quoted)\" (\"\(quoted)\" TEXT NOT NULL PRIMARY KEY)")
        #expect(report.attached.map { Array($0.name.utf8) } == [Array(name.utf8)])
        try database.execute("INSERT INTO \"\(quoted)\" VALUES ('x')")
        try database.perform { try Attachment(on: $0, makeID: { "id" }).detach() }
    }

    @Test func `has two cases in ASCII alone, as SQLite has it`() throws {
        let (_, report) = try attach(
            """
            CREATE TABLE t (id TEXT PRIMARY KEY, "É" TEXT, "é" TEXT UNIQUE);
            CREATE TABLE u (id TEXT PRIMARY KEY, up TEXT REFERENCES t("é"));
            """)
        #expect(report.attached.first { $0.name == "t" }?.uniqueKeys == [[2]])
        let foreign = report.attached.first { $0.name == "u" }?.foreignKeys
        #expect(foreign?.map(\.referencedColumns) == [["é"]])
    }

    @Test func `may stand in a default, with quotes`() throws {
        let (_, report) = try attach(
            """
            CREATE TABLE t (
              id TEXT PRIMARY KEY, a TEXT DEFAULT 'it''s', b TEXT DEFAULT '''\u{301}');
            """)
        let defaults = report.attached.first?.columns.map(\.defaultValue)
        #expect(defaults == [.none, .value(.text("it's")), .value(.text("'\u{301}"))])
    }

    @Test func `that is empty is a name, and one that is no UTF-8 is told`() throws {
        let (_, report) = try attach("CREATE TABLE t (\"\" TEXT NOT NULL PRIMARY KEY)")
        #expect(report.attached.first?.columns.map(\.name) == [""])
        let queue = try DatabaseQueue()
        execute("CREATE TABLE t (id TEXT PRIMARY KEY, \"x?\" TEXT)", on: queue)
        let other = try SQLiteDatabase(queue: queue).perform { connection in
            try Attachment(on: connection, makeID: { "id" }).attach(tables: nil)
        }
        #expect(other.unsupported.first?.reason.contains("not UTF-8") == true)
    }

    @Test func `that is no UTF-8 is told of a table too, and takes nobody else's place`() throws {
        let queue = try DatabaseQueue()
        execute("CREATE TABLE \"?\" (id TEXT PRIMARY KEY)", on: queue)
        execute("CREATE TABLE \"\u{FFFD}\" (id TEXT PRIMARY KEY)", on: queue)
        let report = try SQLiteDatabase(queue: queue).perform { connection in
            try Attachment(on: connection, makeID: { "id" }).attach(tables: ["\u{FFFD}"])
        }
        #expect(report.attached.map(\.name) == ["\u{FFFD}"])
        let all = try SQLiteDatabase(queue: queue).perform { try $0.readTables() }
        #expect(all.count == 2)
        guard case .unsupported(let reason)? = all.last?.support else {
            Issue.record("the table is supported")
            return
        }
        #expect(reason.contains("not UTF-8"))
    }

    @Test func `that is no UTF-8 hides no unique index`() throws {
        let queue = try DatabaseQueue()
        execute("CREATE TABLE t (id TEXT PRIMARY KEY, a TEXT, b TEXT UNIQUE)", on: queue)
        execute("CREATE UNIQUE INDEX \"?\" ON t (a, b)", on: queue)
        let tables = try SQLiteDatabase(queue: queue).perform { try $0.readTables() }
        guard case .supported(let table)? = tables.first?.support else {
            Issue.record("the table is not supported")
            return
        }
        #expect(Set(table.uniqueKeys) == [[2], [1, 2]])
    }

    /// Runs SQL in which each `?` is a byte that no UTF-8 has.
    private func execute(_ sql: String, on queue: DatabaseQueue) {
        let bytes = sql.utf8.map { $0 == UInt8(ascii: "?") ? 0xFF : $0 } + [0]
        queue.writeWithoutTransaction { db in
            let code = bytes.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_exec(db.sqliteConnection, $0.baseAddress, nil, nil, nil)
                }
            }
            #expect(code == SQLITE_OK)
        }
    }
}
