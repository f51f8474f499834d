import Foundation
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// How often an exchange asks for a connection: between two steps it has none.
@Suite(.ownThreads) struct `The steps of an exchange` {
    private func exchange(pushing count: Int?, pages: Int = 0) async throws -> (Int, [Frame]) {
        let bench = try HubBench()
        for row in 0..<pages {
            try bench.sql("INSERT INTO customer (id, name) VALUES ('old \(row)', 'x')")
        }
        let device = try ScriptedReplica(bench, 1)
        let batch = count.map { count in
            device.batch(
                (0..<count).map {
                    device.insert(
                        "customer", [.text("new \($0)"), .text("y"), .null, .null, .null])
                })
        }
        let steps = Box(0)
        let database = WatchedDatabase(bench.database) { steps.change { $0 += 1 } }
        let request = device.request(batch, limits: PageLimits(maximumRows: 1, maximumPages: 100))
        let frames = FrameList()
        // A purge is due in a new database, and takes a step of its own.
        try bench.sql(
            "UPDATE moorage_meta SET value = '\(device.now.milliseconds)' WHERE name = 'purge'")
        try await Hub(database: database).exchange(request) { await frames.add($0) }
        return (steps.value, await frames.list)
    }

    @Test func `one with nothing to do has one`() async throws {
        let (steps, frames) = try await exchange(pushing: nil)
        #expect(steps == 1)
        #expect(frames.count == 3)
    }

    @Test func `a short push and its page are part of it`() async throws {
        let (steps, frames) = try await exchange(pushing: 1)
        #expect(steps == 1)
        #expect(frames.count == 4)
    }

    @Test func `a long push begins after the welcome was said`() async throws {
        let (steps, _) = try await exchange(pushing: 101)
        #expect(steps >= 2)
    }

    @Test func `each page but the first has its own`() async throws {
        let (steps, frames) = try await exchange(pushing: nil, pages: 3)
        let pages = frames.filter { if case .page = $0 { true } else { false } }.count
        #expect(pages > 1)
        #expect(steps == pages)
    }

    @Test func `what was said stands though the step came to grief behind it`() async throws {
        let bench = try HubBench()
        let device = try ScriptedReplica(bench, 1)
        try device.exchange()
        let id = Value.text("new")
        let batch = device.batch([
            device.insert("customer", [id, .text("y"), .null, .null, .null])
        ])
        // The hub cannot read the page, because the horizon is no number.
        try bench.sql(
            """
            CREATE TRIGGER spoil AFTER INSERT ON customer
            BEGIN INSERT OR REPLACE INTO moorage_meta (name, value) VALUES ('horizon', 'none'); END
            """)
        let frames = FrameList()
        await #expect(throws: HubError.self) {
            try await Hub(database: bench.database).exchange(device.request(batch)) {
                await frames.add($0)
            }
        }
        guard case .outcomes(let outcomes)? = await frames.list.last else {
            Issue.record("the outcomes were not said")
            return
        }
        #expect(outcomes.status == .applied)
        #expect(try bench.rows("SELECT id FROM customer") == [[id]])
    }
}

private actor FrameList {
    private(set) var list: [Frame] = []
    func add(_ frame: Frame) { list.append(frame) }
}
