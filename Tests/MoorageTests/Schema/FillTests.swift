import GRDB
import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// The app writes into a new column before its triggers know it.
@Suite(.ownThreads) struct `A column that begins to sync` {
    private static func schema(_ standard: ColumnDefault = .none) -> SchemaDescription {
        SchemaDescription(tables: [
            TableDescription(
                name: "site",
                columns: [
                    .column("id", .text), .column("name", .text),
                    ColumnDescription(name: "mood", type: .text, defaultValue: standard),
                ], primaryKey: [0])
        ])
    }

    private static let migration =
        "ALTER TABLE site ADD COLUMN mood TEXT; UPDATE site SET mood = 'mine'"

    /// A device that has read the rows without the column, and then gets it with values.
    ///
    /// - Parameter moods: What the hub has in the column, row by row.
    private func ready(
        _ moods: Value..., standard: ColumnDefault = .none, rights: RightsAnswer? = nil,
        migrates: Bool = true
    ) throws -> (Device, FakeHub) {
        let schema = Self.schema(standard)
        let hub = FakeHub(schema)
        for (row, mood) in moods.enumerated() {
            hub.put("site", [.text("s\(row + 1)"), .text("Hut"), mood])
        }
        let device = try Device(
            "CREATE TABLE site(id TEXT PRIMARY KEY NOT NULL, name TEXT CHECK(name <> 'long'))",
            tables: [.table("site")])
        try device.queue.writeWithoutTransaction {
            try device.store.welcome($0, schema: schema, rights: rights)
        }
        try device.exchange(hub)
        if migrates { try device.run(Self.migration) }
        return (device, hub)
    }

    private func moods(_ device: Device) throws -> [String] {
        try device.texts("SELECT id, mood FROM site ORDER BY id")
    }

    private func undecided(_ device: Device) throws -> [String] {
        try device.texts("SELECT k0 FROM _moorage_fill_site ORDER BY k0")
    }

    @Test(arguments: [
        (ColumnDefault.none, Value.null, "∅"), (.value(.text("none")), .text("none"), "none"),
        (.value(.text("none")), .null, "∅"),
    ])
    func `takes what others wrote, and fills what nobody wrote`(
        standard: ColumnDefault, unwritten: Value, old: String
    ) throws {
        let (device, hub) = try ready(.text("happy"), unwritten, .text("mine"), standard: standard)
        try device.exchange(hub)
        #expect(try moods(device) == ["s1|happy", "s2|mine", "s3|mine"])
        #expect(try undecided(device) == [])
        #expect(try device.localChanges() == ["site s2 update 2:\(old)>mine fill"])
    }

    /// Only the hub knows what the expression gave, and whether somebody wrote it.
    @Test func `does not fill the value of an expression`() throws {
        let (device, hub) = try ready(.text("made"), standard: .central)
        try device.exchange(hub)
        #expect(try moods(device) == ["s1|made"])
        #expect(try device.localChanges() == [])
    }

    @Test func `fills nothing with NULL, or with its own default`() throws {
        let (device, hub) = try ready(.null, .text("none"), standard: .value(.text("none")))
        try device.run(
            """
            ALTER TABLE site DROP COLUMN mood;
            ALTER TABLE site ADD COLUMN mood TEXT DEFAULT 'own';
            UPDATE site SET mood = NULL WHERE id = 's2'
            """)
        try device.exchange(hub)
        #expect(try moods(device) == ["s1|∅", "s2|none"])
        #expect(try device.localChanges() == [])
    }

    // MARK: Edits

    @Test func `has edits like any other once it is filled`() throws {
        let (device, hub) = try ready(.null, .null)
        try device.exchange(hub)
        try device.run("UPDATE site SET mood = 'own' WHERE id = 's1'")
        #expect(
            try device.localChanges() == [
                "site s1 update 2:∅>own", "site s2 update 2:∅>mine fill",
            ])
    }

    /// The hub never had the value with which the edit begins.
    @Test func `has edits before a page decides, which begin with what the hub has`() throws {
        let (device, hub) = try ready(.null, .text("none"), standard: .value(.text("none")))
        #expect(try device.localChanges() == [])
        #expect(try undecided(device) == ["s1", "s2"])
        try device.run("UPDATE site SET mood = 'own'")
        #expect(
            try device.localChanges() == [
                "site s1 update 2:none>own", "site s2 update 2:none>own",
            ])
        try device.exchange(hub)
        #expect(hub.rows("site").map { $0[2] } == [.text("own"), .text("own")])
        #expect(try moods(device) == ["s1|own", "s2|own"])
        #expect(try undecided(device) == [])
        #expect(try device.localChanges() == [])
    }

    @Test func `has an edit that a page meets`() throws {
        let (device, hub) = try ready(.null, .text("happy"))
        try device.exchange(hub) { try device.run("UPDATE site SET mood = 'own'") }
        #expect(try moods(device) == ["s1|own", "s2|own"])
        #expect(
            try device.localChanges() == [
                "site s1 update 2:∅>own", "site s2 update 2:mine>own",
            ])
    }

    /// The row is recorded all the same, and only the answer says what it is (B5).
    @Test func `waits for the answer to an edit that was undone`() throws {
        let (device, hub) = try ready(.null, .text("happy"))
        try device.exchange(hub) {
            try device.run("UPDATE site SET mood = 'own'; UPDATE site SET mood = 'mine'")
        }
        #expect(try undecided(device) == ["s1", "s2"])
        #expect(try device.localChanges() == ["site s1 update ", "site s2 update "])
        try device.exchange(hub)
        #expect(try moods(device) == ["s1|mine", "s2|happy"])
        #expect(try undecided(device) == [])
        #expect(try device.localChanges() == ["site s1 update 2:∅>mine fill"])
    }

    @Test func `does not come back as a fill where its edit was refused`() throws {
        let (device, hub) = try ready(.null)
        #expect(try device.localChanges() == [])
        try device.run("UPDATE site SET mood = 'own'")
        hub.refusing = { _ in Refusal(code: .init(rawValue: "check"), message: "No.") }
        try device.exchange(hub)
        hub.refusing = { _ in nil }
        #expect(try moods(device) == ["s1|∅"])
        #expect(try device.localChanges() == [])
        #expect(try device.texts("SELECT after FROM _moorage_refused") == [#"["own"]"#])
    }

    /// The hub has the row as it went up, so no page names it.
    @Test func `waits for nothing in a row that goes up whole`() throws {
        let (device, hub) = try ready(.null, migrates: false)
        try device.run("INSERT INTO site VALUES('o1', 'Cabin'), ('o2', 'Cabin')")
        try device.run(Self.migration)
        _ = try device.prepare(BatchLimits(maximumRows: 1))
        try device.exchange(hub)
        try device.exchange(hub)
        #expect(try undecided(device) == [])
        hub.put("site", [.text("o2"), .text("Cabin"), .null])
        try device.exchange(hub)
        #expect(try moods(device) == ["o1|mine", "o2|∅", "s1|mine"])
        #expect(try device.localChanges() == [])
    }

    /// The log has the row as it was without the column, deleted or replaced.
    @Test(arguments: ["DELETE FROM site; INSERT INTO", "INSERT OR REPLACE INTO"])
    func `is no edit of a row that was inserted again before its table had the column`(
        statement: String
    ) throws {
        let (device, hub) = try ready(.text("happy"), migrates: false)
        try device.run("\(statement) site VALUES('s1', 'Barn')")
        try device.run(Self.migration)
        #expect(try device.localChanges() == ["site s1 update 1:Hut>Barn"])
        try device.exchange(hub)
        #expect(try device.texts("SELECT name, mood FROM site") == ["Barn|happy"])
        #expect(try device.localChanges() == [])
    }

    /// A restored hub has the row, so the deletion comes back in front of the insert.
    @Test func `is an edit of a row that was inserted again with it`() throws {
        let (device, hub) = try ready(
            .text("happy"), standard: .value(.text("none")), migrates: false)
        try device.run("DELETE FROM site")
        try device.exchange(hub)
        try device.run("ALTER TABLE site ADD COLUMN mood TEXT")
        try device.open()
        try device.exchange(hub)
        try device.run("INSERT INTO site VALUES('s1', 'Barn', 'own')")
        try device.exchange(hub)
        try reconcile(device)
        #expect(try device.localChanges() == ["site s1 update 1:Hut>Barn,2:none>own again"])
    }

    @Test func `is no edit of a row whose deletion comes back before its insert`() throws {
        let (device, hub) = try ready(.text("happy"), migrates: false)
        try device.run("DELETE FROM site")
        try device.exchange(hub)
        try device.run("INSERT INTO site VALUES('s1', 'Barn')")
        try device.run(Self.migration)
        try device.open()
        try reconcile(device)
        #expect(try device.localChanges() == ["site s1 update 1:Hut>Barn again"])
    }

    @Test func `is an edit where it was edited since its row was inserted again`() throws {
        let (device, hub) = try ready(.text("happy"), migrates: false)
        try device.run("DELETE FROM site")
        try device.exchange(hub)
        try device.run("INSERT INTO site VALUES('s1', 'Barn')")
        try device.exchange(hub)
        try device.run("DELETE FROM site; INSERT INTO site VALUES('s1', 'Shed')")
        try device.run(Self.migration)
        try device.open()
        try device.run("UPDATE site SET mood = 'own'")
        try reconcile(device)
        #expect(try device.localChanges() == ["site s1 update 1:Hut>Shed,2:∅>own again"])
    }

    private func reconcile(_ device: Device) throws {
        let id = "00000000-0000-4000-8000-000000000002"
        try device.queue.writeWithoutTransaction {
            try device.store.reconcile($0, newID: id, at: ExchangeTime(device.now))
        }
    }

    @Test(arguments: [false, true])
    func `is an edit of a row that was replaced again with it`(compacts: Bool) throws {
        let (device, _) = try ready(.text("happy"), migrates: false)
        try device.run("INSERT OR REPLACE INTO site VALUES('s1', 'Barn')")
        try device.run("ALTER TABLE site ADD COLUMN mood TEXT")
        try device.open()
        try device.run("INSERT OR REPLACE INTO site VALUES('s1', 'Barn', 'own')")
        if compacts { try device.compact() }
        #expect(try device.localChanges() == ["site s1 update 1:Hut>Barn,2:∅>own"])
    }

    @Test func `fills a row that was inserted again before its table had the column`() throws {
        let (device, hub) = try ready(.null, migrates: false)
        try device.run("DELETE FROM site; INSERT INTO site VALUES('s1', 'Barn')")
        try device.run(Self.migration)
        try device.exchange(hub) { try device.run("UPDATE site SET mood = 'own'") }
        #expect(try device.localChanges() == ["site s1 update 2:∅>own"])
    }

    /// Another user may have removed the value while the column was not synced.
    @Test func `fills nothing with what it had from the hub once`() throws {
        let (device, hub) = try ready(.text("happy"))
        try device.exchange(hub)
        let columns = [ColumnDescription.column("id", .text), .column("name", .text)]
        try device.adopt(
            SchemaDescription(tables: [
                TableDescription(name: "site", columns: columns, primaryKey: [0])
            ]))
        hub.put("site", [.text("s1"), .text("Hut"), .null])
        try device.adopt(Self.schema())
        try device.exchange(hub)
        #expect(try moods(device) == ["s1|∅"])
        #expect(try device.localChanges() == [])
    }

    @Test func `has no edit that makes its fills newer`() throws {
        let (device, hub) = try ready(.null)
        try device.exchange(hub) {
            try device.run("UPDATE site SET name = 'Barn'")
            try device.run("UPDATE _moorage_log_site SET at = 7")
        }
        let changes = try device.changes()
        #expect(changes.map(Device.text) == ["site s1 update 1:Hut>Barn,2:∅>mine fill"])
        #expect(changes.map(\.editedAt) == [7])
    }

    @Test func `is part of a row that was inserted or deleted here`() throws {
        let (device, hub) = try ready(.null, .null)
        try device.exchange(hub) {
            try device.run(
                """
                DELETE FROM site WHERE id = 's1';
                INSERT INTO site VALUES('s3', 'Shed', 'new')
                """)
        }
        #expect(
            try device.localChanges() == [
                "site s2 update 2:∅>mine fill", "site s3 insert s3,Shed,new",
                "site s1 delete s1,Hut,∅",
            ])
    }

    // MARK: Pages

    @Test func `waits from one page to the next, also in a file that was opened again`() throws {
        let (device, hub) = try ready(.text("happy"), .null, .null)
        try device.exchange(hub, rows: 1, pages: 1)
        #expect(try undecided(device) == ["s2", "s3"])
        try device.open()
        hub.put("site", [.text("s3"), .text("Hut"), .text("late")])
        try device.exchange(hub)
        #expect(try moods(device) == ["s1|happy", "s2|mine", "s3|late"])
        #expect(try undecided(device) == [])
        #expect(try device.texts("SELECT unread FROM _moorage_table") == ["∅"])
        #expect(try device.localChanges() == ["site s2 update 2:∅>mine fill"])
    }

    @Test func `waits for a page with the column`() throws {
        let (device, hub) = try ready(.null, migrates: false)
        hub.put("site", [.text("s1"), .text("Barn"), .null])
        try device.exchange(hub) { try device.run(Self.migration) }
        #expect(try undecided(device) == ["s1"])
        try device.exchange(hub)
        #expect(try device.texts("SELECT name, mood FROM site") == ["Barn|mine"])
        #expect(try device.localChanges() == ["site s1 update 2:∅>mine fill"])
    }

    @Test func `fills a row that the device cannot hold`() throws {
        let (device, hub) = try ready(.null)
        hub.put("site", [.text("s1"), .text("long"), .null])
        try device.exchange(hub)
        #expect(try device.texts("SELECT key FROM _moorage_withheld") == [#"["s1"]"#])
        #expect(try device.localChanges() == ["site s1 update 2:∅>mine fill"])
    }

    @Test func `says nothing of a row that is gone`() throws {
        let (device, hub) = try ready(.null, .null)
        hub.remove("site", .text("s1"))
        try device.exchange(hub)
        #expect(try moods(device) == ["s2|mine"])
        #expect(try undecided(device) == [])
        #expect(try device.localChanges() == ["site s2 update 2:∅>mine fill"])
    }

    @Test(arguments: [nil, WritableColumns.only(["name"])])
    func `fills nothing that its user may not write`(update: WritableColumns?) throws {
        let rights = RightsAnswer(
            version: "v1",
            tables: [
                TableRightsAnswer(
                    table: "site", insert: nil, update: update, mayDelete: false, mayMove: false)
            ])
        let (device, hub) = try ready(.null, rights: rights)
        for _ in 0..<2 { try device.exchange(hub) }
        #expect(hub.requests.allSatisfy { $0.batch == nil })
        #expect(try undecided(device) == [])
        #expect(try moods(device) == ["s1|∅"])
    }

    // MARK: What becomes of a fill

    @Test func `stores its batch, and sends it again, with its fills`() throws {
        let (device, hub) = try ready(.null)
        try device.exchange(hub)
        let first = try #require(try device.prepare())
        #expect(first.payload.first == UInt8(ascii: "{"))
        #expect(first.batch.changes.map(\.hasFills) == [true])
        #expect(try device.prepare() == first)
        try device.queue.writeWithoutTransaction {
            try device.store.fork($0, newID: "00000000-0000-4000-8000-000000000002")
        }
        #expect(try device.localChanges() == ["site s1 update 2:∅>mine fill again"])
    }

    @Test func `keeps its fills in a long log`() throws {
        let (device, hub) = try ready(.null)
        try device.exchange(hub)
        for name in ["a", "b", "c", "d"] { try device.run("UPDATE site SET name = '\(name)'") }
        try device.compact()
        #expect(try device.texts("SELECT op FROM _moorage_log_site") == ["F", "U", "U"])
        #expect(try device.localChanges() == ["site s1 update 1:Hut>d,2:∅>mine fill"])
    }

    @Test func `goes back to what the hub has when its fill is reverted`() throws {
        let (device, hub) = try ready(.null)
        try device.exchange(hub)
        let pending = try device.queue.read { try device.store.pending($0, limit: 9) }
        #expect(pending.map(\.kind) == [.update])
        #expect(pending.map(\.before) == [["mood": .null]])
        #expect(pending.map(\.after) == [["mood": .text("mine")]])
        _ = try device.queue.writeWithoutTransaction {
            try device.store.revertAll($0, now: device.now)
        }
        #expect(try moods(device) == ["s1|∅"])
        #expect(try device.localChanges() == ["site s1 update "])
    }

    @Test func `has nothing to fill in a file that was emptied`() throws {
        let (device, _) = try ready(.null)
        #expect(try device.localChanges() == [])
        #expect(try undecided(device) == ["s1"])
        _ = try device.queue.writeWithoutTransaction {
            try device.store.empty($0, newID: "00000000-0000-4000-8000-000000000002")
        }
        #expect(try undecided(device) == [])
    }
}
