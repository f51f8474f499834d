import Foundation
import GRDB
import MoorageHub
import MoorageSQLite
import MoorageSupport
import TestSupport

/// A clock on which every sleep lasts until the test says.
final class BellClock: Clock, Sendable {
    private let sleepers = Locked<[UUID: AsyncStream<Void>.Continuation]>([:])

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }
    /// How many sleep.
    var sleeping: Int { sleepers.withLock { $0.count } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let id = UUID()
        let (bell, continuation) = AsyncStream.makeStream(of: Void.self)
        sleepers.withLock { $0[id] = continuation }
        defer { sleepers.withLock { $0[id] = nil } }
        for await _ in bell { return }
        throw CancellationError()
    }

    /// Wakes who sleeps, once somebody does.
    func ring() async throws {
        try await eventually("somebody sleeps") { sleeping > 0 }
        let bells = sleepers.withLock { Array($0.values) }
        for bell in bells { bell.yield() }
    }
}

/// What goes on until somebody interrupts it.
enum Endless {
    static let query = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n
        """

    /// A database whose `begun()` tells the test that a statement runs.
    static func database() throws -> (database: SQLiteDatabase, begun: AsyncStream<Void>) {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { database in
            database.add(
                function: DatabaseFunction("begun", argumentCount: 0) { _ in
                    continuation.yield()
                    return nil
                })
        }
        let queue = try DatabaseQueue(configuration: configuration)
        return (SQLiteDatabase(queue: queue), begun)
    }
}

/// A database on which a piece of work begins with a statement that has no end.
final class PausingDatabase: CentralDatabase {
    private let database: SQLiteDatabase
    /// How many pieces of work come before that one.
    private let ahead = Locked<Int?>(nil)
    let begun: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ database: SQLiteDatabase) {
        self.database = database
        (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    /// - Parameter count: How many pieces of work are carried out before.
    func pause(after count: Int = 0) { ahead.withLock { $0 = count } }

    func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result {
        try await database.withConnection { [self] connection in
            let isPaused = ahead.withLock { count in
                defer { count = count.flatMap { $0 > 0 ? $0 - 1 : nil } }
                return count == 0
            }
            if isPaused {
                continuation.yield()
                _ = try connection.run(Endless.query, [])
            }
            return try work(connection)
        }
    }

    func perform<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try database.perform(work)
    }
}
