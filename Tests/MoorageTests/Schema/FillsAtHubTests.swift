import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Values from before a column was synced, on their way to a real hub.
@Suite(.ownThreads) struct `Fills of a device` {
    private static let moods = "SELECT id, mood FROM site ORDER BY id"

    /// A camp with three sites and a column for their mood. One of them has a mood.
    private func camp(_ column: String) async throws -> Camp {
        let camp = try await Camp()
        try camp.central.execute(
            """
            INSERT INTO site VALUES('s2', 'Barn', 5), ('s3', 'Shed', 7);
            ALTER TABLE site ADD COLUMN mood \(column);
            UPDATE site SET mood = 'happy' WHERE id = 's1'
            """)
        _ = try await camp.hub.attach()
        return camp
    }

    private func check(
        _ camp: Camp, _ file: DatabaseQueue, _ replica: Replica,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let summary = try await replica.sync()
        #expect(summary.isCaughtUp, sourceLocation: sourceLocation)
        #expect(
            try camp.rows(Self.moods) == [
                ["s1", "happy"], ["s2", "unknown"], ["s3", "unknown"],
            ],
            sourceLocation: sourceLocation)
        #expect(
            try await file.texts(Self.moods) == ["s1|happy", "s2|unknown", "s3|unknown"],
            sourceLocation: sourceLocation)
        #expect(replica.status.pendingCount == 0, sourceLocation: sourceLocation)
        #expect(
            try camp.rows("SELECT count(*) FROM moorage_conflict") == [["0"]],
            sourceLocation: sourceLocation)
        #expect(try await replica.overruledChanges.fetch().isEmpty, sourceLocation: sourceLocation)
        #expect(try await replica.verify().isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["TEXT", "TEXT NOT NULL DEFAULT 'none'"])
    func `arrive with one sync, and overwrite nothing`(column: String) async throws {
        let camp = try await camp(column)
        let (file, replica) = try await camp.device()
        try await file.run(
            "ALTER TABLE site ADD COLUMN mood \(column); UPDATE site SET mood = 'unknown'")
        try await check(camp, file, replica)
        #expect(try await replica.refusedChanges.fetch().isEmpty)
    }

    /// The triggers are lost with the old table, so the device compares it with the hub first.
    @Test func `arrive from a table that was rebuilt`() async throws {
        let camp = try await camp("TEXT")
        let (file, replica) = try await camp.device()
        try await file.run(
            """
            CREATE TABLE new(
              id TEXT PRIMARY KEY NOT NULL, name TEXT, height INTEGER, mood VARCHAR(20));
            INSERT INTO new SELECT id, name, height, 'unknown' FROM site;
            DROP TABLE site; ALTER TABLE new RENAME TO site
            """)
        try await check(camp, file, replica)
    }

    @Test func `arrive though a later version of the app opens the file`() async throws {
        let camp = try await camp("TEXT")
        let (file, _) = try await camp.device()
        try await file.run(
            "ALTER TABLE site ADD COLUMN mood TEXT; UPDATE site SET mood = 'unknown'")
        _ = try await camp.open(file)
        #expect(try await file.texts("SELECT count(*) FROM _moorage_fill_site") == ["3"])
        try await check(camp, file, try await camp.open(file))
    }

    /// No page says what the hub has.
    @Test func `of a table that goes up only are left to the hub`() throws {
        let bench = try LawBench(directions: ["part": .up])
        try bench.central.execute("INSERT INTO item(id) VALUES('i1')")
        let device = try bench.device(
            schema: LawBench.schema.replacing("note TEXT, PRIMARY KEY", with: "PRIMARY KEY"))
        for _ in 0..<2 { try device.exchange(bench.hub) }
        try device.run("INSERT INTO part VALUES('i1', 1), ('i1', 2)")
        try device.exchange(bench.hub)
        try bench.central.execute("UPDATE part SET note = 'office' WHERE number = 1")
        try device.run("ALTER TABLE part ADD COLUMN note TEXT; UPDATE part SET note = 'mine'")
        for _ in 0..<2 { try device.exchange(bench.hub) }
        let notes = try bench.contents()[1].map { $0[2] }
        #expect(notes == [.text("office"), .text("mine")])
        #expect(try device.texts("SELECT * FROM _moorage_log_part") == [])
    }

    /// The row stays as its user saw it, and nobody has seen the hub's value of the new column.
    @Test func `are no part of a row that is merged as a whole`() throws {
        let bench = try LawBench(rule: .client, granularity: .row)
        try bench.central.execute(
            "INSERT INTO item(id, code, a, b) VALUES('i1', 1, 'old', 5), ('i2', 2, 'old', NULL)")
        let device = try bench.device(
            schema: LawBench.schema.replacing("a TEXT, b INTEGER,", with: "a TEXT,"))
        for _ in 0..<2 { try device.exchange(bench.hub) }
        try device.run("ALTER TABLE item ADD COLUMN b INTEGER; UPDATE item SET b = 9")
        var edited = false
        try device.exchange(bench.hub) {
            if !edited { try device.run("UPDATE item SET a = 'mine' WHERE id = 'i1'") }
            edited = true
        }
        let rows = "SELECT a, b FROM item ORDER BY id"
        let expected: [[Value]] = [[.text("mine"), .integer(5)], [.text("old"), .integer(9)]]
        #expect(try device.values(rows) == expected)
        try device.exchange(bench.hub)
        #expect(try bench.central.perform { try $0.run(rows, []) } == expected)
        #expect(try device.values(rows) == expected)
    }
}
