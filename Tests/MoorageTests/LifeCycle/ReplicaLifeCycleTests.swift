import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// A life cycle on a clock that only the tests move, with a database that can be suspended. One test
/// at a time, because suspending reaches every database of the process that observes it.
@Suite(.serialized, .ownThreads) final class `A replica that follows its app` {
    private let hub = Shop.hub()
    private let clock = ManualClock()
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("life-\(UUID().uuidString).sqlite").path
    private let pool: DatabasePool
    private let replica: Replica
    private let lifeCycle: ReplicaLifeCycle

    init() async throws {
        var configuration = Configuration()
        configuration.observesSuspensionNotifications = true
        pool = try DatabasePool(path: path, configuration: configuration)
        try await pool.write { try $0.execute(sql: Shop.sql) }
        var options = ReplicaOptions()
        options.live = false
        replica = try await Replica(
            database: pool, hub: .direct(hub), tables: Shop.tables(), options: options,
            clock: clock)
        lifeCycle = ReplicaLifeCycle(replica)
    }

    deinit {
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private func write(_ quantity: Int) async throws {
        try await pool.write {
            try $0.execute(sql: "UPDATE line SET quantity = ?", arguments: [quantity])
        }
    }

    private func quantities() -> Set<Value> {
        Set(hub.rows("line").compactMap { $0.last })
    }

    /// Follows the life cycle in front until the replica has caught up.
    private func comeToFront() async throws {
        lifeCycle.enteredForeground()
        try await replica.waitUntilCaughtUp()
    }

    @Test func `runs in front, sends what is left, and lets go of the file`() async throws {
        try await comeToFront()
        #expect(replica.status.phase != .stopped)
        try await write(7)
        #expect(await lifeCycle.enteredBackground(within: .seconds(20)) != .failed)
        #expect(replica.status.pendingCount == 0)
        #expect(replica.status.phase == .stopped)
        await #expect(throws: DatabaseError.self) { try await write(8) }
        #expect(clock.sleeperCount == 0)

        lifeCycle.enteredForeground()
        try await eventually("it runs again") { replica.status.phase != .stopped }
        try await write(9)
        #expect(await lifeCycle.enteredBackground(within: .seconds(20)) != .failed)
    }

    @Test func `uses no network if nothing waits`() async throws {
        try await comeToFront()
        try await eventually("its exchange is over") { replica.status.phase == .idle }
        let count = hub.requestCount
        #expect(await lifeCycle.enteredBackground(within: .seconds(20)) == .noData)
        #expect(hub.requestCount == count)
    }

    @Test func `gets what a push notification speaks of, and closes the file again`() async throws {
        try await comeToFront()
        await lifeCycle.enteredBackground(within: .seconds(20))
        hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        #expect(await lifeCycle.handlePush() == .newData)
        let count = try await pool.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM customer")
        }
        #expect(count == 3)
        await #expect(throws: DatabaseError.self) { try await write(8) }
        #expect(await lifeCycle.handlePush() == .noData)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `ends by its deadline, whatever the hub does`() async throws {
        try await comeToFront()
        await lifeCycle.enteredBackground(within: .seconds(20))
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
        let outcome = Task { [lifeCycle] in await lifeCycle.handlePush(within: .seconds(10)) }
        // Its own deadline, the time until the next try, and that of the whole call.
        try await clock.sleeping(3)
        clock.advance(.seconds(8))
        #expect(await outcome.value == .failed)
        await #expect(throws: DatabaseError.self) { try await write(8) }
        try await eventually("nothing sleeps") { clock.sleeperCount == 0 }
    }

    @Test func `ends when the system takes the time away`() async throws {
        try await comeToFront()
        try await write(7)
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
        let outcome = Task { [lifeCycle] in
            await lifeCycle.enteredBackground(within: .seconds(20))
        }
        try await clock.sleeping(.seconds(17) ... .seconds(17))
        outcome.cancel()
        #expect(await outcome.value == .failed)
        await #expect(throws: DatabaseError.self) { try await write(8) }
        try await eventually("nothing sleeps") { clock.sleeperCount == 0 }
    }

    @Test func `a released life cycle ends what it runs`() async throws {
        let hub = Shop.hub()
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        let clock = ManualClock()
        let replica = try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), clock: clock)
        var lifeCycle: ReplicaLifeCycle? = ReplicaLifeCycle(replica)
        lifeCycle?.enteredForeground()
        try await replica.waitUntilCaughtUp()
        lifeCycle?.memoryIsLow()
        lifeCycle = nil
        try await eventually("it has stopped") { replica.status.phase == .stopped }
        try await eventually("nothing sleeps") { clock.sleeperCount == 0 }
    }
}
