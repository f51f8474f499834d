import GRDB
import GRDBSQLite
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

/// SQLite accepts any bytes as a name.
@Suite(.ownThreads) struct `A name that is not UTF-8` {
    private static let schema = SchemaDescription(tables: [
        TableDescription(
            name: "t", columns: [.column("id", .text), .column("a", .text)], primaryKey: [0],
            uniqueKeys: [[1]])
    ])

    /// A device whose file runs this SQL. Each `?` becomes a byte that UTF-8 never has.
    private func device(_ sql: String) throws -> Device {
        let device = try Device(
            "CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT)", tables: [.table("t")])
        let bytes = sql.utf8.map { $0 == UInt8(ascii: "?") ? 0xFF : $0 } + [0]
        device.queue.writeWithoutTransaction { db in
            let code = bytes.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_exec(db.sqliteConnection, $0.baseAddress, nil, nil, nil)
                }
            }
            #expect(code == SQLITE_OK)
        }
        return device
    }

    @Test func `hides no unique index: what REPLACE removes is noted`() throws {
        let device = try device("CREATE UNIQUE INDEX \"?\" ON t(a)")
        try device.adopt(Self.schema)
        try device.run("INSERT INTO t VALUES('1', 'x')")
        try device.exchange(FakeHub(Self.schema))
        try device.run("REPLACE INTO t VALUES('2', 'x')")
        #expect(try device.localChanges() == ["t 2 insert 2,x", "t 1 delete 1,x"])
    }

    @Test(arguments: [
        "CREATE TABLE \"?\"(t TEXT REFERENCES t(id) ON DELETE CASCADE)",
        "CREATE TABLE u(\"?\" TEXT REFERENCES T(id) ON DELETE SET NULL)",
    ])
    func `stands in the way where our SQL would have to say it`(sql: String) throws {
        let device = try device(sql)
        let error = #expect(throws: ReplicaError.self) { try device.adopt(Self.schema) }
        #expect(error?.code == .unreadableName)
        #expect(error?.recovery == .changeSchema)
    }

    @Test func `of a new column stops its table alone`() throws {
        let device = try device("ALTER TABLE t ADD COLUMN \"?\" TEXT")
        try device.adopt(Self.schema)
        let counts = try device.queue.write { try device.store.counts($0) }
        #expect(counts.suspended.map(\.code) == ["unreadableName"])
        try device.run("INSERT INTO t(id) VALUES('1')")
    }

    @Test func `is nothing to us in a table that refers to none of ours`() throws {
        let device = try device("CREATE TABLE \"?\"(\"?\" TEXT)")
        try device.adopt(Self.schema)
        try device.run("INSERT INTO t VALUES('1', 'x')")
        #expect(try device.localChanges() == ["t 1 insert 1,x"])
    }
}
