import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `The version of an app` {
    @Test(arguments: [
        ("2.9", "2.10"), ("2", "2.0.1"), ("1.9.9", "2"), ("0", "0.0.1"), ("2.10-beta", "2.11"),
        ("9", "10"), ("1.99999999999999999998", "1.99999999999999999999"),
        ("99999999999999999999", "100000000000000000000"),
    ])
    func `is older where the first different number is smaller`(older: String, newer: String)
        throws
    {
        let (old, new) = (try #require(ClientVersion(older)), try #require(ClientVersion(newer)))
        #expect(old < new && !(new < old) && old != new)
    }

    @Test(arguments: [
        ("2", "2.0"), ("2.0.0", "2"), ("2.10", "2.010"), ("2.10", "2.10-beta3"), ("2.10", "2.10."),
        ("0", "00.0"), ("2.1 (417)", "2.1"), ("2.1é", "2.1"),
    ])
    func `is the same whatever zeros and words are at its end`(one: String, other: String) throws {
        let pair = (try #require(ClientVersion(one)), try #require(ClientVersion(other)))
        #expect(pair.0 == pair.1 && !(pair.0 < pair.1) && !(pair.1 < pair.0))
    }

    @Test(arguments: ["", "v2", ".5", " 2", "-1", "beta", "٣"])
    func `begins with a number`(text: String) { #expect(ClientVersion(text) == nil) }
}

@Suite(.ownThreads) struct `A hub with a minimum version` {
    private let row: [Value] = [.text("a"), .text("Ann"), .null, .null, .null]

    private func replica(_ bench: HubBench, version: String?) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, 1)
        replica.principal = Principal(subject: "ann")
        replica.clientVersion = version
        return replica
    }

    @Test(arguments: [nil, "2.9", "beta"])
    func `takes nothing from an older app, and sends it nothing`(version: String?) throws {
        let bench = try HubBench(minimumClientVersion: "2.10")
        let ann = try replica(bench, version: version)
        ann.report = DeviceReport(appVersion: version)
        var frames: [Frame] = []
        let request = ann.request(ann.batch([ann.insert("customer", row)]))
        let error = #expect(throws: HubError.self) {
            try bench.hub.exchange(request, for: ann.principal) { (frame: Frame) in
                frames.append(frame)
            }
        }
        #expect(error?.code == .clientTooOld && error?.message.contains("2.10") == true)
        #expect(frames.isEmpty)
        #expect(try bench.rows("SELECT id FROM customer").isEmpty)
        // It does not count among the user's replicas.
        #expect(try bench.rows("SELECT replica FROM moorage_registration").isEmpty)
        #expect(try bench.rows("SELECT replica FROM moorage_report").isEmpty)
    }

    @Test(arguments: ["2.10", "2.10.0", "2.11-beta", "3"])
    func `names it to an app that is new enough`(version: String) throws {
        let bench = try HubBench(minimumClientVersion: "2.10")
        let ann = try replica(bench, version: version)
        guard case .welcome(let welcome)? = try ann.exchange().first else {
            Issue.record("The first frame is a welcome.")
            return
        }
        #expect(welcome.minimumClientVersion == "2.10")
    }

    @Test func `says first whose the replica is, and what was ordered`() async throws {
        let bench = try HubBench(minimumClientVersion: "2")
        let ann = try replica(bench, version: "2")
        try ann.exchange()
        ann.clientVersion = "1"
        ann.principal = Principal(subject: "bob")
        let other = #expect(throws: HubError.self) { try ann.exchange() }
        #expect(other?.code == .differentUser)
        ann.principal = Principal(subject: "ann")
        _ = try await bench.hub.set(.toBeWiped, replica: ann.id)
        let wiped = #expect(throws: HubError.self) { try ann.exchange() }
        #expect(wiped?.code == .replicaWiped)
    }

    @Test func `is no hub where the minimum is no version`() async throws {
        let bench = try HubBench(minimumClientVersion: "newest")
        let error = await #expect(throws: HubError.self) {
            try await bench.hub.checkConfiguration()
        }
        #expect(error?.code == .configuration)
        let ann = try replica(bench, version: "9")
        let refused = #expect(throws: HubError.self) { try ann.exchange() }
        #expect(refused?.code == .configuration)
    }

    @Test func `is one for every app where no minimum is said`() throws {
        let bench = try HubBench()
        try replica(bench, version: nil).exchange()
    }
}
