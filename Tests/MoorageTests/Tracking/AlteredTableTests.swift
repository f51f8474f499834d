import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

/// An app's own migration with SQLite's ALTER TABLE, of which the replica gets no notice.
@Suite(.ownThreads) struct `A table that its app alters` {
    private static let schema = SchemaDescription(tables: [
        TableDescription(
            name: "t",
            columns: [
                .column("id", .text), .column("a", .text), .column("b", .integer),
                .column("c", .text), .column("d", .text),
            ], primaryKey: [0], uniqueKeys: [[4]])
    ])

    private func device(_ tables: [ReplicaTable] = [.table("t")]) throws -> Device {
        let device = try Device(
            """
            CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT, b INTEGER, c TEXT, d TEXT);
            CREATE UNIQUE INDEX t_d ON t(d);
            """, tables: tables)
        try device.adopt(Self.schema)
        let hub = FakeHub(Self.schema)
        hub.put(
            "t", [.text("x"), .text("A"), .integer(1), .text("C"), .text("D")],
            [.text("y"), .text("A"), .integer(1), .text("C"), .text("E")])
        try device.exchange(hub)
        return device
    }

    static let drops = [
        "ALTER TABLE t DROP COLUMN a", "ALTER TABLE t DROP COLUMN b",
        "ALTER TABLE t DROP COLUMN c; ALTER TABLE t DROP COLUMN a",
        "DROP INDEX t_d; ALTER TABLE t DROP COLUMN d",
    ]

    @Test(arguments: drops)
    func `loses columns, and what is written next is logged`(sql: String) throws {
        let device = try device()
        try device.run(sql)
        let left = ["a", "b", "c"].first { !sql.contains("COLUMN \($0)") } ?? ""
        try device.run("UPDATE t SET \(left) = 'new' WHERE id = 'x'; DELETE FROM t WHERE id = 'y'")
        try device.run("INSERT INTO t(id) VALUES('z'); REPLACE INTO t(id) VALUES('x')")
        #expect(
            try device.texts("SELECT op, k0 FROM _moorage_log_t")
                == ["U|x", "D|y", "I|z", "C|x", "I|x"])
    }

    @Test(arguments: ["a", "b", "d"])
    func `renames columns, and what is written next is logged`(column: String) throws {
        let device = try device()
        try device.run("ALTER TABLE t RENAME COLUMN \(column) TO other")
        try device.run("UPDATE t SET other = 'new', c = 'new' WHERE id = 'x'")
        try device.run("DELETE FROM t WHERE id = 'y'")
        let (place, x, y) = ["a": (0, "A", "A"), "b": (1, "1", "1")][column] ?? (3, "D", "E")
        #expect(
            try device.texts("SELECT op, k0, o\(place) FROM _moorage_log_t")
                == ["U|x|\(x)", "D|y|\(y)"])
    }

    @Test func `logs each row of a statement by itself`() throws {
        let device = try device()
        try device.run("ALTER TABLE t DROP COLUMN b; UPDATE t SET a = d")
        try device.run("UPDATE t SET a = 'same'")
        #expect(
            try device.texts("SELECT k0, o0 FROM _moorage_log_t")
                == ["x|A", "y|A", "x|D", "y|E"])
    }

    @Test func `that keeps times loses another column`() throws {
        let device = try device([.table("t", createdAt: "a", updatedAt: "c")])
        try device.run("ALTER TABLE t DROP COLUMN b")
        try device.run("UPDATE t SET d = 'new' WHERE id = 'x'")
        #expect(try device.texts("SELECT c <> 'C' FROM t WHERE id = 'x'") == ["1"])
    }

    @Test func `goes on after both sides dropped a column`() throws {
        let device = try device()
        try device.run("UPDATE t SET b = 2 WHERE id = 'x'")
        let table = Self.schema.tables[0]
        let smaller = SchemaDescription(tables: [
            TableDescription(
                name: "t", columns: table.columns.filter { $0.name != "c" },
                primaryKey: [0], uniqueKeys: [[3]])
        ])
        try device.adopt(smaller)
        try device.run("ALTER TABLE t DROP COLUMN c; UPDATE t SET a = 'new' WHERE id = 'y'")
        try device.open()
        #expect(try device.localChanges() == ["t x update 2:1>2", "t y update 1:A>new"])
        // Nothing was lost, and the table needs no repair.
        #expect(try device.texts("SELECT repair, suspended FROM _moorage_table") == ["0|∅"])
    }
}
