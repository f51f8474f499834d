import Dispatch
import Foundation
import MoorageHub

/// Lends connections, each on its own thread, first come first served.
///
/// - P1: A thread is idle, or lent to exactly one piece of work.
/// - P2: A waiter is resumed exactly once: with a thread, or with the reason why there is none.
/// - P3: Nothing is handed to a waiter whose task was cancelled, also when the cancelling came
///   before it waited.
final class ConnectionPool: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<ConnectionThread, any Error>
    }

    private struct State {
        var idle: [ConnectionThread] = []
        var all: [ConnectionThread] = []
        var waiters: [Waiter] = []
        /// Cancelled before they waited (P3).
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
        var isClosed = false
    }

    private let maximumConnections: Int
    private let acquireTimeout: Duration
    private let maximumLifetime: Duration
    private let make: @Sendable () -> PostgresConnection
    private let state = Locked(State())

    init(
        maximumConnections: Int, acquireTimeout: Duration, maximumLifetime: Duration,
        make: @escaping @Sendable () -> PostgresConnection
    ) {
        self.maximumConnections = max(1, maximumConnections)
        self.acquireTimeout = acquireTimeout
        self.maximumLifetime = maximumLifetime
        self.make = make
    }

    func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        let thread = try await acquire()
        defer { release(thread) }
        let (make, lifetime) = (make, maximumLifetime)
        return try await withCheckedThrowingContinuation { continuation in
            let isAccepted = thread.enqueue { place in
                continuation.resume(
                    with: Swift.Result { try Self.lend(&place, make, lifetime, work) })
            }
            if !isAccepted { continuation.resume(throwing: Self.closed) }
        }
    }

    /// How many wait; for tests.
    var waiting: Int { state.with { $0.waiters.count } }

    func close() {
        let (waiters, threads) = state.with { state in
            state.isClosed = true
            defer {
                state.waiters = []
                state.all = []
                state.idle = []
            }
            return (state.waiters, state.all)
        }
        for waiter in waiters { waiter.continuation.resume(throwing: Self.closed) }
        for thread in threads { thread.stop() }
    }

    /// On the connection's own thread: a connection that works, the work, and a connection left as
    /// it was found.
    private static func lend<Result>(
        _ place: inout PostgresConnection?, _ make: () -> PostgresConnection, _ lifetime: Duration,
        _ work: (PostgresConnection) throws -> Result
    ) throws -> Result {
        if let old = place, !old.isUsable(within: lifetime) {
            old.close()
            place = nil
        }
        let connection = place ?? make()
        place = connection
        try connection.openIfNeeded()
        defer { connection.rollback() }
        return try work(connection)
    }

    private func acquire() async throws -> ConnectionThread {
        try Task.checkCancellation()
        let id = state.with { state in
            state.nextID += 1
            return state.nextID
        }
        defer { state.with { _ = $0.cancelled.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter($0, id: id) }
        } onCancel: {
            cancel(id)
        }
    }

    private func enter(_ continuation: CheckedContinuation<ConnectionThread, any Error>, id: UInt64)
    {
        enum Answer { case thread(ConnectionThread), failure(any Error), wait }
        let answer: Answer = state.with { state in
            if state.isClosed { return .failure(Self.closed) }
            if state.cancelled.contains(id) { return .failure(CancellationError()) }
            if let thread = state.idle.popLast() { return .thread(thread) }
            if state.all.count < maximumConnections {
                let thread = ConnectionThread()
                state.all.append(thread)
                return .thread(thread)
            }
            state.waiters.append(Waiter(id: id, continuation: continuation))
            return .wait
        }
        switch answer {
        case .thread(let thread): continuation.resume(returning: thread)
        case .failure(let error): continuation.resume(throwing: error)
        case .wait:
            let nanoseconds =
                acquireTimeout.components.seconds * 1_000_000_000
                + acquireTimeout.components.attoseconds / 1_000_000_000
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .nanoseconds(Int(clamping: nanoseconds))
            ) { [weak self] in
                self?.expire(id)
            }
        }
    }

    /// Removes the waiter, or remembers that it must not wait: one step under the lock (P3).
    private func cancel(_ id: UInt64) {
        let waiter: Waiter? = state.with { state in
            if let index = state.waiters.firstIndex(where: { $0.id == id }) {
                return state.waiters.remove(at: index)
            }
            state.cancelled.insert(id)
            return nil
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func expire(_ id: UInt64) {
        let waiter: Waiter? = state.with { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: Self.exhausted)
    }

    private func release(_ thread: ConnectionThread) {
        let waiter: Waiter? = state.with { state in
            if state.isClosed { return nil }
            guard !state.waiters.isEmpty else {
                state.idle.append(thread)
                return nil
            }
            return state.waiters.removeFirst()
        }
        waiter?.continuation.resume(returning: thread)
    }

    private static let closed = CentralError(
        .unavailable, "The connections to the central database were closed.")
    private static let exhausted = CentralError(
        .unavailable,
        "No connection to the central database became free in time; all are at work.")
}
