import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `The conflict log as notices` {
    private func bench() throws -> (HubBench, ScriptedReplica) {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer VALUES ('a', 'Ada', 'London', 9.80, 1)")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        return (bench, replica)
    }

    /// A change that the hub refuses.
    private func refuse(_ replica: ScriptedReplica) throws {
        _ = try replica.push(
            replica.update(
                "customer", .text("a"),
                set: ["credit": (.text("9.80"), .text("-1.00"))]))
    }

    private func read(
        _ bench: HubBench, _ holder: String = "one", without known: [HubNotice] = []
    ) async throws -> [HubNotice]? {
        try await bench.hub.conflictNotices(
            for: holder, without: Set(known.map(\.id)), limit: 100)
    }

    @Test func `begins with the present, and says what was refused`() async throws {
        let (bench, replica) = try bench()
        try refuse(replica)
        try bench.sql("UPDATE moorage_conflict SET logged_at = logged_at - 120000")
        #expect(try await read(bench) == [])
        try refuse(replica)
        let notices = try #require(try await read(bench))
        #expect(notices.map(\.kind) == [.refused])
        #expect(notices.first?.replica == replica.id)
        #expect(notices.first?.table == "customer")
        #expect(notices.first?.reason == "check")
        #expect(try await read(bench) == notices, "nobody has passed it on")
        #expect(try await read(bench, without: notices) == [])
    }

    @Test func `goes on where another process ended, a minute before`() async throws {
        let (bench, replica) = try bench()
        _ = try await read(bench)
        try refuse(replica)
        let first = try #require(try await read(bench))
        let time = try #require(first.last?.time)
        try await bench.hub.passedOn(upTo: time)
        // A push that took long commits a line with an earlier time.
        try refuse(replica)
        try bench.sql(
            """
            UPDATE moorage_conflict SET logged_at = \(time.milliseconds - 30_000)
            WHERE id NOT IN ('\(first[0].id)')
            """)
        let late = try #require(try await read(bench, without: first))
        #expect(late.count == 1)
        try await bench.hub.passedOn(upTo: time + 60_001)
        #expect(try await read(bench) == [])
    }

    @Test func `is passed on by one process, until that one is silent`() async throws {
        let (bench, replica) = try bench()
        #expect(try await read(bench) == [])
        try refuse(replica)
        #expect(try await read(bench, "two") == nil)
        #expect(try await read(bench)?.count == 1)
        try bench.sql(
            """
            UPDATE moorage_meta SET value = '1 one' WHERE name = 'notices_by'
            """)
        #expect(try await read(bench, "two")?.count == 1)
        #expect(try await read(bench) == nil)
    }
}
