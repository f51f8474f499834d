import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `The log, written by triggers and folded` {
    static let schema = SchemaDescription(tables: [
        TableDescription(
            name: "item",
            columns: [
                .column("id", .text), .column("code", .text), .column("a", .text),
                .column("b", .integer),
            ], primaryKey: [0], uniqueKeys: [[1]])
    ])

    func device(_ more: String = "", recursive: Bool = false) throws -> Device {
        var configuration = Configuration()
        if recursive {
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA recursive_triggers = ON") }
        }
        let device = try Device(
            """
            CREATE TABLE item(id TEXT PRIMARY KEY, code TEXT UNIQUE, a TEXT, b INTEGER)\(more);
            INSERT INTO item VALUES('x', 'cx', 'ax', 1), ('y', 'cy', 'ay', 2), ('z', 'cz', 'az', 3);
            """, tables: [.table("item", firstContact: .upload)], configuration: configuration)
        try device.adopt(Self.schema)
        try device.run("DELETE FROM _moorage_log_item")
        return device
    }

    static let cases: [(sql: String, localChanges: [String])] = [
        ("INSERT INTO item VALUES('n', 'cn', 'an', 9)", ["item n insert n,cn,an,9"]),
        ("UPDATE item SET a = 'new' WHERE id = 'x'", ["item x update 2:ax>new"]),
        ("UPDATE item SET a = a, b = 7 WHERE id = 'x'", ["item x update 3:1>7"]),
        ("UPDATE item SET a = a WHERE id = 'x'", []),
        ("UPDATE item SET a = NULL WHERE id = 'x'", ["item x update 2:ax>∅"]),
        ("DELETE FROM item WHERE id = 'x'", ["item x delete x,cx,ax,1"]),
        (
            "INSERT INTO item VALUES('n', 'cn', 'an', 9); UPDATE item SET a = 'q' WHERE id = 'n'",
            ["item n insert n,cn,q,9"]
        ),
        (
            "INSERT INTO item VALUES('n', 'cn', 'an', 9); DELETE FROM item WHERE id = 'n'",
            ["item n refetch"]
        ),
        (
            "UPDATE item SET a = 'q' WHERE id = 'x'; UPDATE item SET a = 'r', b = 5 WHERE id = 'x'",
            ["item x update 2:ax>r,3:1>5"]
        ),
        (
            "UPDATE item SET a = 'q' WHERE id = 'x'; UPDATE item SET a = 'ax' WHERE id = 'x'",
            ["item x update "]
        ),
        (
            "UPDATE item SET a = 'q' WHERE id = 'x'; DELETE FROM item WHERE id = 'x'",
            ["item x delete x,cx,ax,1"]
        ),
        (
            "DELETE FROM item WHERE id = 'x'; INSERT INTO item VALUES('x', 'cx', 'q', 1)",
            ["item x update 2:ax>q"]
        ),
        (
            """
            INSERT INTO item VALUES('n', 'cn', 'an', 9); DELETE FROM item WHERE id = 'n';
            INSERT INTO item VALUES('n', 'cn', 'am', 9)
            """, ["item n insert n,cn,am,9"]
        ),
        (
            "UPDATE item SET id = 'w' WHERE id = 'x'",
            ["item w insert w,cx,ax,1", "item x delete x,cx,ax,1"]
        ),
        (
            "UPDATE item SET id = 'X' WHERE id = 'x'",
            ["item X insert X,cx,ax,1", "item x delete x,cx,ax,1"]
        ),
        (
            "REPLACE INTO item VALUES('x', 'cx', 'q', 1)", ["item x update 2:ax>q"]
        ),
        (
            "REPLACE INTO item VALUES('n', 'cx', 'q', 1)",
            ["item n insert n,cx,q,1", "item x delete x,cx,ax,1"]
        ),
        (
            "REPLACE INTO item VALUES('x', 'cy', 'q', 1)",
            ["item x update 1:cx>cy,2:ax>q", "item y delete y,cy,ay,2"]
        ),
        (
            "UPDATE OR REPLACE item SET code = 'cy' WHERE id = 'x'",
            ["item x update 1:cx>cy", "item y delete y,cy,ay,2"]
        ),
        (
            "UPDATE OR REPLACE item SET id = 'y' WHERE id = 'x'",
            ["item y update 1:cy>cx,2:ay>ax,3:2>1", "item x delete x,cx,ax,1"]
        ),
        ("INSERT OR IGNORE INTO item VALUES('x', 'q', 'q', 1)", []),
        ("INSERT OR IGNORE INTO item VALUES('n', 'cx', 'q', 1)", []),
        (
            """
            INSERT INTO item VALUES('x', 'q', 'q', 1)
            ON CONFLICT(id) DO UPDATE SET a = excluded.a
            """, ["item x update 2:ax>q"]
        ),
        ("INSERT INTO item VALUES('x', 'q', 'q', 1) ON CONFLICT DO NOTHING", []),
        (
            "INSERT OR IGNORE INTO item VALUES('x', 'q', 'q', 1); DELETE FROM item WHERE id = 'x'",
            ["item x delete x,cx,ax,1"]
        ),
        (
            "REPLACE INTO item VALUES('n', 'cx', 'q', 1); DELETE FROM item WHERE id = 'n'",
            ["item n refetch", "item x delete x,cx,ax,1"]
        ),
    ]

    @Test(arguments: cases.indices, ["", " WITHOUT ROWID", " STRICT", "RECURSIVE"])
    func `says what was done`(index: Int, kind: String) throws {
        let one = Self.cases[index]
        let device = try device(kind == "RECURSIVE" ? "" : kind, recursive: kind == "RECURSIVE")
        try device.run(one.sql)
        #expect(try device.localChanges() == one.localChanges)
        #expect(try device.texts("SELECT * FROM _moorage_log_item") == [])
    }

    @Test func `a write that was rolled back leaves no note`() throws {
        let device = try device()
        _ = try? device.queue.write { db in
            try db.execute(sql: "UPDATE item SET a = 'q'")
            throw CancellationError()
        }
        #expect(try device.localChanges() == [])
    }

    @Test func `an edit after the batch was prepared starts from what is in flight`() throws {
        let device = try device()
        try device.run("UPDATE item SET a = 'q' WHERE id = 'x'")
        #expect(try device.localChanges() == ["item x update 2:ax>q"])
        try device.run("UPDATE item SET a = 'r' WHERE id = 'x'")
        #expect(try device.localChanges() == ["item x update 2:ax>q"])
        try device.run("DELETE FROM _moorage_inflight")
        #expect(try device.localChanges() == ["item x update 2:q>r"])
    }

    @Test func `a batch is sent again byte for byte`() throws {
        let device = try device()
        try device.run("UPDATE item SET a = 'q' WHERE id = 'x'")
        let first = try device.prepare()
        try device.run("UPDATE item SET a = 'r' WHERE id = 'y'")
        #expect(try device.prepare() == first)
    }

    @Test func `a value that is no text is not sent until it is mended`() throws {
        let device = try device()
        try device.run(
            "UPDATE item SET a = CAST(x'FF' AS TEXT) WHERE id = 'x'; UPDATE item SET a = 'q' WHERE id = 'y'"
        )
        #expect(try device.localChanges() == ["item y update 2:ay>q"])
        #expect(
            try device.texts("SELECT tbl, code, blocked FROM _moorage_refused") == [
                "item|invalidText|1"
            ])
        try device.run("DELETE FROM _moorage_inflight; UPDATE item SET a = 'fine' WHERE id = 'x'")
        #expect(try device.localChanges() == ["item x update 2:ax>fine"])
        #expect(try device.texts("SELECT tbl FROM _moorage_refused") == [])
    }
}
