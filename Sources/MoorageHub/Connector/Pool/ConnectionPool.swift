import MoorageSupport

/// Lends connections, each on its own thread, first come first served.
///
/// ``PoolState`` decides who gets which; the pool carries that out with threads, continuations and
/// a clock.
public final class ConnectionPool<Connection: PooledConnection>: Sendable {
    private typealias Place = ConnectionThread<Connection>

    private struct State {
        var machine: PoolState
        /// By slot.
        var places: [Place] = []
        /// The continuations of requests that have no answer yet.
        var continuations: [PoolState.Request: CheckedContinuation<Lent, any Error>] = [:]
        var timer: Task<Void, Never>?
    }

    private struct Lent: Sendable {
        let slot: PoolState.Slot
        let place: Place
    }

    private let clock: PoolClock
    private let maximumConnections: Int
    private let maximumLifetime: Duration
    private let make: @Sendable () -> Connection
    private let state: Locked<State>
    /// Connections of ``perform(_:)`` that no thread uses; `nil` once the pool is closed.
    private let parked = Locked<[Parked]?>([])

    /// A connection that no thread uses, until one takes it off the list.
    private struct Parked: @unchecked Sendable { let connection: Connection }

    /// Opens nothing yet.
    ///
    /// - Parameters:
    ///   - maximumConnections: How many are open at most for tasks, each with a thread of its own.
    ///   - maximumWaiters: How many pieces of work wait at most for a free connection. One more
    ///     fails at once as `unavailable`, with ``PoolRefusal/Code/tooManyWaiting``.
    ///   - acquireTimeout: How long work waits for a free connection before it fails as
    ///     `unavailable`.
    ///   - maximumLifetime: A connection older than this is closed and opened again before its next
    ///     use.
    ///   - clock: Measures the waiting.
    ///   - make: Makes a connection that is not open yet.
    public init(
        maximumConnections: Int, maximumWaiters: Int = 1_000, acquireTimeout: Duration,
        maximumLifetime: Duration, clock: any Clock<Duration> = ContinuousClock(),
        make: @escaping @Sendable () -> Connection
    ) {
        self.clock = PoolClock(clock)
        self.maximumConnections = max(1, maximumConnections)
        self.maximumLifetime = maximumLifetime
        self.make = make
        state = Locked(
            State(
                machine: PoolState(
                    PoolState.Limits(
                        connections: maximumConnections, waiters: maximumWaiters,
                        patience: acquireTimeout))))
    }

    /// Runs work on a connection's own thread; see ``CentralDatabase/withConnection(_:)``.
    public func withConnection<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        let lent = try await acquire()
        defer { handle(.release(lent.slot)) }
        let (make, lifetime) = (make, maximumLifetime)
        let interruption = WorkInterruption()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isAccepted = lent.place.enqueue { place in
                        continuation.resume(
                            with: Swift.Result {
                                try Self.lend(&place, make, lifetime, interruption, work)
                            })
                    }
                    if !isAccepted { continuation.resume(throwing: CentralError(.closed)) }
                }
            } onCancel: {
                interruption.begin()
            }
        } catch let error as CentralError where error.kind == .unavailable {
            // Whether a connection that broke had committed is not known.
            throw error
        } catch {
            // The statement of a task that is cancelled was interrupted.
            try interruption.check()
            throw error
        }
    }

    /// The same on the calling thread, on connections of its own: as many at once as threads call
    /// it. No more than `maximumConnections` stay open for the next call.
    public func perform<Result>(_ work: (Connection) throws -> Result) throws -> Result {
        let connection = parked.withLock { $0?.popLast() }?.connection ?? make()
        defer {
            connection.rollback()
            park(connection)
        }
        if !connection.isUsable(within: maximumLifetime) { connection.close() }
        try connection.openIfNeeded()
        return try work(connection)
    }

    private func park(_ connection: Connection) {
        let one = Parked(connection: connection)
        let isKept = parked.withLock { list in
            guard let count = list?.count, count < maximumConnections else { return false }
            list?.append(one)
            return true
        }
        if !isKept { connection.close() }
    }

    /// How many wait; for tests.
    var waiting: Int { state.withLock { $0.machine.waitingCount } }

    /// Refuses work that still waits, and ends every thread and connection when its work is done.
    public func close() {
        let connections = parked.withLock { list in
            defer { list = nil }
            return list ?? []
        }
        for one in connections { one.connection.close() }
        handle(.close)
        let timer = state.withLock { state in
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    /// Runs the work, on the connection's own thread. A connection that is not usable any more is
    /// replaced first, and no transaction stays open.
    private static func lend<Result>(
        _ place: inout Connection?, _ make: () -> Connection, _ lifetime: Duration,
        _ interruption: WorkInterruption, _ work: (Connection) throws -> Result
    ) throws -> Result {
        try interruption.check()
        if let old = place, !old.isUsable(within: lifetime) {
            old.close()
            place = nil
        }
        let connection = place ?? make()
        place = connection
        try connection.openIfNeeded()
        defer { connection.rollback() }
        guard let interruptible = connection as? any InterruptibleConnection else {
            return try work(connection)
        }
        defer {
            // A late interruption must not meet the next work (P6).
            if interruption.isBegun {
                connection.rollback()
                connection.close()
            }
        }
        return try interruption.covering(interruptible) { try work(connection) }
    }
}

// MARK: - The state machine's owner

extension ConnectionPool {
    private func acquire() async throws -> Lent {
        try Task.checkCancellation()
        let request = state.withLock { $0.machine.announce() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuations[request] = continuation }
                handle(.request(request))
            }
        } onCancel: {
            handle(.cancel(request))
        }
    }

    /// The time is read under the lock, so that the machine sees it in order.
    private func handle(_ event: PoolState.Event) {
        let acts = state.withLock { state in
            state.machine.handle(event, at: clock.now()).compactMap { act(for: $0, &state) }
        }
        for act in acts { act() }
    }

    /// Returns what to do outside the lock, because continuations run code of others.
    private func act(for effect: PoolState.Effect, _ state: inout State) -> (() -> Void)? {
        switch effect {
        case .lend(let slot, let request):
            if slot == state.places.count { state.places.append(Place()) }
            let lent = Lent(slot: slot, place: state.places[slot])
            let continuation = state.continuations.removeValue(forKey: request)
            return { continuation?.resume(returning: lent) }
        case .refuse(let request, let refusal):
            let continuation = state.continuations.removeValue(forKey: request)
            return { continuation?.resume(throwing: CentralError(refusal)) }
        case .abandon(let request):
            let continuation = state.continuations.removeValue(forKey: request)
            return { continuation?.resume(throwing: CancellationError()) }
        case .startTimer(let duration):
            let sleep = clock.sleep
            state.timer = Task { [weak self] in
                // A cancelled sleep means that the pool is closed, and nobody waits.
                guard (try? await sleep(duration)) != nil else { return }
                self?.handle(.timerFired)
            }
            return nil
        case .stop(let slot):
            let place = state.places[slot]
            return { place.stop() }
        }
    }
}
