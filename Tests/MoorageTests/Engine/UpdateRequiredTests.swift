import GRDB
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A replica whose app is too old for its hub` {
    private let shop: ShopReplica
    private var replica: Replica { shop.replica }

    /// Starts the replica, and lets the hub refuse it once.
    init() async throws {
        shop = try await ShopReplica()
        shop.hub.onAnswer = { _ in throw HubError(.clientTooOld, "Update the app.") }
        await replica.start()
        try await refused(1)
    }

    private func refused(_ count: Int) async throws {
        try await eventually("try \(count) was refused") {
            shop.hub.requestCount == count && replica.status.phase == .updateRequired
        }
    }

    @Test func `says so, and keeps what the app writes`() async throws {
        try await shop.queue.write {
            try $0.execute(sql: "INSERT INTO customer VALUES ('n', 'n@x', 'N', NULL)")
        }
        try await eventually("it counts the change") { replica.status.pendingCount == 1 }
        let status = replica.status
        #expect(status.lastError?.code == .hub(.clientTooOld))
        #expect(status.lastError?.recovery == .updateApp)
        #expect(status.phase == .updateRequired && status.nextTry != nil)
        await replica.stop()
        #expect(replica.status.phase == .stopped)
        #expect(shop.hub.requestCount == 1)
        #expect(try await replica.refusedChanges.fetch().isEmpty)
    }

    @Test func `tries again after about an hour`() async throws {
        try await shop.clock.sleeping(.seconds(2_800) ... .seconds(4_400))
        shop.clock.advance(.seconds(4_400))
        try await refused(2)
        try await shop.clock.sleeping(.seconds(2_800) ... .seconds(4_400))
        shop.hub.onAnswer = { _ in }
        shop.clock.advance(.seconds(4_400))
        try await eventually("it has caught up") { replica.status.isCaughtUp }
        try await eventually("it rests") { replica.status.phase == .idle }
        #expect(replica.status.lastError == nil && replica.status.nextTry == nil)
        await replica.stop()
    }

    @Test func `goes on with the app's own sync, once that succeeds`() async throws {
        let next = replica.status.nextTry
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        #expect(replica.status.phase == .updateRequired && replica.status.nextTry == next)
        shop.hub.onAnswer = { _ in }
        #expect(try await replica.sync().isCaughtUp)
        try await eventually("it rests") { replica.status.phase == .idle }
        await replica.stop()
    }

    @Test func `tries at once when it is started again`() async throws {
        await replica.stop()
        shop.hub.onAnswer = { _ in }
        await replica.start()
        try await eventually("it has caught up") { replica.status.isCaughtUp }
        await replica.stop()
    }

    @Test func `does not let the app wait for what cannot come`() async throws {
        await replica.stop()
        let error = await #expect(throws: ReplicaError.self) {
            try await replica.catchUp(within: .seconds(60))
        }
        #expect(error?.code == .hub(.clientTooOld))
    }
}
