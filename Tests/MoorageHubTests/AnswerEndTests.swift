import Foundation
import MoorageHub
import MoorageWire
import Testing

/// An answer is over with its last frame: what the database does afterwards is no part of it.
@Suite struct `The end of an answer` {
    @Test func `a database that goes away behind the last frame harms nothing`() async throws {
        let bench = try HubBench()
        let device = try ScriptedReplica(bench, 1)
        let database = LeavingDatabase(bench.database)
        let hub = Hub(database: database)
        try await hub.exchange(device.request(nil)) { (frame: Frame) async throws in
            if case .end = frame { database.leave() }
        }
        #expect(database.isGone)
    }

    @Test func `nor for programs without tasks`() throws {
        let bench = try HubBench()
        let device = try ScriptedReplica(bench, 1)
        let database = LeavingDatabase(bench.database)
        let hub = Hub(database: database)
        try hub.exchange(device.request(nil)) { (frame: Frame) in
            if case .end = frame { database.leave() }
        }
        #expect(database.isGone)
    }
}

/// A database that cannot be reached any more from a moment on.
private final class LeavingDatabase: CentralDatabase, @unchecked Sendable {
    // `@unchecked`: the flag is used inside the lock.
    private let base: any CentralDatabase
    private let lock = NSLock()
    private var isAway = false

    init(_ base: any CentralDatabase) { self.base = base }

    var isGone: Bool { lock.withLock { isAway } }
    func leave() { lock.withLock { isAway = true } }

    private func check() throws {
        if isGone { throw CentralError(.unavailable, "The database is gone.") }
    }

    func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result {
        try check()
        return try await base.withConnection(work)
    }

    func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try check()
        return try base.perform(work)
    }
}
