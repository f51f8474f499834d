import GRDB
import MoorageCore
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `Times that the replica keeps` {
    private static let sql = """
        CREATE TABLE item (
          id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, made TEXT, changed INTEGER, own TEXT)
        """

    private func device(_ sql: String = Self.sql, recursive: Bool = false) throws -> Device {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            if recursive { try db.execute(sql: "PRAGMA recursive_triggers = ON") }
        }
        let device = try Device(
            sql, tables: [.table("item", createdAt: "made", updatedAt: "CHANGED")],
            configuration: configuration)
        try device.adopt(
            SchemaDescription(tables: [
                TableDescription(
                    name: "item",
                    columns: [
                        ColumnDescription(name: "id", type: .integer, isNullable: false),
                        ColumnDescription(name: "a", type: .text),
                        ColumnDescription(name: "made", type: .text),
                        ColumnDescription(name: "changed", type: .integer),
                    ], primaryKey: [0])
            ]))
        return device
    }

    /// The change of the only row, with the columns that it names.
    private func logged(_ device: Device) throws -> [String] {
        try device.changes().map { change in
            switch change.operation {
            case .insert: "insert"
            case .update(let edits): "update \(edits.map(\.column).sorted())"
            case .delete: "delete"
            case .refetch: "refetch"
            }
        }
    }

    /// Makes every change so far look old.
    private func age(_ device: Device) throws {
        try device.run(
            """
            INSERT INTO _moorage_applying VALUES(1);
            UPDATE item SET made = '2020-01-01 00:00:00.000', changed = 5;
            DELETE FROM _moorage_applying
            """)
        try device.run("DELETE FROM _moorage_log_item; DELETE FROM _moorage_inflight")
    }

    private func isNow(_ device: Device, _ column: String) throws -> Bool {
        let form =
            column == "made"
            ? "abs(julianday(made) - julianday('now')) < 0.01"
            : "abs(changed - unixepoch('now') * 1000) < 1000000"
        return try device.texts("SELECT \(form) FROM item") == ["1"]
    }

    @Test(arguments: [false, true])
    func `are written with the change and are part of it`(recursive: Bool) throws {
        let device = try device(recursive: recursive)
        try device.run("INSERT INTO item(id, a) VALUES(1, 'x')")
        #expect(try isNow(device, "made") && isNow(device, "changed"))
        #expect(try logged(device) == ["insert"])
        try age(device)
        try device.run("UPDATE item SET a = 'X'")
        #expect(try isNow(device, "changed"))
        #expect(try device.texts("SELECT made FROM item") == ["2020-01-01 00:00:00.000"])
        #expect(try logged(device) == ["update [1, 3]"])
    }

    @Test func `stay where nothing changed, or where the app wrote them`() throws {
        let device = try device()
        try device.run("INSERT INTO item(id, a, made, changed) VALUES(1, 'x', 'then', 3)")
        #expect(try device.texts("SELECT made, changed FROM item") == ["then|3"])
        try device.run("UPDATE item SET a = 'x', made = 'then'")
        #expect(try device.texts("SELECT changed FROM item") == ["3"])
        try device.run("UPDATE item SET a = 'y', changed = 4")
        #expect(try device.texts("SELECT changed FROM item") == ["4"])
    }

    @Test func `go with a key that moves`() throws {
        let device = try device()
        try device.run("INSERT INTO item(id, a) VALUES(1, 'x')")
        try age(device)
        try device.run("UPDATE item SET id = 2")
        #expect(try isNow(device, "changed"))
        #expect(try logged(device) == ["insert", "delete"])
    }

    @Test func `are left alone by columns that are not synced, and in tables that come down`()
        throws
    {
        let device = try device()
        try device.run(
            "INSERT INTO item(id, a, changed) VALUES(1, 'x', 3); UPDATE item SET own = 'o'")
        #expect(try device.texts("SELECT changed FROM item") == ["3"])
        let bench = try LawBench(directions: ["item": .down])
        try bench.central.execute("INSERT INTO item(id, b) VALUES('i1', 3)")
        let down = try Device(
            LawBench.schema + "ALTER TABLE item ADD COLUMN own TEXT",
            tables: [.table("item", updatedAt: "b"), .table("part")])
        for _ in 0..<2 { try down.exchange(bench.hub) }
        try down.run("UPDATE item SET own = 'o'")
        #expect(try down.texts("SELECT b, own FROM item") == ["3|o"])
    }

    @Test func `are left alone by what the hub brings`() throws {
        let device = try device()
        try device.run(
            """
            INSERT INTO _moorage_applying VALUES(1);
            INSERT INTO item(id, a) VALUES(1, 'x'); UPDATE item SET a = 'y';
            DELETE FROM _moorage_applying
            """)
        #expect(try device.texts("SELECT made, changed FROM item") == ["∅|∅"])
    }

    @Test(arguments: ["id", "nowhere", "double"])
    func `need a column that can be written`(column: String) throws {
        let sql = """
            CREATE TABLE item (
              id INTEGER PRIMARY KEY, a TEXT, double INTEGER GENERATED ALWAYS AS (id * 2))
            """
        #expect {
            _ = try Device(sql, tables: [.table("item", updatedAt: column)])
        } throws: { error in
            (error as? ReplicaError)?.code == .missingColumn
                && "\(error)".contains("item has no column \(column)")
        }
    }
}
