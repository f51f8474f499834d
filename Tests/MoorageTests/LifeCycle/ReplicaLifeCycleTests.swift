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

    @Test func `sends what was sent before, and not answered`() async throws {
        try await comeToFront()
        await lifeCycle.enteredBackground(within: .seconds(20))
        lifeCycle.enteredForeground()
        try await eventually("it is at rest") { replica.status.phase == .idle }
        // The hub takes the batch, and its answer is lost.
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
        try await write(7)
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        hub.onAnswer = { _ in }
        let count = hub.requestCount
        #expect(await lifeCycle.enteredBackground(within: .seconds(20)) != .failed)
        #expect(hub.requestCount > count)
        #expect(replica.status.pendingCount == 0)
    }

    @Test func `sends without getting everything that is new`() async throws {
        try await comeToFront()
        lifeCycle.networkChanged(to: .constrained)
        await lifeCycle.enteredBackground(within: .seconds(20))
        // Nothing waits, so nothing is exchanged.
        hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        let count = hub.requestCount
        #expect(await lifeCycle.handlePush() == .noData)
        #expect(hub.requestCount == count)
    }

    @Test func `ends at once without any time`() async throws {
        try await comeToFront()
        try await write(7)
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
        #expect(await lifeCycle.enteredBackground(within: .zero) == .failed)
        #expect(await lifeCycle.handlePush(within: .seconds(-1)) == .failed)
        await #expect(throws: DatabaseError.self) { try await write(8) }
        try await eventually("nothing sleeps") { clock.sleeperCount == 0 }
    }

    @Test func `does not close the file while another one needs its own`() async throws {
        try await comeToFront()
        let other = ReplicaLifeCycle(replica)
        other.enteredForeground()
        #expect(await lifeCycle.enteredBackground(within: .seconds(20)) == .noData)
        try await write(7)
        other.enteredBackground()
        await #expect(throws: DatabaseError.self) { try await write(8) }
        other.enteredForeground()
        try await write(9)
        other.enteredBackground()
    }

    @Test func `starts a loop again that only the app could start`() async throws {
        try await comeToFront()
        hub.onAnswer = { _ in throw HubError(.differentUser, "another user") }
        try await eventually("it ends") {
            clock.advance(.seconds(30))
            return replica.status.phase == .stopped
        }
        hub.onAnswer = { _ in }
        lifeCycle.enteredForeground()
        try await eventually("it runs again") { replica.status.isCaughtUp }
        await lifeCycle.enteredBackground(within: .seconds(20))
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
