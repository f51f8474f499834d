import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A table that travels one way` {
    private func ready(_ directions: [String: TableDirection], _ more: String = "") throws -> (
        LawBench, Device
    ) {
        let bench = try LawBench(rule: .newest, directions: directions)
        try bench.central.execute(
            """
            INSERT INTO item(id, code, a) VALUES('i1', 1, 'old'), ('i2', 2, 'old');
            INSERT INTO part VALUES('i1', 1, 'note')
            """)
        let device = try bench.device()
        if !more.isEmpty { try device.run(more) }
        for _ in 0..<2 { try device.exchange(bench.hub) }
        return (bench, device)
    }

    private func error(_ body: () throws -> Void) -> ReplicaError? {
        do {
            try body()
            return nil
        } catch { return ReplicaError(localWrite: error) }
    }

    @Test(arguments: [
        "INSERT INTO part VALUES('i1', 2, 'x')", "INSERT OR REPLACE INTO part VALUES('i1', 1, 'x')",
        "UPDATE part SET note = 'x'", "UPDATE part SET number = 7", "DELETE FROM part",
        "DELETE FROM item WHERE id = 'i1'",
    ])
    func `down refuses every local write at once`(sql: String) throws {
        let (_, device) = try ready(["part": .down])
        let error = error { try device.run(sql) }
        #expect(error?.code == .readOnly && error?.recovery == .askOperator)
        #expect(error?.message.contains("part") == true)
        #expect(try device.texts("SELECT * FROM part") == ["i1|1|note"])
        #expect(try device.pending() == [])
    }

    @Test func `down takes what the hub brings, and leaves columns that are not synced`() throws {
        let (bench, device) = try ready(["part": .down], "ALTER TABLE part ADD COLUMN own TEXT")
        try device.run("UPDATE part SET own = 'mine'")
        try bench.central.execute(
            "UPDATE part SET note = 'new'; INSERT INTO part VALUES('i2', 1, 'more')")
        try device.exchange(bench.hub)
        #expect(
            try device.texts("SELECT * FROM part ORDER BY item") == [
                "i1|1|new|mine", "i2|1|more|∅",
            ])
        try bench.central.execute("DELETE FROM part WHERE item = 'i1'")
        try device.exchange(bench.hub)
        #expect(try device.texts("SELECT item FROM part") == ["i2"])
    }

    @Test func `down by reverting shows the write until the next exchange, and lists it`() throws {
        let (bench, device) = try ready(["item": .downReverting])
        try device.run(
            """
            UPDATE item SET a = 'mine' WHERE id = 'i1'; DELETE FROM item WHERE id = 'i2';
            INSERT INTO item(id) VALUES('i3')
            """)
        #expect(try device.texts("SELECT id, a FROM item") == ["i1|mine", "i3|∅"])
        try device.exchange(bench.hub)
        #expect(try device.texts("SELECT id, a FROM item") == ["i1|old", "i2|old"])
        #expect(
            try device.texts("SELECT operation, code FROM _moorage_refused ORDER BY operation")
                == ["delete|readOnly", "insert|readOnly", "update|readOnly"])
        #expect(try bench.contents()[0].count == 2)
        #expect(try device.pending() == [])
    }

    @Test func `up is sent and never received`() throws {
        let (bench, device) = try ready(["part": .up])
        #expect(try device.texts("SELECT * FROM part") == [])
        try device.run("INSERT INTO part VALUES('i2', 5, 'mine')")
        try device.exchange(bench.hub)
        #expect(try bench.contents()[1].count == 2)
        try bench.central.execute("UPDATE part SET note = 'office'")
        try device.exchange(bench.hub)
        #expect(try device.texts("SELECT * FROM part") == ["i2|5|mine"])
        try bench.central.execute("DELETE FROM part; DELETE FROM item")
        #expect(try device.exchange(bench.hub))
        #expect(try device.texts("SELECT * FROM part") == ["i2|5|mine"])
        #expect(try device.pending() == [])
    }

    @Test func `a refused insert of a table that goes up only is on the list alone`() throws {
        let (bench, device) = try ready(["part": .up])
        try device.run("INSERT INTO part VALUES('i2', 5, 'mine')")
        try bench.central.execute("DELETE FROM item WHERE id = 'i2'")
        try device.exchange(bench.hub)
        #expect(try device.texts("SELECT code FROM _moorage_refused") == ["foreignKey"])
        #expect(try device.texts("SELECT * FROM part") == [])
        try bench.central.execute("INSERT INTO item(id) VALUES('i2')")
        try device.exchange(bench.hub)
        try device.queue.writeWithoutTransaction { db in
            let refused = try #require(try device.store.refused(db, limit: 9).first)
            try device.store.resubmit(db, refused)
        }
        try device.exchange(bench.hub)
        #expect(try device.texts("SELECT * FROM part") == ["i2|5|mine"])
        #expect(try bench.contents()[1].count == 2)
    }

    @Test func `rows of a table that goes up only wait for no copy`() throws {
        let (bench, device) = try ready(["part": .up])
        try device.run("INSERT INTO part VALUES('i2', 5, 'mine')")
        try device.exchange(bench.hub)
        try device.queue.writeWithoutTransaction { try device.store.rescan($0) }
        for _ in 0..<3 { try device.exchange(bench.hub) }
        #expect(try device.texts("SELECT * FROM part") == ["i2|5|mine"])
        #expect(try device.texts("SELECT * FROM _moorage_unconfirmed_part") == [])
        #expect(try device.texts("SELECT * FROM _moorage_refused") == [])
    }

    @Test func `what devices receive cannot refer to what they do not`() throws {
        let (bench, device) = try ready(["item": .up])
        #expect(try bench.hub.currentSchema().suspended.map(\.name) == ["part"])
        #expect(try device.texts("SELECT * FROM part") == [])
    }

    @Test func `a direction that moves is taken up with the schema`() throws {
        let bench = try LawBench()
        try bench.central.execute("INSERT INTO item(id, a) VALUES('i1', 'old')")
        let device = try bench.device()
        for _ in 0..<2 { try device.exchange(bench.hub) }
        try device.run("UPDATE item SET a = 'mine'")
        var configuration = HubConfiguration()
        configuration.directions = ["item": .down]
        let strict = Hub(database: bench.central, configuration: configuration)
        try device.exchange(strict)
        // The hub refuses the pending change, and the device has the central value again. From now
        // on writes fail at once.
        #expect(try device.texts("SELECT a FROM item") == ["old"])
        #expect(try device.texts("SELECT code FROM _moorage_refused") == ["readOnly"])
        #expect(error { try device.run("UPDATE item SET a = 'again'") }?.code == .readOnly)
        try device.exchange(bench.hub)
        try device.run("UPDATE item SET a = 'free'")
        try device.exchange(bench.hub)
        #expect(try bench.contents()[0][0][2] == .text("free"))
    }

    @Test func `another error of a local write is not taken for it`() throws {
        let (_, device) = try ready(["part": .down])
        #expect(error { try device.run("INSERT INTO item(id, code) VALUES('i9', 1)") } == nil)
    }
}
