import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `What a device says of itself` {
    private func replica(_ bench: HubBench, _ number: Int, of name: String?) throws
        -> ScriptedReplica
    {
        let replica = try ScriptedReplica(bench, number)
        replica.principal = name.map { Principal(subject: $0) }
        return replica
    }

    private static let report = DeviceReport(
        name: "Ada's phone", appVersion: "2.10.1", libraryVersion: "0.1.0", platform: "iOS 19.1",
        schemaVersion: "7", pendingCount: 3, refusedCount: 1, overruledCount: 2,
        oldestPendingAt: 1_767_225_500_000, suspendedTables: ["prices"], fileSize: 1_310_720,
        lastErrorCode: "unreachable", clockOffset: -350)

    @Test(arguments: ["ann", nil]) func `is listed with its replica`(name: String?) async throws {
        let bench = try HubBench()
        let replica = try replica(bench, 1, of: name)
        replica.report = Self.report
        try replica.exchange()
        let listed = try #require(try await bench.hub.replicas().first)
        #expect(listed.id == replica.id && listed.subject == name && listed.report == Self.report)
        #expect(listed.reportedAt.map { $0 > 0 } == true)
        #expect(listed.seenAt == listed.reportedAt)
    }

    @Test func `stays until it says something else`() async throws {
        let bench = try HubBench()
        let ann = try replica(bench, 1, of: "ann")
        ann.report = Self.report
        try ann.exchange()
        let first = try #require(try await bench.hub.replicas().first?.reportedAt)
        ann.report = nil
        try ann.exchange()
        var listed = try #require(try await bench.hub.replicas().first)
        #expect(listed.report == Self.report && listed.reportedAt == first)
        ann.report = DeviceReport(name: "Ada's tablet")
        try ann.exchange()
        listed = try #require(try await bench.hub.replicas().first)
        #expect(listed.report == DeviceReport(name: "Ada's tablet"))
        #expect(listed.reportedAt.map { $0 > first } == true)
        #expect(try bench.rows("SELECT replica FROM moorage_report").count == 1)
    }

    @Test func `is each replica's own, however many there are`() async throws {
        let bench = try HubBench()
        for number in 1...250 {
            let replica = try replica(bench, number, of: "ann")
            if number % 2 == 0 { replica.report = DeviceReport(pendingCount: number) }
            try replica.exchange()
        }
        let listed = try await bench.hub.replicas()
        #expect(listed.count == 250)
        for replica in listed {
            let number = try #require(Int(replica.id.suffix(12)))
            #expect(replica.report?.pendingCount == (number % 2 == 0 ? number : nil))
        }
    }

    @Test func `is not recorded where the replica is refused`() async throws {
        let bench = try HubBench()
        let ann = try replica(bench, 1, of: "ann")
        try ann.exchange()
        ann.report = Self.report
        _ = try await bench.hub.set(.revoked, replica: ann.id)
        #expect(throws: HubError.self) { try ann.exchange() }
        _ = try await bench.hub.set(.active, replica: ann.id)
        ann.principal = Principal(subject: "bob")
        #expect(throws: HubError.self) { try ann.exchange() }
        #expect(try bench.rows("SELECT replica FROM moorage_report").isEmpty)
        ann.principal = Principal(subject: "ann")
        try ann.exchange()
        #expect(try bench.rows("SELECT replica FROM moorage_report").count == 1)
    }

    @Test func `is part of what is held about its user, and forgotten with it`() async throws {
        let bench = try HubBench()
        for (number, name) in [(1, "ann"), (2, "bob")] {
            let replica = try replica(bench, number, of: name)
            replica.report = DeviceReport(name: "\(name)'s phone")
            try replica.exchange()
        }
        let data = try await bench.hub.personalData(about: "ann")
        #expect(data.replicas.map(\.report?.name) == ["ann's phone"])
        #expect(try await bench.hub.forget(subject: "ann") == data)
        let left = try bench.rows("SELECT report FROM moorage_report").description
        #expect(!left.contains("ann") && left.contains("bob"))
    }

    @Test func `goes at the end of the retention time, unless the replica still comes`() throws {
        let bench = try HubBench(
            retention: RetentionPolicy(time: .seconds(10 * 86_400), steps: 2))
        let away = try replica(bench, 1, of: "ann")
        let quiet = try replica(bench, 2, of: "bob")
        let nobody = try replica(bench, 3, of: nil)
        for replica in [away, quiet, nobody] {
            replica.report = Self.report
            try replica.exchange()
            replica.report = nil
        }
        let days = 11 * 86_400_000
        func reporters() throws -> [Value] {
            try bench.rows("SELECT replica FROM moorage_report ORDER BY replica").map { $0[0] }
        }
        // All three reported long ago. One of them came since.
        try bench.sql("UPDATE moorage_report SET reported_at = reported_at - \(days)")
        try bench.sql("UPDATE moorage_registration SET seen_at = seen_at - \(days)")
        try quiet.exchange()
        #expect(try reporters().count == 3)
        try bench.pass(days: 6)
        try quiet.exchange()
        #expect(try reporters() == [.text(quiet.id)])
    }

    @Test func `goes with a detach`() async throws {
        let bench = try HubBench()
        let ann = try replica(bench, 1, of: "ann")
        ann.report = Self.report
        try ann.exchange()
        try await bench.hub.detach()
        let left = try bench.rows("SELECT name FROM sqlite_master WHERE name LIKE 'moorage%'")
        #expect(left == [])
    }

    @Test func `counts as none where another program has damaged it`() async throws {
        let bench = try HubBench()
        let ann = try replica(bench, 1, of: "ann")
        ann.report = Self.report
        try ann.exchange()
        try bench.sql("UPDATE moorage_report SET report = '{'")
        let listed = try #require(try await bench.hub.replicas().first)
        #expect(listed.report == nil && listed.reportedAt != nil)
        try ann.exchange()
        #expect(try await bench.hub.replicas().first?.report == Self.report)
    }

    @Test func `needs an attach of this version`() async throws {
        let bench = try HubBench()
        try bench.sql("DROP TABLE moorage_report")
        try bench.sql("UPDATE moorage_meta SET value = '5' WHERE name = 'format'")
        let ann = try replica(bench, 1, of: "ann")
        ann.report = Self.report
        let error = #expect(throws: HubError.self) { try ann.exchange() }
        #expect(error?.code == .notAttached)
        try bench.attach()
        try ann.exchange()
        #expect(try await bench.hub.replicas().first?.report == Self.report)
    }
}
