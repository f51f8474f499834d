import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageTestKit
import TestSupport
import Testing

@Suite(.ownThreads) struct `A sandbox` {
    private static let berth = "INSERT INTO berth (id, name) VALUES ('a', 'North 1')"
    private static let name = "SELECT name FROM berth WHERE id = 'a'"

    @Test func `has one device of a name`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        #expect(try await sandbox.device("anna") === anna)
        #expect(sandbox.devices.map(\.name) == ["anna"])
    }

    @Test func `shows what the owner's programs see`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        try await anna.execute(Self.berth)
        #expect(try await sandbox.text(Self.name) == nil)
        try await sandbox.syncAll()
        #expect(try await sandbox.text(Self.name) == "North 1")
        try await sandbox.execute("UPDATE berth SET name = 'North 2'")
        try await sandbox.syncAll()
        #expect(try await anna.text(Self.name) == "North 2")
    }

    // MARK: Faults

    @Test func `leaves a device alone that is offline`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna"), ben = try await sandbox.device("ben")
        ben.network = .offline
        try await anna.execute(Self.berth)
        try await sandbox.syncAll()
        #expect(try await ben.text(Self.name) == nil)
        await #expect {
            try await ben.sync()
        } throws: { ($0 as? ReplicaError)?.code == .hub(.unreachable) }
        ben.network = .online
        try await sandbox.syncAll()
        #expect(try await ben.text(Self.name) == "North 1")
    }

    @Test func `syncs through a network that loses requests and answers`() async throws {
        let sandbox = try await Harbour.sandbox(seed: 7)
        let anna = try await sandbox.device("anna")
        anna.network = .lossy(0.5)
        try await anna.execute(Self.berth)
        var lost: Set<String> = []
        for _ in 0..<40 {
            do { try await anna.sync() } catch let error as ReplicaError {
                lost.insert(error.message)
            }
        }
        #expect(lost.contains { $0.contains("the request got lost") })
        #expect(lost.contains { $0.contains("the answer broke off") })
        try await anna.execute("UPDATE berth SET depth = 2.5")
        try await sandbox.syncAll()
        #expect(try await sandbox.text("SELECT depth FROM berth") == "2.5")
        #expect(anna.network == .lossy(0.5))
    }

    @Test func `delays requests in a slow network`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        anna.network = .slow(.milliseconds(50))
        let start = ContinuousClock.now
        try await anna.sync()
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func `has clocks that can be wrong`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna"), ben = try await sandbox.device("ben")
        try await anna.execute(Self.berth)
        try await sandbox.syncAll()
        // The hub knows how far a device's clock is off. So the edit that is made first loses.
        anna.clock.offset = .seconds(86_400)
        try await anna.execute("UPDATE berth SET name = 'first'")
        try await ben.execute("UPDATE berth SET name = 'second'")
        let edited = try await anna.replica.pendingChanges.fetch().map(\.editedAt)
        #expect(edited.allSatisfy { $0 > ben.clock.now() })
        try await sandbox.syncAll()
        #expect(try await sandbox.text(Self.name) == "second")
        #expect(try await anna.text(Self.name) == "second")
    }

    @Test func `moves time only when it is asked to`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        let before = anna.clock.now()
        try await anna.sync()
        #expect(anna.clock.now() == before)
        sandbox.advance(by: .seconds(60))
        try await anna.execute(Self.berth)
        #expect(anna.clock.now() == before + 61)
        #expect(sandbox.clock.now() == before + 61)
        let now = try await anna.text("SELECT julianday('now') - julianday('2026-01-01 12:01:01')")
        #expect(abs(Double(now ?? "") ?? 1) < 1e-8)
    }

    @Test func `restores the central database without losing what devices have`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        await #expect(throws: SandboxError.self) { try await sandbox.restore() }
        try await sandbox.backUp()
        try await anna.execute(Self.berth)
        try await sandbox.syncAll()
        try await sandbox.restore()
        #expect(try await sandbox.text(Self.name) == nil)
        try await sandbox.syncAll()
        #expect(try await sandbox.text(Self.name) == "North 1")
        #expect(try await anna.text(Self.name) == "North 1")
    }

    @Test func `lives as long as a device of it`() async throws {
        let anna = try await Harbour.sandbox().device("anna")
        try await anna.execute(Self.berth)
        try await anna.sync()
        #expect(anna.replica.status.isCaughtUp)
    }

    @Test func `breaks a live stream off at a restore, and when a device goes offline`()
        async throws
    {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        try await sandbox.backUp()
        await anna.replica.start()
        try await anna.replica.waitUntilCaughtUp()
        try await sandbox.restore()
        try await sandbox.execute(Self.berth)
        try await eventually("the row of the restored database is here") {
            try await anna.text(Self.name) == "North 1"
        }
        anna.network = .offline
        try await eventually("the replica knows") { anna.replica.status.failingSince != nil }
        await anna.replica.stop()
    }

    @Test func `gives times of day and dates as SQLite does`() async throws {
        let anna = try await Harbour.sandbox().device("anna")
        for text in ["'10:30:00'", "'2026-03-01'", "2461000.5", "NULL", "'nonsense'", "x'00'"] {
            let plain = try await DatabaseQueue().read {
                try Double.fetchOne($0, sql: "SELECT julianday(\(text))")
            }
            let here = try await anna.read {
                try Double.fetchOne($0, sql: "SELECT julianday(\(text))")
            }
            #expect(here == plain, "\(text)")
        }
        let same = try await anna.text("SELECT julianday('NOW') = julianday('now')")
        #expect(same == "1")
        try await anna.execute(
            "CREATE TABLE log (day TEXT, number REAL AS (julianday(day)) STORED)")
    }

    @Test func `restores a device`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        await #expect(throws: SandboxError.self) { try await anna.restore() }
        try await anna.backUp()
        try await anna.execute(Self.berth)
        try await sandbox.syncAll()
        try await anna.restore()
        #expect(try await anna.text(Self.name) == nil)
        try await sandbox.syncAll()
        #expect(try await anna.text(Self.name) == "North 1")
    }

    @Test func `relaunches an app as its next version`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        try await anna.execute(Self.berth)
        var next = Harbour.migrator
        next.registerMigration("v2") { try $0.execute(sql: "ALTER TABLE berth ADD light TEXT") }
        try await anna.relaunch(migrator: next)
        try await anna.execute("UPDATE berth SET light = 'red'")
        try await sandbox.syncAll()
        #expect(try await sandbox.text(Self.name) == "North 1")
        #expect(try await anna.text("SELECT light FROM berth") == "red")
        // The version stays, also through a restore.
        try await anna.backUp()
        try await anna.restore()
        #expect(try await anna.text("SELECT light FROM berth") == "red")
    }

    @Test func `shows each user what the user may see`() async throws {
        var configuration = HubConfiguration()
        let guest = TableRights(read: true)
        configuration.rights = RightSettings(tables: [
            "berth": ["harbourmaster": .all, "*": guest]
        ])
        let sandbox = try await Sandbox(
            tables: Harbour.tables, migrator: Harbour.migrator, configuration: configuration)
        let guests = try await sandbox.device("guest", user: Principal(subject: "gil"))
        let master = try await sandbox.device(
            "master", user: Principal(subject: "mae", claims: ["roles": ["harbourmaster"]]))
        try await guests.execute(Self.berth)
        try await sandbox.syncAll()
        #expect(try await sandbox.text(Self.name) == nil)
        #expect(try await guests.replica.refusedChanges.fetch().map(\.code) == [.permission])
        try await master.execute(Self.berth)
        try await sandbox.syncAll()
        #expect(try await guests.text(Self.name) == "North 1")
    }

    // MARK: Mistakes

    @Test func `says what it cannot do`() async throws {
        #expect(throws: SandboxError.self) { try Sandbox.current }
        await #expect {
            try await Sandbox(tables: [.table("harbour")], migrator: Harbour.migrator)
        } throws: { "\($0)".contains("harbour") }
    }

    @Test func `says which rows differ`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        try await sandbox.syncAll()
        // A row that no trigger records, as the replica itself writes rows of the hub.
        try await anna.execute(
            """
            INSERT INTO _moorage_applying SELECT 1; \(Self.berth); DELETE FROM _moorage_applying
            """)
        await #expect {
            try await sandbox.syncAll()
        } throws: { ($0 as? SandboxError)?.code == .rowsDiffer && "\($0)".contains("berth") }
    }

    @Test func `says why a device cannot catch up`() async throws {
        let sandbox = try await Harbour.sandbox()
        let anna = try await sandbox.device("anna")
        try await sandbox.syncAll()
        try await anna.execute(
            "DROP TABLE boat; CREATE TABLE boat (id TEXT PRIMARY KEY, name TEXT)")
        try await anna.relaunch(migrator: DatabaseMigrator())
        await #expect {
            try await sandbox.syncAll()
        } throws: { ($0 as? SandboxError)?.code == .notCaughtUp && "\($0)".contains("boat") }
    }
}
