import Foundation
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// An answer is over with its last frame: what the database does afterwards is no part of it.
@Suite(.ownThreads) struct `The end of an answer` {
    /// A hub whose database cannot be reached any more from a moment on.
    private func leavingHub(_ bench: HubBench, _ isGone: Box<Bool>) -> Hub {
        Hub(
            database: WatchedDatabase(bench.database) {
                if isGone.value { throw CentralError(.unavailable, "The database is gone.") }
            })
    }

    @Test func `a database that goes away behind the last frame harms nothing`() async throws {
        let bench = try HubBench()
        let device = try ScriptedReplica(bench, 1)
        let isGone = Box(false)
        let hub = leavingHub(bench, isGone)
        try await hub.exchange(device.request(nil)) { (frame: Frame) async throws in
            if case .end = frame { isGone.value = true }
        }
        #expect(isGone.value)
    }

    @Test func `nor for programs without tasks`() throws {
        let bench = try HubBench()
        let device = try ScriptedReplica(bench, 1)
        let isGone = Box(false)
        let hub = leavingHub(bench, isGone)
        try hub.exchange(device.request(nil)) { (frame: Frame) in
            if case .end = frame { isGone.value = true }
        }
        #expect(isGone.value)
    }
}
