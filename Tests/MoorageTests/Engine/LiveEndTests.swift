import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// These tests use a clock that only they move.
@Suite(.ownThreads) struct `A live stream that is over` {
    @Test func `because it fell silent is given up, and another one brings what came`() async throws
    {
        let notes = try await LiveNotes()
        notes.way.set(.silent)
        try notes.central.execute("INSERT INTO note VALUES (1, 'one')")
        try await eventually("its page is delayed") { notes.way.delayed == 1 }
        try await notes.clock.sleeping(.seconds(20) ... .seconds(30))
        // Two and a half of the hub's heartbeats.
        notes.clock.advance(.seconds(25))
        try await notes.pause()
        #expect(notes.isLive)
        notes.clock.advance(.seconds(1))
        try await eventually("it is given up, and the status says why") {
            !notes.isLive && notes.replica.status.lastError?.code == .hub(.unreachable)
        }
        notes.way.set(.none)
        try await eventually("another one is open, and what came is here") {
            notes.clock.advance(.milliseconds(100))
            let ids = try await notes.ids()
            return notes.isLive && ids == [1]
        }
        await notes.stop()
    }

    @Test func `because the hub ended it is followed by another one, and nothing failed`()
        async throws
    {
        let notes = try await LiveNotes()
        let before = notes.way.exchanges
        // The status says that it is live before its time begins to count.
        try await notes.clock.sleeping(.seconds(20) ... .seconds(30))
        // A stream that ends within a second counts as broken.
        notes.clock.advance(.seconds(2))
        notes.way.set(.ends)
        try notes.central.execute("INSERT INTO note VALUES (1, 'one')")
        try await eventually("another one is open, and what came is here") {
            let ids = try await notes.ids()
            return notes.way.exchanges >= before + 2 && notes.isLive && ids == [1]
        }
        #expect(notes.replica.status.lastError == nil)
        await notes.stop()
    }
}
