import Dispatch
import Foundation

/// Lends connections, each on its own thread, first come first served.
///
/// - P1: A thread is idle, or lent to exactly one piece of work.
/// - P2: A waiter is resumed exactly once: with a thread, or with the reason why there is none.
/// - P3: Nothing is handed to a waiter whose task was cancelled, also when the cancelling came
///   before it waited.
public final class ConnectionPool<Connection: PooledConnection>: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<ConnectionThread<Connection>, any Error>
    }

    private enum Answer { case thread(ConnectionThread<Connection>), failure(any Error), wait }

    private struct State {
        var idle: [ConnectionThread<Connection>] = []
        var all: [ConnectionThread<Connection>] = []
        var waiters: [Waiter] = []
        /// Cancelled before they waited (P3).
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
        var isClosed = false
    }

    private let maximumConnections: Int
    private let acquireTimeout: Duration
    private let maximumLifetime: Duration
    private let make: @Sendable () -> Connection
    private let state = Locked(State())
    /// Connections of ``perform(_:)``, at rest.
    private let direct = Locked<[Parked]>([])

    /// A connection that no thread uses, until one takes it off the list.
    private struct Parked: @unchecked Sendable { let connection: Connection }

    /// Opens nothing yet.
    ///
    /// - Parameters:
    ///   - maximumConnections: How many are open at most for tasks, each with a thread of its own.
    ///   - acquireTimeout: How long work waits for a free connection before it fails as `unavailable`.
    ///   - maximumLifetime: A connection older than this is closed and opened anew before its next use.
    ///   - make: Makes a connection that is not open yet.
    public init(
        maximumConnections: Int, acquireTimeout: Duration, maximumLifetime: Duration,
        make: @escaping @Sendable () -> Connection
    ) {
        self.maximumConnections = max(1, maximumConnections)
        self.acquireTimeout = acquireTimeout
        self.maximumLifetime = maximumLifetime
        self.make = make
    }

    /// Runs work on a connection's own thread; see ``CentralDatabase/withConnection(_:)``.
    public func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
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

    /// The same on the calling thread, on connections of its own.
    public func perform<Result>(_ work: (Connection) throws -> Result) throws -> Result {
        let connection = direct.withLock { $0.popLast() }?.connection ?? make()
        defer {
            connection.rollback()
            direct.withLock { $0.append(Parked(connection: connection)) }
        }
        if !connection.isUsable(within: maximumLifetime) { connection.close() }
        try connection.openIfNeeded()
        return try work(connection)
    }

    /// How many wait; for tests.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Refuses work that still waits, and ends every thread and connection when its work is done.
    public func close() {
        direct.withLock { $0 = [] }
        let (waiters, threads) = state.withLock { state in
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
        _ place: inout Connection?, _ make: () -> Connection, _ lifetime: Duration,
        _ work: (Connection) throws -> Result
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

    private func acquire() async throws -> ConnectionThread<Connection> {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter($0, id: id) }
        } onCancel: {
            cancel(id)
        }
    }

    private func enter(
        _ continuation: CheckedContinuation<ConnectionThread<Connection>, any Error>, id: UInt64
    ) {
        let answer: Answer = state.withLock { state in
            if state.isClosed { return .failure(Self.closed) }
            if state.cancelled.contains(id) { return .failure(CancellationError()) }
            if let thread = state.idle.popLast() { return .thread(thread) }
            if state.all.count < maximumConnections {
                let thread = ConnectionThread<Connection>()
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
        let waiter: Waiter? = state.withLock { state in
            if let index = state.waiters.firstIndex(where: { $0.id == id }) {
                return state.waiters.remove(at: index)
            }
            state.cancelled.insert(id)
            return nil
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func expire(_ id: UInt64) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: Self.exhausted)
    }

    private func release(_ thread: ConnectionThread<Connection>) {
        let waiter: Waiter? = state.withLock { state in
            if state.isClosed { return nil }
            guard !state.waiters.isEmpty else {
                state.idle.append(thread)
                return nil
            }
            return state.waiters.removeFirst()
        }
        waiter?.continuation.resume(returning: thread)
    }

    private static var closed: CentralError {
        CentralError(
            .unavailable, "The connections to the central database were closed.")
    }
    private static var exhausted: CentralError {
        CentralError(
            .unavailable,
            "No connection to the central database became free in time; all are at work.")
    }
}
