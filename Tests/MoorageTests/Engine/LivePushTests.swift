import Foundation
import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Local commits beside a live stream, by a clock that stands until the test moves it.
@Suite(.ownThreads) struct `A push beside a live stream` {
    /// Counts what is under way, and keeps the batches that were sent.
    private final class Way: HubConnection, @unchecked Sendable {
        // `@unchecked`: what changes is touched inside the lock.
        private let hub: Hub
        private let lock = NSLock()
        private var sent: [Batch] = []
        private var running = 0
        private var begun = 0

        init(_ hub: Hub) { self.hub = hub }

        var batches: [Batch] { lock.withLock { sent } }
        var exchanges: Int { lock.withLock { begun } }
        var underWay: Int { lock.withLock { running } }

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            lock.withLock {
                running += 1
                begun += 1
                if let batch = request.batch { sent.append(batch) }
            }
            defer { lock.withLock { running -= 1 } }
            try await hub.exchange(request, receive: receive)
        }

        func schema() async throws -> SchemaAnswer { try await hub.schema() }
        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }

    private struct Device {
        let hub: Hub
        let way: Way
        let file: DatabaseQueue
        let clock = ManualClock()
        let replica: Replica

        init() async throws {
            let central = try SQLiteDatabase()
            try central.execute("CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT)")
            hub = Hub(database: central)
            _ = try await hub.attach(tables: ["note"])
            way = Way(hub)
            file = try DatabaseQueue()
            var options = ReplicaOptions()
            options.pullInterval = .seconds(3_600)
            options.pushDelay = .milliseconds(200)
            replica = try await Replica.clone(
                into: file, from: .direct(way), tables: ["note"], options: options, clock: clock)
            await replica.start()
            try await until("it is live") { isLive }
        }

        var isLive: Bool { replica.currentStatus.isLive }

        func commit(_ id: Int) async throws {
            try await file.write {
                try $0.execute(sql: "INSERT INTO note VALUES (?, 'n')", arguments: [id])
            }
        }

        /// Gives what was just committed the time to go up, where it wrongly would.
        func pause() async throws { try await Task.sleep(for: .milliseconds(30)) }

        func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
            for _ in 0..<5_000 {
                if try await isSo() { return }
                try await Task.sleep(for: .milliseconds(3))
            }
            Issue.record("It never came: \(what)")
            throw CancellationError()
        }

        func stop() async {
            await replica.stop()
            #expect(way.underWay == 0)
            #expect(hub.liveFigures.streams == 0)
            #expect(clock.sleeperCount == 0)
        }
    }

    @Test func `commits that follow one another go up as one, and one after a pause at once`()
        async throws
    {
        let device = try await Device()
        for id in 1...3 {
            try await device.commit(id)
            try await device.pause()
        }
        #expect(device.way.batches.isEmpty)
        device.clock.advance(.milliseconds(200))
        try await device.until("the push") { device.way.batches.count == 1 }
        #expect(device.way.batches[0].changes.count == 3)
        try await device.until("it is live again") { device.isLive }
        // From now on it is a pause.
        device.clock.advance(.seconds(1))
        try await device.commit(4)
        try await device.until("the next push") { device.way.batches.count == 2 }
        #expect(device.way.batches[1].changes.count == 1)
        try await device.until("nothing is left") { device.replica.currentStatus.isCaughtUp }
        await device.stop()
    }

    @Test func `what waits for its push goes up when the app leaves the front`() async throws {
        let device = try await Device()
        try await device.commit(1)
        device.replica.isInFront = false
        try await device.until("the push") { device.way.batches.count == 1 }
        try await device.until("nothing is left") { device.replica.currentStatus.isCaughtUp }
        #expect(!device.isLive)
        await device.stop()
    }

    @Test func `a change that cannot be sent is tried once, not again and again`() async throws {
        let device = try await Device()
        let before = device.way.exchanges
        // Text that is not UTF-8 stays in the log.
        try await device.file.write {
            try $0.execute(sql: "INSERT INTO note VALUES (1, CAST(x'FF' AS TEXT))")
        }
        device.clock.advance(.milliseconds(200))
        try await device.until("it is listed") { try await device.replica.refused().count == 1 }
        for _ in 0..<20 {
            try await device.until("it is live again") { device.isLive }
            try await device.pause()
            device.clock.advance(.milliseconds(200))
        }
        #expect(device.way.exchanges == before + 1)
        // A change that can be sent still goes up, and so does that one once it is fixed.
        try await device.commit(2)
        try await device.until("the push") { device.way.batches.count == 1 }
        try await device.until("it is live again") { device.isLive }
        device.clock.advance(.seconds(1))
        try await device.file.write {
            try $0.execute(sql: "UPDATE note SET text = 'n' WHERE id = 1")
        }
        try await device.until("the other push") { device.way.batches.count == 2 }
        try await device.until("nothing is left") { device.replica.currentStatus.isCaughtUp }
        await device.stop()
    }

    @Test func `a change that follows one that was taken back goes up`() async throws {
        let device = try await Device()
        // Text that is not UTF-8 stays in the log, and has been looked at.
        try await device.file.write {
            try $0.execute(sql: "INSERT INTO note VALUES (1, CAST(x'FF' AS TEXT))")
        }
        device.clock.advance(.milliseconds(200))
        try await device.until("it is listed") { try await device.replica.refused().count == 1 }
        try await device.until("it is live again") { device.isLive }
        try await device.replica.revertAll()
        try await device.until("the log is empty") {
            device.clock.advance(.milliseconds(100))
            return try await device.replica.pending().isEmpty && device.isLive
        }
        device.clock.advance(.seconds(1))
        let before = device.way.batches.count
        // Its entry has the number that the other one had.
        try await device.commit(2)
        try await device.until("the push") {
            device.clock.advance(.milliseconds(100))
            return device.way.batches.count == before + 1
        }
        try await device.until("nothing is left") { device.replica.currentStatus.isCaughtUp }
        await device.stop()
    }

    @Test func `leaves nothing behind when it is stopped while one waits`() async throws {
        var device: Device? = try await Device()
        weak let replica = device?.replica
        try await device?.commit(1)
        try await device?.pause()
        #expect(try await device?.replica.pending().count == 1)
        await device?.stop()
        #expect(device?.way.batches.isEmpty == true)
        device = nil
        #expect(replica == nil)
    }
}
