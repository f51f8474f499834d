import Foundation
import GRDB
import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Two processes of an app share a file. Here each is a pool and a replica of its own.
@Suite(.ownThreads) final class `A file that several processes run` {
    private let hub = Shop.hub()
    private let clock = ManualClock()
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("group-\(UUID().uuidString)")
    private let pool: DatabasePool

    init() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        pool = try DatabasePool(path: folder.appendingPathComponent("shop.sqlite").path)
        try await pool.write { try $0.execute(sql: Shop.sql) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func process(lock: String = "sync.lock") async throws -> (DatabasePool, Replica) {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool(
            path: folder.appendingPathComponent("shop.sqlite").path, configuration: configuration)
        var options = ReplicaOptions()
        options.live = false
        options.runLock = folder.appendingPathComponent(lock)
        let replica = try await Replica(
            database: pool, hub: .direct(hub), tables: Shop.tables(), options: options,
            clock: clock)
        return (pool, replica)
    }

    private func quantity() -> Value? { hub.rows("line").first?.last }

    @Test func `is run by one, and by the next when that one ends`() async throws {
        let (_, app) = try await process()
        let (other, widget) = try await process()
        await app.start()
        try await app.waitUntilCaughtUp()
        await widget.start()
        try await eventually("the second waits") { widget.status.phase == .waiting }
        let count = hub.requestCount

        try await other.write { try $0.execute(sql: "UPDATE line SET quantity = 41") }
        try await eventually("the first sends what the second wrote") {
            clock.advance(.seconds(1))
            return quantity() == .integer(41)
        }
        #expect(hub.requestCount > count)
        #expect(widget.status.phase == .waiting)
        try await eventually("the second knows that it was sent") {
            clock.advance(.seconds(1))
            return widget.status.isCaughtUp && widget.status.headline == .upToDate
        }

        await app.stop()
        try await other.write { try $0.execute(sql: "UPDATE line SET quantity = 42") }
        try await eventually("the second has taken over") {
            clock.advance(.seconds(1))
            return quantity() == .integer(42)
        }
        await app.start()
        try await eventually("the first waits now") { app.status.phase == .waiting }
        await widget.stop()
        #expect(widget.status.phase == .stopped)
        try await eventually("the first goes on") {
            clock.advance(.seconds(1))
            return app.status.phase != .waiting
        }
        await app.stop()
        #expect(clock.sleeperCount == 0)
    }

    @Test func `may be synced by all`() async throws {
        let (_, app) = try await process()
        let (other, widget) = try await process()
        await app.start()
        try await app.waitUntilCaughtUp()
        try await other.write { try $0.execute(sql: "UPDATE line SET quantity = 43") }
        try await widget.sync()
        #expect(quantity() == .integer(43))
        await widget.start()
        try await eventually("it waits") { widget.status.phase == .waiting }
        try await widget.sync()
        #expect(widget.status.phase == .waiting)
        await widget.stop()
        await app.stop()
    }

    @Test func `is let go before the process is suspended, and not taken then`() async throws {
        let (_, app) = try await process()
        let (_, widget) = try await process()
        let lifeCycle = ReplicaLifeCycle(app)
        lifeCycle.enteredForeground()
        try await app.waitUntilCaughtUp()
        lifeCycle.enteredBackground()
        let lock = try #require(widget.runLock)
        #expect(try await lock.tryLock())
        lock.unlock()
        for _ in 1...20 {
            lifeCycle.enteredForeground()
            lifeCycle.enteredBackground()
        }
        try await eventually("the app has stopped") { app.status.phase == .stopped }
        #expect(try await lock.tryLock())
        let appLock = try #require(app.runLock)
        #expect(try await !appLock.tryLock())
        lock.unlock()
        #expect(try await !appLock.tryLock(), "it is barred")
    }

    @Test func `says why nobody can run it, and goes on when somebody can`() async throws {
        let (_, app) = try await process(lock: "missing/sync.lock")
        await app.start()
        try await eventually("it says why") { app.status.lastError?.code == .database }
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("missing"), withIntermediateDirectories: true)
        try await eventually("it runs") {
            clock.advance(.seconds(1))
            return app.status.isCaughtUp
        }
        await app.stop()
    }
}
