import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A suspended table` {
    @Test func `lists and counts its changes, and the replica is not caught up`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        #expect(replica.status.suspendedTables.map(\.name) == ["site"])
        try await file.run(
            """
            INSERT INTO site VALUES('s2', 'Cabin', 20);
            UPDATE site SET height = 11 WHERE id = 's1'
            """)
        try await replica.sync()
        let pending = try await replica.pendingChanges.fetch()
        #expect(Set(pending.map(\.kind)) == [.insert, .update])
        let cabin = try #require(pending.first { $0.kind == .insert })
        #expect(cabin.table == "site" && cabin.key == RowKey([.text("s2")]))
        #expect(cabin.after["name"] == .text("Cabin"))
        let hut = try #require(pending.first { $0.kind == .update })
        #expect(hut.before == ["height": .integer(10)])
        #expect(hut.after == ["height": .integer(11)])
        let status = replica.status
        #expect(status.pendingCount == 2)
        #expect(!status.isCaughtUp)
        #expect(status.suspendedTables.map(\.pendingCount) == [2])
    }

    @Test func `of which nothing is left at the hub, or here, lists them all the same`()
        async throws
    {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await file.run(
            """
            INSERT INTO tag VALUES('t1', NULL); INSERT INTO tag VALUES('t2', NULL)
            """)
        try camp.central.execute("DROP TABLE tag")
        _ = try await camp.hub.attach(tables: ["site", "note"])
        try await replica.sync()
        #expect(replica.status.suspendedTables.map(\.name) == ["tag"])
        #expect(try await replica.pendingChanges.fetch().map(\.kind) == [.insert, .insert])
        #expect(replica.status.pendingCount == 2)
        try await file.run("DROP TABLE tag")
        try await replica.sync()
        #expect(try await replica.pendingChanges.fetch().count == 2)
        #expect(replica.status.pendingCount == 2)
    }

    /// The hub sends the rows that the request asks for, and says in the same answer what the table
    /// requires now.
    @Test func `by the answer that has its rows, does not fail the sync`() async throws {
        let camp = try await Camp()
        try camp.central.execute(
            "INSERT INTO note VALUES('n1', 's1', 'Roof'); INSERT INTO tag VALUES('t1', 'n1')")
        let (file, replica) = try await camp.device()
        try camp.central.execute(
            """
            CREATE TABLE new(
              id TEXT PRIMARY KEY NOT NULL, note TEXT REFERENCES note(id), color TEXT NOT NULL);
            INSERT INTO new SELECT id, note, 'red' FROM tag; DROP TABLE tag;
            ALTER TABLE new RENAME TO tag
            """)
        _ = try await camp.hub.attach()
        try camp.central.execute("UPDATE site SET height = 11")
        try await file.run("UPDATE tag SET note = NULL; UPDATE site SET name = 'Shed'")
        #expect(try await replica.sync().isCaughtUp)
        let suspended = replica.status.suspendedTables
        #expect(suspended.map { "\($0.name) \($0.code)" } == ["tag missingColumn"])
        #expect(try await file.texts("SELECT name, height FROM site") == ["Shed|11"])
        #expect(try camp.rows("SELECT name, height FROM site") == [["Shed", "11"]])
        #expect(try camp.rows("SELECT note FROM tag") == [["∅"]])
        #expect(replica.status.pendingCount == 0)
    }

    @Test func `is not emptied with its changes, unless a copy keeps them`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        try await file.run("INSERT INTO site VALUES('s2', 'Cabin', 20)")
        let error = await #expect(throws: ReplicaError.self) { try await replica.startOver() }
        #expect(error?.code == .changesPending)
        #expect(try await file.texts("SELECT id FROM site ORDER BY id") == ["s1", "s2"])
        let copy = FileManager.default.temporaryDirectory
            .appending(path: "camp-\(UUID().uuidString).db").path
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try await replica.startOver(archivingTo: copy)
        #expect(try await file.texts("SELECT id FROM site") == [])
        #expect(replica.status.pendingCount == 0)
        let archived = try await camp.open(DatabaseQueue(path: copy))
        #expect(try await archived.pendingChanges.fetch().map(\.key) == [RowKey([.text("s2")])])
    }

    @Test func `that the hub takes again needs one sync`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try camp.central.execute("ALTER TABLE site RENAME COLUMN height TO tall")
        try await file.run("INSERT INTO site VALUES('s2', 'Cabin', 20)")
        try await replica.sync()
        #expect(replica.status.suspendedTables.map(\.name) == ["site"])
        #expect(replica.status.pendingCount == 1)
        _ = try await camp.hub.attach()
        let summary = try await replica.sync()
        #expect(summary.isCaughtUp)
        #expect(replica.status.pendingCount == 0)
        #expect(replica.status.isCaughtUp)
        #expect(try camp.rows("SELECT id FROM site ORDER BY id") == [["s1"], ["s2"]])
    }

    @Test func `that fits the hub's again needs one sync`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await camp.moveOn(replica)
        try await file.run("INSERT INTO site VALUES('s2', 'Cabin', 20)")
        try await replica.sync()
        try camp.central.execute("ALTER TABLE site RENAME COLUMN title TO name")
        _ = try await camp.hub.attach()
        let summary = try await replica.sync()
        #expect(summary.isCaughtUp)
        #expect(replica.status.isCaughtUp)
        let rows = try camp.rows("SELECT id, name FROM site ORDER BY id")
        #expect(rows == [["s1", "Hut"], ["s2", "Cabin"]])
    }

    @Test func `is not compared`() async throws {
        let camp = try await Camp()
        let (_, replica) = try await camp.device()
        try camp.central.execute("ALTER TABLE site RENAME COLUMN height TO tall")
        try await replica.sync()
        #expect(try await replica.verify().isEmpty)
        #expect(replica.status.suspendedTables.map(\.name) == ["site"])
    }

    /// The scan would not return to the rows that it brought before.
    @Test func `that the hub resumes in the middle of a scan keeps its rows`() throws {
        let device = try Shop.device()
        let hub = Shop.hub()
        try device.exchange(hub)
        let before = try device.texts("SELECT id FROM customer ORDER BY id")
        // The hub left the table out of the cursor, and reads it again now.
        try device.queue.write { db in
            let meta = Metadata(db: db)
            try meta.set(meta.cursor().breakingOff(readingAgain: Identifier("customer")))
        }
        try device.exchange(hub, rows: 1, pages: 1)
        for suspended in [[SuspendedTable(name: "customer", reason: "It is being changed.")], []] {
            try device.queue.writeWithoutTransaction {
                try device.store.welcome($0, suspended: suspended)
            }
        }
        try device.exchange(hub)
        #expect(try device.texts("SELECT id FROM customer ORDER BY id") == before)
        #expect(try device.texts("SELECT count(*) FROM _moorage_unconfirmed_customer") == ["0"])
    }
}
