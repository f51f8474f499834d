import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Files of the build before` {
    private struct Bench {
        let folder: TemporaryFolder
        let centre: SQLiteDatabase
        let hub: Hub

        init() async throws {
            folder = try TemporaryFolder()
            centre = try SQLiteDatabase(path: UpgradeFixture.copy("centre.sqlite", to: folder))
            hub = UpgradeFixture.hub(centre)
        }

        func device(_ name: String) throws -> DatabaseQueue {
            try DatabaseQueue(path: UpgradeFixture.copy(name, to: folder))
        }
    }

    /// Every list, count and state is what the old build left.
    @Test func `keep what waits in them, under the new names`() async throws {
        let bench = try await Bench()
        defer { bench.folder.remove() }
        let file = try bench.device("device.sqlite")
        let replica = try await UpgradeFixture.replica(file, bench.hub)
        #expect(try file.joined("SELECT value FROM _moorage_meta WHERE name = 'version'") == ["3"])
        let old = try file.joined(
            """
            SELECT name FROM sqlite_master WHERE name IN ('_moorage_waiting', '_moorage_old')
              OR name LIKE '\\_moorage\\_unseen%' ESCAPE '\\'
              OR name LIKE '\\_moorage\\_touched%' ESCAPE '\\'
            """)
        #expect(old == [])
        #expect(try file.joined("SELECT tbl, key FROM _moorage_deferred") == [#"task|["t7"]"#])
        #expect(
            try file.joined("SELECT k0 FROM _moorage_unconfirmed_tag ORDER BY 1").isEmpty == false)
        #expect(
            try file.joined(
                """
                SELECT name, repair, unconfirmed, suspended_code FROM _moorage_table
                WHERE repair > 0 OR suspended IS NOT NULL ORDER BY 1
                """) == ["tag|2|drop|∅", "word|1|∅|tableSuspended"])
        let refused = try await replica.refusedChanges.fetch()
        #expect(refused.map(\.code) == [.readOnly, .unique, .invalidText, .permission])
        #expect(refused.map(\.isBlocked) == [false, false, true, false])
        #expect(try await replica.withheldValues.fetch().map(\.column) == ["cost"])
        #expect(try await replica.overruledChanges.fetch().count == 1)
        let pending = try await replica.pendingChanges.fetch()
        #expect(Set(pending.map(\.table)) == ["tag", "task", "word"])
        // The row g3 is recorded without a change that the list could show.
        #expect(pending.count == 7 && replica.status.pendingCount == 8)
        #expect(replica.status.deferredCount == 1)
        let cursor = try file.joined("SELECT value FROM _moorage_meta WHERE name = 'cursor'")
        let decoded = try SyncCursor(decoding: Array(cursor[0].utf8))
        #expect(decoded.checkpoint != nil && decoded.signature != nil)
        // No refused change gets a number that an earlier one had.
        #expect(
            try file.joined("SELECT seq FROM sqlite_sequence WHERE name = '_moorage_refused'")
                .count == 1)
    }

    /// Their rows came from the hub, so no table is ever sent whole (V3).
    @Test(arguments: ["device.sqlite", "device-postgres.sqlite", "device-mariadb.sqlite"])
    func `remember that their tables were copied`(name: String) async throws {
        let bench = try await Bench()
        defer { bench.folder.remove() }
        let file = try bench.device(name)
        _ = try await UpgradeFixture.replica(file, bench.hub)
        #expect(try file.joined("SELECT DISTINCT copied FROM _moorage_table") == ["1"])
    }

    @Test func `are opened again without a change`() async throws {
        let bench = try await Bench()
        defer { bench.folder.remove() }
        let file = try bench.device("device.sqlite")
        _ = try await UpgradeFixture.replica(file, bench.hub)
        let sql = "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"
        let before = try file.joined(sql)
        _ = try await UpgradeFixture.replica(file, bench.hub)
        #expect(try file.joined(sql) == before)
    }

    /// A broken view of the app's makes `ALTER TABLE … RENAME` fail.
    @Test func `are upgraded beside a broken view`() async throws {
        let bench = try await Bench()
        defer { bench.folder.remove() }
        let file = try bench.device("device.sqlite")
        try await file.write { try $0.execute(sql: "CREATE VIEW broken AS SELECT x FROM nowhere") }
        _ = try await UpgradeFixture.replica(file, bench.hub)
        #expect(try file.joined("SELECT tbl FROM _moorage_deferred") == ["task"])
    }

    @Test func `are upgraded with names that look like SQL`() async throws {
        let bench = try await Bench()
        defer { bench.folder.remove() }
        let file = try bench.device("device.sqlite")
        try await file.write { db in
            let columns = try db.columns(in: "_moorage_table").map(\.name)
            let rest = columns.filter { $0 != "name" }.joined(separator: ", ")
            try db.execute(
                sql: """
                    INSERT INTO _moorage_table(name, \(rest))
                      SELECT 'a(b"c', \(rest) FROM _moorage_table WHERE name = 'tag';
                    CREATE TABLE "_moorage_unseen_a(b""c"(k0 TEXT NOT NULL, PRIMARY KEY (k0)) WITHOUT ROWID;
                    INSERT INTO "_moorage_unseen_a(b""c" VALUES ('x');
                    """)
        }
        try await file.write { db in
            try db.execute(sql: "CREATE TABLE a (b)")
        }
        _ = try await UpgradeFixture.replica(file, bench.hub)
        #expect(try file.joined("SELECT k0 FROM \"_moorage_unconfirmed_a(b\"\"c\"") == ["x"])
    }

    @Test func `go on with an upgraded centre where they were`() async throws {
        let bench = try await Bench()
        defer { bench.folder.remove() }
        _ = try await bench.hub.attach(tables: UpgradeFixture.tables)
        let file = try bench.device("device.sqlite")
        try await file.write { try $0.execute(sql: "ALTER TABLE word RENAME COLUMN notes TO note") }
        let replica = try await UpgradeFixture.replica(file, bench.hub)
        let before = try #require(
            try file.joined("SELECT value FROM _moorage_meta WHERE name = 'replica'").first)
        for _ in 0..<3 { _ = try await replica.sync() }
        // The hub knows the replica, accepts its cursor's signature, and takes its earlier batch
        // only once.
        #expect(
            try file.joined("SELECT value FROM _moorage_meta WHERE name = 'replica'") == [before])
        let central = try bench.centre.perform {
            try $0.run("SELECT title, cost FROM task WHERE id = 't1'", [])
        }
        #expect(central == [[.text("In flight"), .real(12)]])
        let words = try bench.centre.perform {
            try $0.run("SELECT meaning FROM word WHERE id = 'w1'", [])
        }
        // The triggers were lost when the column was renamed, and the hub changed the table meanwhile.
        #expect(words == [[.text("one")]])
        let recovered = try await replica.refusedChanges.fetch().filter { $0.code == .recovered }
        #expect(recovered.map { $0.after["meaning"] } == [.text("eins")])
        let tags = try bench.centre.perform {
            try $0.run("SELECT id, text, gone FROM tag ORDER BY id", [])
        }
        #expect(tags.map { $0[0] } == [.text("g1"), .text("g2"), .text("g3")])
        #expect(tags[0][1] == .text("urgent!"))
        #expect(tags[1][2] == .integer(1))
        #expect(try await replica.verify().isEmpty)
    }

    @Test func `go on with the scan that was under way`() async throws {
        let bench = try await Bench()
        defer { bench.folder.remove() }
        _ = try await bench.hub.attach(tables: UpgradeFixture.tables)
        let file = try bench.device("scanning.sqlite")
        let have = try #require(Int(try file.joined("SELECT count(*) FROM word")[0]))
        let replica = try await Replica.clone(
            into: file, from: .direct(bench.hub.asSeen(by: UpgradeFixture.ann)),
            tables: UpgradeFixture.tables)
        let summary = try await replica.sync()
        #expect(summary.isCaughtUp)
        #expect(try file.joined("SELECT count(*) FROM word") == ["122"])
        #expect(have > 2)
        #expect(try await replica.verify().isEmpty)
    }

    /// No row gets another number, so no replica reads a row again.
    @Test func `of the centre keep their tracking rows`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try UpgradeFixture.copy("centre.sqlite", to: folder)
        func tracked(_ liveSince: String) throws -> [String] {
            let file = try DatabaseQueue(path: path)
            return try ["moorage_track_1_project", "moorage_track_4_task"].flatMap {
                try file.joined(
                    "SELECT k0, scope, live, version, \(liveSince), changed_at FROM \($0) ORDER BY 1, 2"
                )
            }
        }
        let before = try tracked("entered")
        #expect(!before.isEmpty)
        let grants = try DatabaseQueue(path: path).joined(
            "SELECT replica, scope, since, lost_at FROM moorage_given ORDER BY 1, 2")
        let secret = try DatabaseQueue(path: path).joined(
            "SELECT value FROM moorage_meta WHERE name = 'seal'")
        let hub = UpgradeFixture.hub(try SQLiteDatabase(path: path))
        let refused = await #expect(throws: HubError.self) {
            try await hub.asSeen(by: UpgradeFixture.ann).schema()
        }
        #expect(refused?.code == .notAttached)
        for _ in 0..<2 { _ = try await hub.attach(tables: UpgradeFixture.tables) }
        #expect(try tracked("live_since") == before)
        let file = try DatabaseQueue(path: path)
        #expect(
            try file.joined(
                "SELECT replica, scope, since, lost_at FROM moorage_grant ORDER BY 1, 2")
                == grants)
        #expect(
            try file.joined("SELECT value FROM moorage_meta WHERE name = 'cursor_secret'")
                == secret)
        #expect(
            try file.joined(
                """
                SELECT name FROM sqlite_master
                WHERE name IN ('moorage_mark', 'moorage_given', 'moorage_old')
                """) == [])
        #expect(try await hub.doctor().filter { $0.severity == .problem } == [])
    }
}
