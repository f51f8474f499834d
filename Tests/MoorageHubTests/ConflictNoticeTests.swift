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
        _ bench: HubBench, _ holder: String = "one", without known: [HubNotice] = [],
        limit: Int = 100
    ) async throws -> [HubNotice]? {
        try await bench.hub.conflictNotices(
            for: holder, without: Set(known.map(\.id)), limit: limit)?.notices
    }

    @Test func `begins with the present, and says what was refused`() async throws {
        let (bench, replica) = try bench()
        try refuse(replica)
        try bench.sql("UPDATE moorage_conflict SET logged_at = logged_at - 300000")
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

    @Test func `is read again for a while, for pushes that took long`() async throws {
        let (bench, replica) = try bench()
        _ = try await read(bench)
        try refuse(replica)
        let first = try #require(try await read(bench))
        let time = try #require(first.last?.time)
        try await bench.hub.passedOn(upTo: time, by: "one")
        try refuse(replica)
        try bench.sql(
            """
            UPDATE moorage_conflict SET logged_at = \(time.milliseconds - 100_000)
            WHERE id NOT IN ('\(first[0].id)')
            """)
        let late = try #require(try await read(bench, without: first))
        #expect(late.count == 1)
        // Neither an earlier time nor another process moves the point.
        try await bench.hub.passedOn(upTo: time + 200_000, by: "one")
        try await bench.hub.passedOn(upTo: time, by: "one")
        try await bench.hub.passedOn(upTo: time + 900_000, by: "two")
        #expect(try await read(bench) == [])
        try bench.sql("UPDATE moorage_conflict SET logged_at = \(time.milliseconds + 100_000)")
        #expect(try await read(bench)?.count == 2)
    }

    @Test func `is passed on whole, however many lines have one time`() async throws {
        let (bench, replica) = try bench()
        _ = try await read(bench)
        for _ in 0..<7 { try refuse(replica) }
        let time = (bench.now + 1).milliseconds
        try bench.sql("UPDATE moorage_conflict SET logged_at = \(time)")
        var known: [HubNotice] = []
        for _ in 0..<4 {
            let reading = try #require(
                try await bench.hub.conflictNotices(
                    for: "one", without: Set(known.map(\.id)), limit: 2))
            known += reading.notices
            try await bench.hub.passedOn(upTo: reading.until, by: "one")
        }
        #expect(known.count == 7 && Set(known.map(\.id)).count == 7)
        #expect(try await read(bench, without: known) == [])
    }

    @Test func `is passed on by one process, until that one ends or is silent`() async throws {
        let (bench, replica) = try bench()
        #expect(try await read(bench) == [])
        try refuse(replica)
        #expect(try await read(bench, "two") == nil)
        #expect(try await read(bench)?.count == 1)
        try bench.sql("UPDATE moorage_meta SET value = '1 one' WHERE name = 'notices_by'")
        #expect(try await read(bench, "two")?.count == 1)
        #expect(try await read(bench) == nil)
        try await bench.hub.endNotices(of: "one")
        #expect(try await read(bench) == nil, "it was not its own")
        try await bench.hub.endNotices(of: "two")
        #expect(try await read(bench)?.count == 1)
    }
}
