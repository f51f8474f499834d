import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// `run`, `start` and `sync` in parallel, on a clock that only the tests move.
@Suite(.ownThreads) struct `A replica that runs` {
    private let shop: ShopReplica
    private var hub: FakeHub { shop.hub }
    private var clock: ManualClock { shop.clock }
    private var replica: Replica { shop.replica }

    init() async throws { shop = try await ShopReplica() }

    /// Starts a call of `run()`, and returns its task and the error with which it ended.
    private func running() -> (task: Task<Void, Never>, error: Locked<(any Error)?>) {
        let error = Locked<(any Error)?>(nil)
        let task = Task { [replica] in
            do { try await replica.run() } catch let thrown { error.withLock { $0 = thrown } }
        }
        return (task, error)
    }

    /// Waits a moment, in which a wrong implementation would let two calls wait in parallel.
    private func pause() async throws { try await Task.sleep(for: .milliseconds(300)) }

    /// Expects that the hub's changes still arrive.
    private func expectPull(_ id: String) async throws {
        hub.put("customer", [.text(id), .text("\(id)@x"), .text("C"), .null])
        try await eventually("\(id) was pulled") {
            clock.advance(.seconds(30))
            return try await shop.queue.read {
                try Bool.fetchOne(
                    $0, sql: "SELECT count(*) FROM customer WHERE id = ?", arguments: [id])
            } == true
        }
    }

    @Test func `a second run waits, and goes on when the first one ends`() async throws {
        let first = running()
        try await replica.waitUntilCaughtUp()
        let second = running()
        try await pause()
        try await expectPull("c")
        first.task.cancel()
        try await eventually("the first has ended") {
            first.error.withLock { $0 is CancellationError }
        }
        try await expectPull("d")
        #expect(second.error.withLock { $0 == nil })
        second.task.cancel()
        try await eventually("the second has ended") {
            second.error.withLock { $0 is CancellationError }
        }
        #expect(clock.sleeperCount == 0)
        #expect(replica.status.phase == .stopped)
    }

    @Test func `a run that waits for its turn ends when it is cancelled`() async throws {
        let first = running()
        try await replica.waitUntilCaughtUp()
        let second = running()
        try await pause()
        try await expectPull("c")
        second.task.cancel()
        try await eventually("the second has ended") {
            second.error.withLock { $0 is CancellationError }
        }
        #expect(replica.status.phase != .stopped)
        try await expectPull("d")
        first.task.cancel()
        try await eventually("the first has ended") {
            first.error.withLock { $0 is CancellationError }
        }
    }

    @Test func `run goes on when start beside it is stopped`() async throws {
        await replica.start()
        try await replica.waitUntilCaughtUp()
        let run = running()
        try await pause()
        try await expectPull("c")
        await replica.stop()
        try await expectPull("d")
        run.task.cancel()
        try await eventually("run has ended") { run.error.withLock { $0 is CancellationError } }
        #expect(clock.sleeperCount == 0)
    }
}
