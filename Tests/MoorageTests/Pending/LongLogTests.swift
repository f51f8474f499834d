import GRDB
import MoorageCore
import MoorageTesting
import Testing

@testable import Moorage

/// Devices that are away for days, with apps that save one row again and again.
@Suite struct `The log of a device that is away` {
    private func device() throws -> Device {
        let device = try Device(
            "CREATE TABLE item(id TEXT NOT NULL PRIMARY KEY, a TEXT, b INTEGER, c REAL)",
            tables: [.table("item")])
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
        // A batch is on its way, and stays there.
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

    /// The batch that is on its way was taken; what was edited since.
    private func changes(_ device: Device) throws -> [String] {
        try device.run("DELETE FROM _moorage_inflight")
        return try device.notes()
    }

    @Test(arguments: [
        "UPDATE item SET b = 10 + ?1, a = 'later' WHERE id = 'x'",
        "REPLACE INTO item VALUES('x', 'later', 10 + ?1, 0.5)",
    ])
    func `holds a row that is edited 100,000 times in a few entries`(sql: String) throws {
        let device = try device()
        for _ in 1...4 {
            try edit(device, times: trials(5_000, nightly: 25_000), sql)
            _ = try device.prepare()
        }
        #expect(try entries(device) < Int(device.store.compactedFrom))
        try device.compact()
        #expect(try entries(device) <= 2)
        let last = 10 + trials(5_000, nightly: 25_000)
        #expect(try changes(device) == ["item x update 1:first>later,2:1>\(last)"])
    }

    @Test
    func `keeps the first value of each column, with text that is none and times that go back`()
        throws
    {
        let device = try device()
        try device.run(
            """
            UPDATE item SET a = CAST(x'ff00' AS TEXT) WHERE id = 'y';
            UPDATE item SET b = 3 WHERE id = 'y';
            UPDATE item SET a = 'third', c = NULL WHERE id = 'y';
            UPDATE _moorage_log_item SET at = 5000 - seq;
            """)
        let first = try device.texts("SELECT max(at) FROM _moorage_log_item")
        try device.compact()
        #expect(try entries(device) == 1)
        #expect(try device.texts("SELECT at FROM _moorage_log_item") == first)
        #expect(try changes(device) == ["item y update 1:y>third,2:2>3,3:1.5>∅"])
    }

    @Test func `does not join what belongs to different groups`() throws {
        let device = try device()
        for marker in ["", "INSERT INTO _moorage_group DEFAULT VALUES;"] {
            try device.run(
                "\(marker) UPDATE item SET b = b + 1; UPDATE item SET b = b + 1; DELETE FROM _moorage_group"
            )
        }
        try device.compact()
        #expect(
            try device.texts("SELECT k0, grp FROM _moorage_log_item ORDER BY grp, k0")
                == ["x|∅", "y|∅", "x|1", "y|1"])
    }

    @Test func `of many different rows is looked at less often`() throws {
        let device = try device()
        let count = Int(device.store.compactedFrom)
        func due() -> Int64? { device.store.compactions.withLock { $0["item"]?.due } }
        try edit(device, times: count * 2, "INSERT INTO item VALUES('r' || ?1, 'a', 1, 0.5)")
        _ = try device.prepare()
        let first = try #require(due())
        #expect(first >= count * 4)
        try edit(device, times: count, "INSERT INTO item VALUES('s' || ?1, 'a', 1, 0.5)")
        _ = try device.prepare()
        #expect(due() == first)
    }
}
