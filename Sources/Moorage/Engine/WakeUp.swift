import GRDB

/// Wakes a loop that waits: by a local commit, by a request, or by time.
final class WakeUp: Sendable {
    private struct State {
        var isSignalled = false
        var waiter: CheckedContinuation<Bool, Never>?
    }
    private let state = Locked(State())

    func signal() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isSignalled = state.waiter == nil
            return state.waiter
        }
        waiter?.resume(returning: true)
    }

    /// Waits for a signal, no longer than this.
    ///
    /// - Returns: Whether a signal came. One that came before the call counts.
    func wait(atMost duration: Duration, _ clock: any ReplicaClock) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await clock.sleep(for: duration)
                return false
            }
            group.addTask { await self.signalled() }
            var isSignalled = try await group.next() ?? false
            group.cancelAll()
            // A signal that came at the same moment counts.
            while let other = await group.nextResult() {
                if case .success(true) = other { isSignalled = true }
            }
            try Task.checkCancellation()
            return isSignalled
        }
    }

    /// - Returns: Whether it was a signal, and not the end of the task.
    private func signalled() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if state.isSignalled {
                        state.isSignalled = false
                        return true
                    }
                    state.waiter = continuation
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: false)
        }
    }
}

/// Sees the commits of this process that wrote a log.
///
/// `@unchecked Sendable`: GRDB calls it on the database's writer queue alone.
final class LogObserver: TransactionObserver, @unchecked Sendable {
    private let wakeUp: WakeUp
    // Touched on the database's own queue only.
    private var hasChanged = false

    init(_ wakeUp: WakeUp) { self.wakeUp = wakeUp }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if case .insert(let table) = eventKind { table.hasPrefix("_moorage_log_") } else { false }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        hasChanged = true
        stopObservingDatabaseChangesUntilNextTransaction()
    }

    func databaseDidCommit(_ db: Database) {
        if hasChanged { wakeUp.signal() }
        hasChanged = false
    }

    func databaseDidRollback(_ db: Database) { hasChanged = false }
}

/// Lets one through at a time, in the order of their coming.
final class Turnstile: Sendable {
    private struct State {
        var isTaken = false
        var next = 0
        var queue: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }
    private let state = Locked(State())

    func pass<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try await enter()
        do {
            let result = try await body()
            leave()
            return result
        } catch {
            leave()
            throw error
        }
    }

    private func enter() async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let now: Swift.Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled {
                        return .failure(CancellationError())
                    }
                    if !state.isTaken {
                        state.isTaken = true
                        return .success(())
                    }
                    state.queue.append((number, continuation))
                    return nil
                }
                if let now { continuation.resume(with: now) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                if let index = state.queue.firstIndex(where: { $0.number == number }) {
                    return state.queue.remove(at: index).continuation
                        as CheckedContinuation<Void, any Error>?
                }
                return nil
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if state.queue.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.queue.removeFirst().continuation
        }
        next?.resume()
    }
}
