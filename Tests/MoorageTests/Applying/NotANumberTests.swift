import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

/// SQLite stores NaN as NULL. A device never sends NaN, and never takes it for NULL.
@Suite(.ownThreads) struct `NaN on a device` {
    private static let schema = SchemaDescription(tables: [
        TableDescription(
            name: "reading",
            columns: [
                .column("id", .integer), .column("value", .real), .column("note", .text),
            ], primaryKey: [0])
    ])

    private func device(_ value: String) throws -> Device {
        let device = try Device(
            "CREATE TABLE reading(id INTEGER PRIMARY KEY, value \(value), note TEXT)",
            tables: [.table("reading")])
        try device.adopt(Self.schema)
        return device
    }

    @Test func `is NULL in the app's own row, and travels as NULL`() throws {
        let hub = FakeHub(Self.schema)
        let device = try device("REAL")
        try device.exchange(hub)
        try device.run("INSERT INTO reading VALUES (1, ?, 'a')", [Double.nan])
        try device.run("INSERT INTO reading VALUES (2, 1.5, 'b')")
        try device.exchange(hub)
        try device.run("UPDATE reading SET value = ? WHERE id = 2", [Double.nan])
        #expect(try device.localChanges() == ["reading 2 update 1:1.5>∅"])
        try device.exchange(hub)
        #expect(hub.row("reading", .integer(1)) == [.integer(1), .null, .text("a")])
        #expect(hub.row("reading", .integer(2)) == [.integer(2), .null, .text("b")])
    }

    @Test func `is an error of SQLite's where the column takes no NULL`() throws {
        let device = try device("REAL NOT NULL")
        #expect(throws: DatabaseError.self) {
            try device.run("INSERT INTO reading VALUES (1, ?, 'a')", [Double.nan])
        }
        #expect(try device.localChanges() == [])
    }

    @Test func `withholds its row where a page brings it, and no NULL takes its place`() throws {
        let hub = FakeHub(Self.schema)
        let device = try device("REAL")
        hub.put("reading", [.integer(1), .real(1.5), .text("a")])
        try device.exchange(hub)
        hub.put("reading", [.integer(1), .real(.nan), .text("b")])
        hub.put("reading", [.integer(2), .real(.nan), .text("c")])
        hub.put("reading", [.integer(3), .real(2.5), .text("d")])
        try device.exchange(hub)
        #expect(
            try device.texts("SELECT id, value, note FROM reading ORDER BY id")
                == ["1|1.5|a", "3|2.5|d"])
        #expect(
            try device.texts("SELECT key, column FROM _moorage_withheld ORDER BY key")
                == ["[1]|value", "[2]|value"])
        hub.put("reading", [.integer(1), .real(0.5), .text("b")])
        hub.put("reading", [.integer(2), .null, .text("c")])
        try device.exchange(hub)
        #expect(
            try device.texts("SELECT id, value, note FROM reading ORDER BY id")
                == ["1|0.5|b", "2|∅|c", "3|2.5|d"])
        #expect(try device.texts("SELECT key FROM _moorage_withheld") == [])
    }
}
