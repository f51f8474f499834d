import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `How many replicas a user has` {
    @Test func `is limited within the retention time, each user for itself`() throws {
        let bench = try HubBench(
            retention: RetentionPolicy(time: .seconds(10 * 86_400)), replicasPerUser: 2)
        func replica(_ number: Int, of name: String) throws -> ScriptedReplica {
            let replica = try ScriptedReplica(bench, number)
            replica.principal = Principal(subject: name, claims: [:])
            return replica
        }
        let first = try replica(1, of: "ann")
        try first.exchange()
        try replica(2, of: "ann").exchange()
        let third = try replica(3, of: "ann")
        let error = #expect(throws: HubError.self) { try third.exchange() }
        #expect(error?.code == .tooMany && error?.retryAfter != nil)
        try first.exchange()
        try replica(4, of: "bob").exchange()
        let registered = try bench.rows("SELECT subject FROM moorage_registration")
        #expect(registered.count == 3)
        // Those that were begun long ago do not count.
        try bench.sql("UPDATE moorage_registration SET registered_at = registered_at - 864000001")
        try third.exchange()
    }
}
