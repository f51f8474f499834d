import MoorageSupport

/// Wakes waiting loops, by a reason or by time.
final class WakeUp: Sendable {
    private struct State {
        var reasons: WakeReasons = []
        var next = 0
        var waiters: [(number: Int, continuation: CheckedContinuation<WakeReasons, Never>)] = []
    }
    private let state = Locked(State())

    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Wakes every loop that waits. If none waits, the next wait gets the signal.
    func signal(_ reason: WakeReasons) {
        let waiters = state.withLock { state in
            if state.waiters.isEmpty { state.reasons.formUnion(reason) }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: reason) }
    }

    /// Waits for a signal, no longer than this.
    ///
    /// - Returns: The signals, also those from before the call; empty when the time is over.
    func wait(atMost duration: Duration, _ clock: any ReplicaClock) async throws -> WakeReasons {
        try await withThrowingTaskGroup(of: WakeReasons.self) { group in
            group.addTask {
                try await clock.sleep(for: duration)
                return []
            }
            group.addTask { await self.signalled() }
            var reasons = try await group.next() ?? []
            group.cancelAll()
            // A signal that came at the same moment counts.
            while let other = await group.nextResult() {
                if case .success(let more) = other { reasons.formUnion(more) }
            }
            try Task.checkCancellation()
            // A wait of no time may end before it finds the signals from before it.
            return reasons.isEmpty ? self.stored() : reasons
        }
    }

    /// Takes the signals that came while nobody waited.
    private func stored() -> WakeReasons {
        state.withLock { state in
            defer { state.reasons = [] }
            return state.reasons
        }
    }

    /// - Returns: Empty when the task is cancelled.
    private func signalled() async -> WakeReasons {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> WakeReasons? in
                    if Task.isCancelled { return [] }
                    if !state.reasons.isEmpty {
                        defer { state.reasons = [] }
                        return state.reasons
                    }
                    state.waiters.append((number, continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }
                    .map { state.waiters.remove(at: $0).continuation }
            }
            waiter?.resume(returning: [])
        }
    }
}

/// Lets one caller through at a time, in the order in which they came.
final class AsyncMutex: Sendable {
    private struct State {
        var isOccupied = false
        var next = 0
        var queue: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }
    private let state = Locked(State())

    func withLock<Result: Sendable>(
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
                    if !state.isOccupied {
                        state.isOccupied = true
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
                state.isOccupied = false
                return nil
            }
            return state.queue.removeFirst().continuation
        }
        next?.resume()
    }
}
