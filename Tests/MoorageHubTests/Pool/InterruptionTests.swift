import Dispatch
import MoorageSupport
import TestSupport
import Testing

@testable import MoorageHub

/// A connection to a server whose statement runs until it is interrupted.
private final class EndlessConnection: InterruptibleConnection {
    /// What the test sees of the connections.
    struct Log: Sendable {
        var opened = 0
        var closed = 0
        var rolledBack = 0
        var interruptions = 0
    }

    var interruption: WorkInterruption?
    private let log: Locked<Log>
    private let server = Server()
    private var isOpen = false

    /// Ignores as many interruptions as a test says, as a server does between two statements.
    final class Server: Sendable {
        private let signal = DispatchSemaphore(value: 0)
        func interrupt() { signal.signal() }
        func run(ignoring count: Int) { for _ in 0...count { signal.wait() } }
    }

    init(_ log: Locked<Log>) { self.log = log }

    func isUsable(within lifetime: Duration) -> Bool { isOpen }
    func openIfNeeded() {
        if !isOpen { log.withLock { $0.opened += 1 } }
        isOpen = true
    }
    func close() {
        if isOpen { log.withLock { $0.closed += 1 } }
        isOpen = false
    }
    func rollback() { if isOpen { log.withLock { $0.rolledBack += 1 } } }

    func makeInterrupter() -> (@Sendable () -> Void)? {
        { [log, server] in
            log.withLock { $0.interruptions += 1 }
            server.interrupt()
        }
    }

    func statement(ignoring count: Int = 0) throws {
        server.run(ignoring: count)
        throw CentralError(.conflict, "The server ended the statement.")
    }
}

@Suite(.ownThreads) struct `Cancelled work of a pool` {
    private let log = Locked(EndlessConnection.Log())

    private func pool() -> ConnectionPool<EndlessConnection> {
        ConnectionPool(
            maximumConnections: 1, acquireTimeout: .seconds(3600), maximumLifetime: .seconds(3600)
        ) { [log] in EndlessConnection(log) }
    }

    /// Cancels a task once its work has begun.
    private func cancelled(
        _ pool: ConnectionPool<EndlessConnection>,
        _ work: @escaping @Sendable (EndlessConnection) throws -> Void
    ) async throws {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await pool.withConnection { connection in
                continuation.finish()
                try work(connection)
            }
        }
        for await _ in begun { break }
        task.cancel()
        try await task.value
    }

    @Test(arguments: [0, 2])
    func `is interrupted until it ends, and throws that it was cancelled`(
        ignored: Int
    ) async throws {
        let pool = pool()
        defer { pool.close() }
        await #expect(throws: CancellationError.self) {
            try await cancelled(pool) { try $0.statement(ignoring: ignored) }
        }
        let seen = log.withLock { $0 }
        #expect(seen.interruptions > ignored)
        #expect(seen.rolledBack == 1 && seen.closed == 1)
    }

    @Test func `leaves no connection that a late interruption could meet`() async throws {
        let pool = pool()
        defer { pool.close() }
        try? await cancelled(pool) { try $0.statement() }
        try await pool.withConnection { _ in }
        #expect(log.withLock { $0.opened } == 2)
    }

    @Test func `gives its result where it came to an end all the same`() async throws {
        let pool = pool()
        defer { pool.close() }
        try await cancelled(pool) { try? $0.statement() }
        #expect(log.withLock { $0.closed } == 1)
    }

    @Test func `does not begin after that`() async throws {
        let pool = pool()
        defer { pool.close() }
        try await pool.withConnection { connection in
            let interruption = WorkInterruption()
            let hasBegun = Locked(false)
            #expect(throws: CancellationError.self) {
                // Cancelled while the connection was opened.
                interruption.begin()
                try interruption.covering(connection) { hasBegun.withLock { $0 = true } }
            }
            #expect(!hasBegun.withLock { $0 })
        }
    }

    /// The server may have committed what it did not answer.
    @Test func `says that its connection broke`() async throws {
        let pool = pool()
        defer { pool.close() }
        let error = await #expect(throws: CentralError.self) {
            try await cancelled(pool) { connection in
                try? connection.statement()
                throw CentralError(.unavailable, "The connection broke.")
            }
        }
        #expect(error?.kind == .unavailable)
    }

    @Test func `that was not cancelled keeps its error and its connection`() async throws {
        let pool = pool()
        defer { pool.close() }
        await #expect(throws: CentralError.self) {
            try await pool.withConnection { _ in throw CentralError(.failed, "It failed.") }
        }
        try await pool.withConnection { _ in }
        let seen = log.withLock { $0 }
        #expect(seen.opened == 1 && seen.interruptions == 0)
    }
}
