import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `The status of a replica that nobody runs` {
    /// The first status that matches. It arrives without a sync.
    private func status(
        of replica: Replica, where isMeant: (ReplicaStatus) -> Bool
    ) async -> ReplicaStatus? {
        for await status in replica.statuses() where isMeant(status) { return status }
        return nil
    }

    @Test func `follows local commits`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        #expect(replica.status.isCaughtUp)
        try await file.run("INSERT INTO site VALUES('s2', 'Cabin', 20)")
        #expect(!replica.status.isCaughtUp)
        #expect(await status(of: replica) { $0.pendingCount == 1 }?.isCaughtUp == false)
        try await file.run("INSERT INTO site VALUES('s3', 'Barn', 20)")
        #expect(await status(of: replica) { $0.pendingCount == 2 } != nil)
        try await replica.sync()
        #expect(replica.status.isCaughtUp)
        #expect(replica.status.pendingCount == 0)
    }

    @Test func `does not follow what was rolled back, or is none of its tables'`() async throws {
        let camp = try await Camp()
        let (file, replica) = try await camp.device()
        try await file.run("CREATE TABLE own(a); INSERT INTO own VALUES(1)")
        #expect(replica.status.isCaughtUp)
        await #expect(throws: DatabaseError.self) {
            try await file.run("INSERT INTO site VALUES('s2', 'Cabin', 20); SELECT nothing")
        }
        #expect(replica.status.isCaughtUp)
        #expect(replica.status.pendingCount == 0)
    }
}

@Suite(.ownThreads) struct `The statuses that a listener gets` {
    @Test func `are never the same twice in a row, however slow the listener is`() {
        var passed = PassedStatus()
        var pulling = ReplicaStatus()
        pulling.phase = .pulling
        // It changes and changes back before the listener looks again.
        let seen = [ReplicaStatus(), ReplicaStatus(), pulling, ReplicaStatus()]
        let passing = seen.map { passed.isNew($0) }
        #expect(passing == [true, false, true, true])
    }

    @Test func `are the newest`() async throws {
        let publisher = StatusPublisher()
        var updates = publisher.updates().makeAsyncIterator()
        #expect(await updates.next() == ReplicaStatus())
        publisher.update { $0.phase = .pushing }
        publisher.update { $0.phase = .pulling }
        #expect(await updates.next()?.phase == .pulling)
    }
}
