import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// `run`, `start` and `sync` beside each other, by a clock that stands until the test moves it.
@Suite(.ownThreads) struct `A replica that runs` {
    private let hub = Shop.hub()
    private let clock = ManualClock()
    private let queue: DatabaseQueue
    private let replica: Replica

    init() async throws {
        queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        // Without live streams, whose ends would wake one call by the other.
        var options = ReplicaOptions()
        options.live = false
        replica = try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), options: options,
            clock: clock)
    }

    private func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
        for _ in 0..<2_000 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(3))
        }
        Issue.record("It never came: \(what)")
        throw CancellationError()
    }

    /// A call of `run()`, and whether it has ended.
    private func running() -> (task: Task<Void, Never>, error: Locked<(any Error)?>) {
        let error = Locked<(any Error)?>(nil)
        let task = Task { [replica] in
            do { try await replica.run() } catch let thrown { error.withLock { $0 = thrown } }
        }
        return (task, error)
    }

    /// Gives two calls the time to wait beside each other, where they wrongly would.
    private func pause() async throws { try await Task.sleep(for: .milliseconds(300)) }

    /// Whether the hub's changes still arrive.
    private func expectPull(_ id: String) async throws {
        hub.put("customer", [.text(id), .text("\(id)@x"), .text("C"), .null])
        try await until("a pull of \(id)") {
            clock.advance(.seconds(30))
            return try await queue.read {
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
        try await until("the end of the first") { first.error.withLock { $0 is CancellationError } }
        try await expectPull("d")
        #expect(second.error.withLock { $0 == nil })
        second.task.cancel()
        try await until("the end of the second") {
            second.error.withLock { $0 is CancellationError }
        }
        #expect(clock.sleeperCount == 0)
        #expect(replica.currentStatus.phase == .stopped)
    }

    @Test func `a run that waits for its turn ends when it is cancelled`() async throws {
        let first = running()
        try await replica.waitUntilCaughtUp()
        let second = running()
        try await pause()
        try await expectPull("c")
        second.task.cancel()
        try await until("the end of the second") {
            second.error.withLock { $0 is CancellationError }
        }
        #expect(replica.currentStatus.phase != .stopped)
        try await expectPull("d")
        first.task.cancel()
        try await until("the end of the first") { first.error.withLock { $0 is CancellationError } }
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
        try await until("the end of run") { run.error.withLock { $0 is CancellationError } }
        #expect(clock.sleeperCount == 0)
    }
}
