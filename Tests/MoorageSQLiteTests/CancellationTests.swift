import Foundation
import MoorageCore
import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

/// A task that is cancelled while its statement runs: SQLite interrupts the statement.
@Suite(.ownThreads) struct `Cancelled work on SQLite` {
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """

    private func cancel(_ task: Task<Void, any Error>, once begun: AsyncStream<Void>) async {
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `throws that it was cancelled, and no error of the database`() async throws {
        let database = try SQLiteDatabase()
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await database.withConnection { connection in
                continuation.finish()
                _ = try connection.run(Self.endless, [])
            }
        }
        await cancel(task, once: begun)
        let rows = try await database.withConnection { try $0.run("SELECT 1", []) }
        #expect(rows == [[.integer(1)]])
    }

    @Test func `throws so too where its statement begins only after that`() async throws {
        let database = try SQLiteDatabase()
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await database.withConnection { connection in
                continuation.finish()
                while !Task.isCancelled { sched_yield() }
                _ = try connection.run(Self.endless, [])
            }
        }
        await cancel(task, once: begun)
    }

    @Test func `throws an error of the database where nobody cancelled`() async throws {
        let database = try SQLiteDatabase()
        await #expect(throws: CentralError.self) {
            try await database.withConnection { _ = try $0.run("SELECT * FROM nothing", []) }
        }
    }
}
