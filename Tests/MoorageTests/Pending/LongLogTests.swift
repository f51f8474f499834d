import GRDB
import MoorageCore
import MoorageSupport
import MoorageTesting
import TestSupport
import Testing

@testable import Moorage

/// Devices that are away for days, with apps that save one row again and again.
@Suite(.ownThreads) struct `The log of a device that is away` {
    private func device(compactedFrom: Int64? = nil) throws -> Device {
        let device = try Device(
            "CREATE TABLE item(id TEXT NOT NULL PRIMARY KEY, a TEXT, b INTEGER, c REAL)",
            tables: [.table("item")], compactedFrom: compactedFrom)
        try device.adopt(
            SchemaDescription(tables: [
                TableDescription(
                    name: "item",
                    columns: [
                        .column("id", .text), .column("a", .text), .column("b", .integer),
                        .column("c", .real),
                    ], primaryKey: [0])
            ]))
        try device.run("INSERT INTO item VALUES('x', 'first', 1, 0.5), ('y', 'y', 2, 1.5)")
        // A batch is in flight, and stays so.
        _ = try device.prepare()
        return device
    }

    private func edit(_ device: Device, times: Int, _ sql: String) throws {
        try device.queue.write { db in
            let statement = try db.makeStatement(sql: sql)
            for number in 1...times { try statement.execute(arguments: [number]) }
        }
    }

    private func entries(_ device: Device) throws -> Int {
        Int(try device.texts("SELECT count(*) FROM _moorage_log_item")[0]) ?? 0
    }

    /// Drops the in-flight batch, and returns the changes after it.
    private func changes(_ device: Device) throws -> [String] {
        try device.run("DELETE FROM _moorage_inflight")
        return try device.localChanges()
    }

    @Test(arguments: [
        "UPDATE item SET b = 10 + ?1, a = 'later' WHERE id = 'x'",
        "REPLACE INTO item VALUES('x', 'later', 10 + ?1, 0.5)",
    ])
    func `holds a row that is edited again and again in a few entries`(sql: String) throws {
        let edits = trials(1_000, nightly: 25_000)
        let device = try device(compactedFrom: min(10_000, 2 * Int64(edits)))
        for _ in 1...4 {
            try edit(device, times: edits, sql)
            _ = try device.prepare()
        }
        #expect(try entries(device) < Int(device.store.compactedFrom))
        try device.compact()
        #expect(try entries(device) == 2)
        #expect(try changes(device) == ["item x update 1:first>later,2:1>\(10 + edits)"])
    }

    @Test func `keeps the first value of each column, with text that is none`() throws {
        let device = try device()
        try device.run(
            """
            UPDATE item SET a = CAST(x'ff00' AS TEXT) WHERE id = 'y';
            UPDATE item SET b = 3 WHERE id = 'y';
            UPDATE item SET b = 4, a = 'second' WHERE id = 'y';
            UPDATE item SET a = 'third', c = NULL WHERE id = 'y';
            UPDATE item SET a = 'fourth' WHERE id = 'y';
            """)
        try device.compact()
        #expect(try entries(device) == 2)
        #expect(try changes(device) == ["item y update 1:y>fourth,2:2>4,3:1.5>∅"])
    }

    /// Compaction removes the entry with the latest time, before an entry of another row. The
    /// entries after it get that time.
    @Test func `keeps the order of edits where the clock was set back`() throws {
        let device = try device()
        let edits = ["x", "x", "y", "x"].map { "UPDATE item SET b = b + 1 WHERE id = '\($0)';" }
        try device.run(
            edits.joined()
                + "UPDATE _moorage_log_item SET at = CASE seq - (SELECT min(seq) FROM _moorage_log_item) WHEN 1 THEN 200 ELSE 50 END"
        )
        try device.compact()
        #expect(
            try device.texts("SELECT k0, at FROM _moorage_log_item ORDER BY seq")
                == ["x|50", "y|200", "x|200"])
    }

    @Test func `leaves what was sent before as it was`() throws {
        let device = try device()
        for _ in 1...4 { try device.run("UPDATE item SET b = b + 1 WHERE id = 'x'") }
        try device.run("UPDATE _moorage_log_item SET again = 1")
        try device.compact()
        #expect(try entries(device) == 4)
    }

    @Test func `can still be reverted as it was listed`() throws {
        let device = try device()
        try device.run("DELETE FROM _moorage_inflight")
        for number in 1...9 {
            try device.run("UPDATE item SET b = \(number) + 10, a = 'later' WHERE id = 'x'")
        }
        let listed = try device.pending()
        try device.compact()
        #expect(try entries(device) == 2)
        try device.queue.writeWithoutTransaction { db in
            try device.store.revert(db, listed, now: device.now)
        }
        #expect(try device.texts("SELECT a, b FROM item WHERE id = 'x'") == ["first|1"])
    }

    @Test func `does not join what belongs to different groups`() throws {
        let device = try device()
        for marker in ["", "INSERT INTO _moorage_group DEFAULT VALUES;"] {
            let edit = "UPDATE item SET b = b + 1 WHERE id = 'x';"
            try device.run("\(marker) \(edit)\(edit)\(edit) DELETE FROM _moorage_group")
        }
        try device.compact()
        #expect(
            try device.texts("SELECT grp FROM _moorage_log_item ORDER BY seq")
                == ["∅", "∅", "1", "1"])
    }

    @Test func `of many different rows is looked at less often`() throws {
        let device = try device(compactedFrom: Int64(trials(1_000, nightly: 10_000)))
        let count = Int(device.store.compactedFrom)
        func due() -> Int64? { device.store.compactions.withLock { $0[Identifier("item")]?.due } }
        try edit(device, times: count * 2, "INSERT INTO item VALUES('r' || ?1, 'a', 1, 0.5)")
        _ = try device.prepare()
        let first = try #require(due())
        #expect(first >= count * 4)
        try edit(device, times: count, "INSERT INTO item VALUES('s' || ?1, 'a', 1, 0.5)")
        _ = try device.prepare()
        #expect(due() == first)
    }
}
