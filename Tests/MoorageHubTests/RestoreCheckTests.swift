import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `The check after a restore` {
    private func bench() throws -> HubBench {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A'), ('b', 'B')")
        return bench
    }

    private func pushed(_ bench: HubBench, _ number: Int, tables: [String]? = nil) throws
        -> ScriptedReplica
    {
        let replica = try ScriptedReplica(bench, number, tables: tables)
        replica.report = DeviceReport()
        _ = try replica.push(
            replica.insert(
                "customer", [.text("r\(number)"), .text("R"), .null, .null, .null]))
        return replica
    }

    @Test func `finds nothing to do where no replica came since the epoch began`() async throws {
        let bench = try bench()
        let new = try await bench.hub.restoreCheck()
        #expect(new.mayComeBack && new.newestContactAt == nil && new.replicas.accepted == 0)
        #expect(new.tables.map(\.rowCount) == [2, 0, 0])
        _ = try pushed(bench, 1)
        try bench.attach(newEpoch: true)
        let renewed = try await bench.hub.restoreCheck()
        #expect(renewed.mayComeBack && renewed.replicas.accepted == 1)
        #expect(renewed.epoch != new.epoch && renewed.hub == new.hub)
    }

    @Test func `asks for a new epoch where the database looks the same`() async throws {
        let bench = try bench()
        _ = try pushed(bench, 1)
        let report = try await bench.hub.restoreCheck()
        #expect(report.steps.map(\.kind) == [.newEpoch] && !report.isOtherDatabase)
        #expect(report.steps.first?.command == "moorage attach --new-epoch")
        #expect(report.newestPushAt != nil && report.newestReportAt != nil)
        #expect(report.newestContactAt.map { $0 <= report.checkedAt } == true)
        // Looking changes nothing: the replica goes on in its epoch.
        let replica = try pushed(bench, 2)
        #expect(replica.beginnings == 0)
    }

    @Test func `needs nothing where the database itself is another one`() async throws {
        let bench = try bench()
        let replica = try pushed(bench, 1)
        try bench.sql("UPDATE moorage_meta SET value = 'other' WHERE name = 'identity'")
        let report = try await bench.hub.restoreCheck()
        #expect(report.isOtherDatabase && report.mayComeBack)
        #expect(replica.cursor.epoch?.text == report.epoch, "the epoch is still the old one")
        #expect(try replica.exchange().count == 2, "the first exchange begins another")
    }

    @Test func `names tables that have to be attached first`() async throws {
        let bench = try bench()
        try bench.sql("ALTER TABLE purchase DROP COLUMN note")
        let report = try await bench.hub.restoreCheck()
        #expect(report.steps.map(\.kind) == [.attach])
        #expect(report.steps.first?.reason.contains("purchase") == true)
        let table = try #require(report.tables.first(where: { $0.name == "purchase" }))
        #expect(table.suspension?.contains("note") == true && table.rowCount == nil)
        try bench.attach()
        #expect(try await bench.hub.restoreCheck().mayComeBack)
    }

    @Test func `counts replicas, and the rows that they read`() async throws {
        let bench = try bench()
        _ = try pushed(bench, 1)
        _ = try pushed(bench, 2, tables: ["customer"])
        let silent = try ScriptedReplica(bench, 3)
        _ = try silent.push(
            silent.insert("customer", [.text("s"), .text("S"), .null, .null, .null]))
        let revoked = try pushed(bench, 4)
        try bench.hub.order(.revoked, of: revoked.id)
        let report = try await bench.hub.restoreCheck()
        #expect(report.replicas.accepted == 3 && report.replicas.refused == 1)
        #expect(report.replicas.reported == 2 && report.replicas.unknown == 1)
        #expect(report.replicas.pushed == 4 && report.replicas.away == 0)
        #expect(report.replicas.recent == 3)
        #expect(report.tables.map(\.replicaCount) == [3, 2, 2])
        // The table has six rows: two of the owner's, and one of each replica.
        #expect(report.rowsToRead == 18)
    }

    @Test func `says that nothing is attached`() async throws {
        let bench = try bench()
        try bench.database.perform { try Attachment(on: $0, makeID: Hub.randomID).detach() }
        let error = await #expect(throws: HubError.self) { try await bench.hub.restoreCheck() }
        #expect(error?.code == .notAttached)
    }
}
