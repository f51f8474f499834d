import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

@testable import Moorage

/// The owner renames a column, and the app's next version does the same in its files.
@Suite(.ownThreads) struct `A column that both sides rename` {
    /// How the app renames it.
    enum Way: CaseIterable {
        case alter, rebuild

        var site: String {
            switch self {
            case .alter: "ALTER TABLE site RENAME COLUMN name TO title"
            case .rebuild:
                """
                CREATE TABLE new(id TEXT PRIMARY KEY NOT NULL, title TEXT, height INTEGER);
                INSERT INTO new SELECT * FROM site; DROP TABLE site; ALTER TABLE new RENAME TO site
                """
            }
        }

        var note: String {
            switch self {
            case .alter: "ALTER TABLE note RENAME COLUMN body TO text"
            case .rebuild:
                """
                CREATE TABLE new(
                  id TEXT PRIMARY KEY NOT NULL, site TEXT REFERENCES site(id), text TEXT);
                INSERT INTO new SELECT * FROM note; DROP TABLE note; ALTER TABLE new RENAME TO note
                """
            }
        }
    }

    private func rename(_ camp: Camp, _ sql: String) async throws {
        try camp.central.execute(sql)
        _ = try await camp.hub.attach()
    }

    private func conflicts(_ camp: Camp) throws -> [[String]] {
        try camp.rows("SELECT count(*) FROM moorage_conflict")
    }

    // MARK: Devices that nobody edited

    /// - Parameter meets: Whether the old version syncs while the hub has the new name.
    @Test(arguments: Way.allCases, [true, false])
    func `and that is required, keeps what other devices wrote`(
        way: Way, meets: Bool
    ) async throws {
        let camp = try await Camp()
        let (file, old) = try await camp.device()
        let (other, _) = try await camp.device()
        try await rename(camp, Way.alter.site)
        try await other.run(Way.alter.site)
        let upgraded = try await camp.open(other)
        try await other.run("UPDATE site SET title = 'Lodge', height = 11")
        try await upgraded.sync()
        if meets { try await old.sync() }
        try await file.run(way.site)
        let replica = try await camp.open(file)
        #expect(try await replica.sync().isCaughtUp)
        #expect(replica.status.suspendedTables.isEmpty)
        #expect(try camp.rows("SELECT title, height FROM site") == [["Lodge", "11"]])
        #expect(try await file.texts("SELECT title, height FROM site") == ["Lodge|11"])
        #expect(try conflicts(camp) == [["0"]])
        if way == .alter { #expect(try await replica.refusedChanges.fetch().isEmpty) }
    }

    @Test(arguments: Way.allCases, [true, false])
    func `and that may be NULL, keeps what the office wrote`(
        way: Way, meets: Bool
    ) async throws {
        let camp = try await Camp()
        try camp.central.execute(
            "INSERT INTO note VALUES('n1', 's1', 'Roof'), ('n2', 's1', 'Door')")
        let (file, old) = try await camp.device()
        try await rename(camp, Way.alter.note)
        if meets { try await old.sync() }
        try camp.central.execute(
            "UPDATE note SET text = 'OFFICE' WHERE id = 'n1'; DELETE FROM note WHERE id = 'n2'")
        if meets { try await old.sync() }
        try await file.run(way.note)
        let replica = try await camp.open(file)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try camp.rows("SELECT id, text FROM note") == [["n1", "OFFICE"]])
        #expect(try await file.texts("SELECT id, text FROM note") == ["n1|OFFICE"])
        #expect(try conflicts(camp) == [["0"]])
        if way == .alter { #expect(try await replica.refusedChanges.fetch().isEmpty) }
    }

    // MARK: Pending edits

    @Test(arguments: Way.allCases, [true, false])
    func `gets the edit that was made under its old name`(way: Way, meets: Bool) async throws {
        let camp = try await Camp()
        let (file, old) = try await camp.device()
        try await file.run("UPDATE site SET name = 'Shed'")
        try await rename(camp, Way.alter.site)
        if meets { try await old.sync() }
        try await file.run(way.site)
        let replica = try await camp.open(file)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try camp.rows("SELECT title, height FROM site") == [["Shed", "10"]])
        #expect(try await file.texts("SELECT title, height FROM site") == ["Shed|10"])
        #expect(try conflicts(camp) == [["0"]])
    }

    @Test func `first on the device, is suspended until the hub has the new name`()
        async throws
    {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO note VALUES('n1', 's1', 'Roof')")
        let (file, _) = try await camp.device()
        try await file.run("UPDATE note SET body = 'Door'")
        try await file.run(Way.alter.site + ";" + Way.alter.note)
        let replica = try await camp.open(file)
        try await replica.sync()
        let codes = Set(replica.status.suspendedTables.map { "\($0.name) \($0.code)" })
        #expect(codes == ["site missingColumn", "note tableSuspended"])
        try await file.run("UPDATE site SET title = 'Shed'")
        try await replica.sync()
        #expect(replica.status.pendingCount == 2)
        try await rename(camp, Way.alter.site + ";" + Way.alter.note)
        #expect(try await replica.sync().isCaughtUp)
        #expect(replica.status.suspendedTables.isEmpty)
        #expect(try camp.rows("SELECT title FROM site") == [["Shed"]])
        #expect(try camp.rows("SELECT text FROM note") == [["Door"]])
        #expect(try conflicts(camp) == [["0"]])
        #expect(try await replica.verify().isEmpty)
    }

    /// The hub has the device's earlier name, so the edit could only go up without its column.
    @Test func `twice on the device, is suspended while the hub has the name between`()
        async throws
    {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        try await file.run("UPDATE site SET name = 'Shed'")
        for sql in [Way.alter.site, "ALTER TABLE site RENAME COLUMN title TO label"] {
            try await file.run(sql)
            _ = try await camp.open(file)
        }
        let replica = try await camp.open(file)
        try await rename(camp, Way.alter.site)
        for _ in 1...2 {
            try await replica.sync()
            #expect(replica.status.suspendedTables.first?.name == "site")
            #expect(replica.status.pendingCount == 1)
        }
        try await rename(camp, "ALTER TABLE site RENAME COLUMN title TO label")
        #expect(try await replica.sync().isCaughtUp)
        #expect(replica.status.suspendedTables.isEmpty)
        #expect(try camp.rows("SELECT label FROM site") == [["Shed"]])
        #expect(try conflicts(camp) == [["0"]])
    }

    /// What it has is as old as the time when the hub renamed it, also if triggers were lost.
    @Test func `fills nothing with what it had before, also in a table made again`() async throws {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO note VALUES('n1', 's1', 'Roof')")
        let (file, old) = try await camp.device()
        try await rename(camp, Way.alter.note)
        try await old.sync()
        try camp.central.execute("UPDATE note SET text = NULL")
        try await file.run(Way.alter.note)
        _ = try await camp.open(file)
        try await file.run(
            """
            CREATE TABLE new(id TEXT PRIMARY KEY NOT NULL, site TEXT REFERENCES site(id), text TEXT);
            INSERT INTO new SELECT * FROM note; DROP TABLE note; ALTER TABLE new RENAME TO note
            """)
        let replica = try await camp.open(file)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try camp.rows("SELECT text FROM note") == [["∅"]])
        #expect(try await file.texts("SELECT text FROM note") == ["∅"])
    }

    @Test func `with another one, in a table made again, is named by the app`() async throws {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        try await file.run("UPDATE site SET name = 'Shed', height = 12")
        let both = Way.alter.site + "; ALTER TABLE site RENAME COLUMN height TO tall"
        try await rename(camp, both)
        try await file.run(Way.rebuild.site.replacing("height", with: "tall"))
        let replica = try await Replica(
            database: file, hub: .direct(camp.hub),
            tables: [
                .table("site", renamed: ["name": "title", "height": "tall"]), .table("note"),
                .table("tag"),
            ])
        #expect(try await replica.sync().isCaughtUp)
        #expect(try camp.rows("SELECT title, tall FROM site") == [["Shed", "12"]])
        #expect(try conflicts(camp) == [["0"]])
    }

    /// A column that a child refers to its parent by, and the parent's key.
    @Test func `of keys keeps rows and references`() async throws {
        let camp = try await Camp()
        let (file, _) = try await camp.device()
        try await file.run("INSERT INTO note VALUES('n1', 's1', 'Roof')")
        let renames = """
            ALTER TABLE site RENAME COLUMN id TO number;
            ALTER TABLE note RENAME COLUMN site TO place
            """
        try await rename(camp, renames)
        try await file.run(renames)
        let replica = try await camp.open(file)
        #expect(try await replica.sync().isCaughtUp)
        #expect(replica.status.suspendedTables.isEmpty)
        #expect(try camp.rows("SELECT id, place FROM note") == [["n1", "s1"]])
        #expect(try await file.texts("SELECT number FROM site") == ["s1"])
        #expect(try await replica.verify().isEmpty)
    }
}
