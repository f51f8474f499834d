import Dispatch
import MoorageSupport
import TestSupport
import Testing

@testable import MoorageHub

/// A connection to nowhere.
private final class IdleConnection: PooledConnection {
    private let open: Locked<Int>
    private var isOpen = false

    /// - Parameter open: How many are open.
    init(_ open: Locked<Int>) { self.open = open }

    func isUsable(within lifetime: Duration) -> Bool { isOpen }
    func openIfNeeded() {
        if !isOpen { open.withLock { $0 += 1 } }
        isOpen = true
    }
    func close() {
        if isOpen { open.withLock { $0 -= 1 } }
        isOpen = false
    }
    func rollback() {}
}

@Suite(.ownThreads) struct `A pool of connections` {
    private let clock = ManualClock()
    private let open = Locked(0)

    private func pool(connections: Int = 1, waiters: Int = 10) -> ConnectionPool<IdleConnection> {
        ConnectionPool(
            maximumConnections: connections, maximumWaiters: waiters, acquireTimeout: .seconds(30),
            maximumLifetime: .seconds(600), clock: clock
        ) { [open] in IdleConnection(open) }
    }

    /// Work that keeps its connection until the gate opens.
    private func hold(
        _ pool: ConnectionPool<IdleConnection>, until gate: DispatchSemaphore
    ) async -> Task<Void, any Error> {
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await pool.withConnection { _ in
                continuation.yield()
                gate.wait()
            }
        }
        for await _ in started { break }
        return task
    }

    private func refusal(_ work: () async throws -> Void) async throws -> PoolRefusal? {
        do {
            try await work()
            return nil
        } catch let error as CentralError {
            #expect(error.kind == .unavailable)
            #expect(error.message.contains("Try again") || error.poolRefusal?.code == .closed)
            return error.poolRefusal
        }
    }

    @Test func `ends the waiting by its clock, and lends again afterwards`() async throws {
        let (pool, gate) = (pool(), DispatchSemaphore(value: 0))
        let holder = await hold(pool, until: gate)
        let waiter = Task { try await refusal { try await pool.withConnection { _ in } } }
        try await eventually("one waits, by the clock") {
            pool.waiting == 1 && clock.sleeping == 1
        }
        clock.advance(by: .seconds(29))
        #expect(pool.waiting == 1)
        clock.advance(by: .seconds(1))
        #expect(try await waiter.value?.code == .timedOut)
        gate.signal()
        try await holder.value
        #expect(try await pool.withConnection { _ in 1 } == 1)
        pool.close()
    }

    @Test func `refuses work at once when as much waits as may`() async throws {
        let (pool, gate) = (pool(waiters: 2), DispatchSemaphore(value: 0))
        let holder = await hold(pool, until: gate)
        let waiters = (0..<2).map { _ in Task { try await pool.withConnection { _ in } } }
        try await eventually("two wait") { pool.waiting == 2 }
        let refusal = try await refusal { try await pool.withConnection { _ in } }
        #expect(refusal?.code == .tooManyWaiting)
        gate.signal()
        for waiter in waiters { try await waiter.value }
        try await holder.value
        pool.close()
    }

    @Test func `refuses with the reason once it is closed`() async throws {
        let (pool, gate) = (pool(), DispatchSemaphore(value: 0))
        let holder = await hold(pool, until: gate)
        let waiter = Task { try await refusal { try await pool.withConnection { _ in } } }
        try await eventually("one waits") { pool.waiting == 1 }
        pool.close()
        #expect(try await waiter.value?.code == .closed)
        #expect(try await refusal { try await pool.withConnection { _ in } }?.code == .closed)
        gate.signal()
        try await holder.value
        // The timer of the waiter ends with the pool.
        try await eventually("no timer is left") { clock.sleeping == 0 }
    }

    @Test func `keeps no more connections of callers' threads than it may`() throws {
        let pool = pool(connections: 2)
        try pool.perform { _ in
            try pool.perform { _ in
                try pool.perform { _ in #expect(open.withLock { $0 } == 3) }
            }
        }
        #expect(open.withLock { $0 } == 2)
        try pool.perform { _ in #expect(open.withLock { $0 } == 2) }
        pool.close()
        #expect(open.withLock { $0 } == 0)
        // Tools may still ask, and leave nothing open.
        try pool.perform { _ in #expect(open.withLock { $0 } == 1) }
        #expect(open.withLock { $0 } == 0)
    }
}
