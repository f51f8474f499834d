import MoorageCore
import GRDB
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Local commits beside a live stream, on a clock that only the tests move.
@Suite(.ownThreads) struct `A push beside a live stream` {
    /// Refers weakly to a replica, so that it does not keep it alive.
    private struct Witness { weak var replica: Replica? }

    @Test func `commits that follow one another go up as one, and one after a pause at once`()
        async throws
    {
        let device = try await LiveNotes()
        for id in 1...3 {
            try await device.commit(id)
            try await device.pause()
        }
        #expect(device.way.batches.isEmpty)
        try await device.advanceToPush()
        try await eventually("the push is there") { device.way.batches.count == 1 }
        #expect(device.way.batches[0].changes.count == 3)
        // The pause begins where the push has ended.
        try await eventually("the push has ended") {
            device.replica.status.isCaughtUp && device.isLive
        }
        // The next commit comes after a pause.
        device.clock.advance(.seconds(1))
        try await device.commit(4)
        try await eventually("the next push is sent") { device.way.batches.count == 2 }
        #expect(device.way.batches[1].changes.count == 1)
        try await eventually("nothing is left") { device.replica.status.isCaughtUp }
        await device.stop()
    }

    @Test func `what waits for its push goes up when the app leaves the front`() async throws {
        let device = try await LiveNotes()
        try await device.commit(1)
        device.replica.isInFront = false
        try await eventually("the push is there") { device.way.batches.count == 1 }
        try await eventually("nothing is left") { device.replica.status.isCaughtUp }
        #expect(!device.isLive)
        await device.stop()
    }

    @Test func `a change that cannot be sent is tried once, not again and again`() async throws {
        let device = try await LiveNotes()
        let before = device.way.exchanges
        // Text that is not UTF-8 stays in the log.
        try await device.file.write {
            try $0.execute(sql: "INSERT INTO note VALUES (1, CAST(x'FF' AS TEXT))")
        }
        try await device.advanceToPush()
        try await eventually("it is listed") {
            try await device.replica.refusedChanges.fetch().count == 1
        }
        for _ in 0..<20 {
            try await eventually("it is live again") { device.isLive }
            try await device.pause()
            device.clock.advance(.milliseconds(200))
        }
        #expect(device.way.exchanges == before + 1)
        // A change that can be sent still goes up, and so does the other one once it is fixed.
        try await device.commit(2)
        try await eventually("the push is there") { device.way.batches.count == 1 }
        try await eventually("it is live again") { device.isLive }
        try await device.file.write {
            try $0.execute(sql: "UPDATE note SET text = 'n' WHERE id = 1")
        }
        try await eventually("the other push is sent") {
            device.clock.advance(.milliseconds(100))
            return device.way.batches.count == 2
        }
        try await eventually("nothing is left") { device.replica.status.isCaughtUp }
        await device.stop()
    }

    @Test func `a change that follows one that was undone goes up`() async throws {
        let device = try await LiveNotes()
        // Text that is not UTF-8 stays in the log after the replica has read it there.
        try await device.file.write {
            try $0.execute(sql: "INSERT INTO note VALUES (1, CAST(x'FF' AS TEXT))")
        }
        try await device.advanceToPush()
        try await eventually("it is listed") {
            try await device.replica.refusedChanges.fetch().count == 1
        }
        try await eventually("it is live again") { device.isLive }
        try await device.replica.revertAll()
        try await eventually("the log is empty") {
            device.clock.advance(.milliseconds(100))
            return try await device.replica.pendingChanges.fetch().isEmpty && device.isLive
        }
        device.clock.advance(.seconds(1))
        let before = device.way.batches.count
        // Its log entry has the number of the reverted one.
        try await device.commit(2)
        try await eventually("the push is there") {
            device.clock.advance(.milliseconds(100))
            return device.way.batches.count == before + 1
        }
        try await eventually("nothing is left") { device.replica.status.isCaughtUp }
        await device.stop()
    }

    @Test func `leaves nothing behind when it is stopped while one waits`() async throws {
        var device: LiveNotes? = try await LiveNotes()
        let witness = Witness(replica: device?.replica)
        try await device?.commit(1)
        try await device?.pause()
        #expect(try await device?.replica.pendingChanges.fetch().count == 1)
        await device?.stop()
        #expect(device?.way.batches.isEmpty == true)
        device = nil
        try await eventually("nobody holds the replica") { witness.replica == nil }
    }
}
