import Foundation
import MoorageCore
import MoorageSupport
import TestSupport
import Testing

@testable import MoorageHub
@testable import MooragePostgres

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `The pool of connections` {
    func withPool(
        _ size: Int, timeout: Duration = .seconds(30), lifetime: Duration = .seconds(600),
        _ work: (ConnectionPool<PostgresConnection>) async throws -> Void
    ) async throws {
        let address = try PostgresAddress(url: PostgresServer.url(database: "postgres"))
        let options = PostgresDatabase.Options()
        let pool = ConnectionPool(
            maximumConnections: size, acquireTimeout: timeout, maximumLifetime: lifetime
        ) { PostgresConnection(address: address, options: options) }
        defer { pool.close() }
        try await work(pool)
    }

    func process(_ pool: ConnectionPool<PostgresConnection>) async throws -> Value {
        try await pool.withConnection { try $0.run("SELECT pg_backend_pid()", [])[0][0] }
    }

    @Test func `lends no more connections than it may, and serves everyone`() async throws {
        // However busy the machine is: the time-out is not what is tried.
        try await withPool(3, timeout: .seconds(3600)) { pool in
            let (running, most) = (Locked(0), Locked(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        try await pool.withConnection { connection in
                            let now = running.withLock {
                                $0 += 1; return $0
                            }
                            most.withLock { $0 = max($0, now) }
                            _ = try connection.run("SELECT pg_sleep(0.002)::text", [])
                            running.withLock { $0 -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(most.withLock { $0 } <= 3)
        }
    }

    @Test func `a transaction that was left open is rolled back`() async throws {
        try await withPool(1) { pool in
            try await pool.withConnection { try $0.begin(.write) }
            let first = try await pool.withConnection { $0.link.isInTransaction }
            #expect(!first)
            await #expect(throws: CentralError.self) {
                try await pool.withConnection { connection in
                    try connection.begin(.write)
                    _ = try connection.run("SELECT 1/0", [])
                }
            }
            #expect(try await pool.withConnection { try $0.now() } > 0)
        }
    }

    @Test func `waiting ends with a time-out, with cancelling, and with closing`() async throws {
        try await withPool(1, timeout: .milliseconds(30)) { pool in
            let gate = DispatchSemaphore(value: 0)
            let started = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                try await pool.withConnection { _ in
                    started.continuation.yield()
                    gate.wait()
                }
            }
            for await _ in started.stream { break }
            await #expect(throws: CentralError.self) { _ = try await self.process(pool) }
            gate.signal()
            try await holder.value
        }
        try await withPool(1) { pool in
            let gate = DispatchSemaphore(value: 0)
            let started = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                try await pool.withConnection { _ in
                    started.continuation.yield()
                    gate.wait()
                }
            }
            for await _ in started.stream { break }
            let cancelled = Task { try await self.process(pool) }
            try await eventually("one waits") { pool.waiting == 1 }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
            #expect(pool.waiting == 0)
            // Cancelled before it ever waits.
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await self.process(pool)
            }
            await #expect(throws: CancellationError.self) { _ = try await early.value }
            let closed = Task { try await self.process(pool) }
            try await eventually("another one waits") { pool.waiting == 1 }
            pool.close()
            await #expect(throws: CentralError.self) { _ = try await closed.value }
            gate.signal()
            try await holder.value
        }
    }

    @Test func `a cancelled task ends its statement at the server`() async throws {
        try await withPool(1) { pool in
            let first = try await process(pool)
            let begun = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await pool.withConnection { connection in
                    try connection.begin(.write)
                    begun.continuation.yield()
                    let error = #expect(throws: CancellationError.self) {
                        _ = try connection.run("SELECT pg_sleep(86400)::text", [])
                    }
                    // Nothing tries again, as after a lock that others have.
                    connection.rollback()
                    #expect(throws: CancellationError.self) { try connection.begin(.write) }
                    if let error { throw error }
                }
            }
            for await _ in begun.stream { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await process(pool) != first)
        }
    }

    /// A trigger of the owner's may catch the interruption.
    @Test func `a cancelled task commits nothing that its statement made of that`() async throws {
        try await withPool(1) { pool in
            try await pool.withConnection { connection in
                try connection.begin(.write)
                _ = try connection.run("CREATE TABLE caught (id INT)", [])
                _ = try connection.run(
                    """
                    CREATE FUNCTION slow_value() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
                      PERFORM pg_sleep(86400);
                      RETURN 1;
                    EXCEPTION WHEN query_canceled THEN RETURN 2;
                    END $$
                    """, [])
                try connection.commit()
            }
            let begun = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await pool.withConnection { connection in
                    try connection.begin(.write)
                    begun.continuation.yield()
                    _ = try connection.run("INSERT INTO caught VALUES (slow_value())", [])
                    try connection.commit()
                }
            }
            for await _ in begun.stream { break }
            try await Task.sleep(for: .milliseconds(300))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let rows = try await pool.withConnection { connection in
                let rows = try connection.run("SELECT id FROM caught", [])
                try connection.begin(.write)
                _ = try connection.run("DROP TABLE caught", [])
                _ = try connection.run("DROP FUNCTION slow_value", [])
                try connection.commit()
                return rows
            }
            #expect(rows.isEmpty)
        }
    }

    @Test func `connections that are old or broken are replaced`() async throws {
        try await withPool(1) { pool in
            let first = try await process(pool)
            #expect(try await process(pool) == first)
            let session = try PostgresServer.session("postgres")
            try session.execute("SELECT pg_terminate_backend(\(first.plain), 60000)")
            #expect(try await process(pool) != first)
        }
        try await withPool(1, lifetime: .zero) { pool in
            let first = try await process(pool)
            #expect(try await process(pool) != first)
        }
    }
}
