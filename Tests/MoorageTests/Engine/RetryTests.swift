import GRDB
import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// A replica that could not reach its hub for long, on a clock that only the tests move.
@Suite(.ownThreads) struct `A replica that waits before it tries again` {
    private let shop: ShopReplica
    private var hub: FakeHub { shop.hub }
    private var clock: ManualClock { shop.clock }
    private var replica: Replica { shop.replica }

    /// Starts the replica, and lets it fail until its back-off is at its longest.
    init() async throws {
        shop = try await ShopReplica()
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
        await replica.start()
        for count in 1...12 {
            try await eventually("try \(count) failed") {
                hub.requestCount == count && replica.status.phase == .retrying
            }
            // The loop sleeps, and so does the check for commits of other processes.
            try await clock.sleeping(2)
            if count < 12 { clock.advance(.seconds(400)) }
        }
        // The last failure is long ago, and the next try is still minutes away.
        clock.advance(.seconds(100))
    }

    private func heal() { hub.onAnswer = { _ in } }

    private func edit(_ number: Int) async throws {
        try await shop.queue.write {
            try $0.execute(
                sql: "INSERT INTO customer VALUES (?, ?, 'n', NULL)",
                arguments: ["n\(number)", "n\(number)@x"])
        }
    }

    private func expectCaughtUp() async throws {
        try await eventually("the replica has caught up") { replica.status.isCaughtUp }
        try await eventually("the replica rests") { replica.status.phase == .idle }
        #expect(replica.status.nextTry == nil)
        #expect(replica.status.lastError == nil)
        await replica.stop()
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a commit ends the wait`() async throws {
        heal()
        try await edit(1)
        try await expectCaughtUp()
        #expect(hub.row("customer", .text("n1")) != nil)
    }

    @Test func `the app's return to the front ends the wait`() async throws {
        heal()
        replica.isInFront = false
        replica.isInFront = true
        try await expectCaughtUp()
    }

    @Test func `what the app knows of the network ends the wait`() async throws {
        heal()
        replica.wake()
        try await expectCaughtUp()
    }

    @Test func `commits do not hammer a hub that stays broken`() async throws {
        for number in 1...20 {
            try await edit(number)
            try await Task.sleep(for: .milliseconds(10))
        }
        try await eventually("the first edit began a try") { hub.requestCount == 13 }
        try await eventually("the try failed") { replica.status.phase == .retrying }
        try await edit(21)
        try await Task.sleep(for: .milliseconds(50))
        #expect(hub.requestCount == 13)
        await replica.stop()
    }

    @Test func `the app's own sync ends the wait`() async throws {
        heal()
        #expect(try await replica.sync().isCaughtUp)
        try await expectCaughtUp()
        #expect(hub.requestCount == 13)
    }

    @Test func `the app's own sync that fails leaves the wait as it is`() async throws {
        let next = replica.status.nextTry
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        #expect(replica.status.phase == .retrying)
        #expect(replica.status.nextTry == next)
        await replica.stop()
    }
}
