import Foundation
import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

/// UUIDs in columns declared TEXT, in the form that the app writes.
@Suite(.ownThreads) struct `UUIDs in text columns` {
    private static let schema = SchemaDescription(tables: [
        TableDescription(
            name: "site", columns: [.column("id", .uuid), .column("name", .text)],
            primaryKey: [0]),
        TableDescription(
            name: "note",
            columns: [.column("id", .uuid), .column("site", .uuid), .column("body", .text)],
            primaryKey: [0],
            foreignKeys: [
                ForeignKey(columns: [1], referencedTable: "site", referencedColumns: ["id"])
            ]),
    ])

    private static let sql = """
        CREATE TABLE site(id TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE note(id TEXT PRIMARY KEY, site TEXT REFERENCES site(id), body TEXT);
        CREATE TABLE own(site TEXT REFERENCES site(id) ON DELETE CASCADE);
        """

    private static let one = "00112233-4455-6677-8899-aabbccddeeff"
    private static let two = "11112233-4455-6677-8899-aabbccddeeff"
    private static let three = "22222233-4455-6677-8899-aabbccddeeff"

    private func ready() throws -> (Device, FakeHub) {
        let device = try Device(Self.sql, tables: [.table("note"), .table("site")])
        try device.adopt(Self.schema)
        let hub = FakeHub(Self.schema)
        hub.put("site", [.text(Self.one), .text("Hut")])
        try device.exchange(hub)
        return (device, hub)
    }

    enum Form: CaseIterable { case blob, upper, lower }

    private func stored(_ id: String, _ form: Form) throws -> DatabaseValue {
        switch form {
        case .blob: try #require(UUID(uuidString: id)).databaseValue
        case .upper: id.uppercased().databaseValue
        case .lower: id.databaseValue
        }
    }

    @Test(arguments: Form.allCases)
    func `are sent as GRDB writes them, and come as it reads them`(form: Form) throws {
        let (device, hub) = try ready()
        let (two, three) = (try stored(Self.two, form), try stored(Self.three, form))
        try device.run("INSERT INTO own VALUES(?)", [Self.one])
        try device.run("INSERT INTO site VALUES(?, 'Cabin')", [two])
        try device.run("INSERT INTO note VALUES(?, ?, 'new')", [three, two])
        try device.exchange(hub)
        #expect(hub.rows("site").map { $0[0] } == [.text(Self.one), .text(Self.two)])
        #expect(hub.row("note", .text(Self.three))?[1] == .text(Self.two))
        // The app can look up the hub's rows like its own.
        let one = try stored(Self.one, form)
        #expect(try count(device, "SELECT count(*) FROM site WHERE id = ?", one) == 1)
        #expect(try count(device, "SELECT count(*) FROM own WHERE site = ?", one) == 1)
        hub.put("site", [.text(Self.one), .text("Hut 2")], [.text(Self.two), .text("Cabin 2")])
        hub.put("note", [.text(Self.one), .text(Self.one), .text("theirs")])
        try device.exchange(hub)
        #expect(try device.texts("SELECT name FROM site ORDER BY name") == ["Cabin 2", "Hut 2"])
        #expect(try count(device, "SELECT count(*) FROM note WHERE id = ?", one) == 1)
        #expect(try count(device, "SELECT count(*) FROM note WHERE site = ?", one) == 1)
        #expect(try device.texts("PRAGMA foreign_key_check").isEmpty)
        try device.run("UPDATE site SET name = 'Hut 3' WHERE id = ?", [one])
        try device.run("DELETE FROM note WHERE id = ?", [three])
        try device.exchange(hub)
        #expect(hub.row("site", .text(Self.one)) == [.text(Self.one), .text("Hut 3")])
        #expect(hub.row("note", .text(Self.three)) == nil)
        #expect(try device.texts("SELECT * FROM _moorage_refused").isEmpty)
    }

    @Test func `keep the form that the app used first`() throws {
        let (device, hub) = try ready()
        try device.run("INSERT INTO site VALUES(?, 'Cabin')", [Self.two])
        try device.exchange(hub)
        // The user typed another form. The change is blocked, and its message tells what to do.
        try device.run("INSERT INTO site VALUES(?, 'Barn')", [Self.three.uppercased()])
        try device.exchange(hub)
        #expect(try device.texts("SELECT code FROM _moorage_refused WHERE blocked") == ["type"])
        #expect(try device.texts("SELECT id FROM site WHERE name = 'Hut'") == [Self.one])
        try device.run("UPDATE site SET id = lower(id) WHERE name = 'Barn'")
        try device.exchange(hub)
        #expect(hub.rows("site").count == 3)
    }

    private func count(_ device: Device, _ sql: String, _ value: DatabaseValue) throws -> Int {
        try device.queue.read { try Int.fetchOne($0, sql: sql, arguments: [value]) ?? 0 }
    }
}
