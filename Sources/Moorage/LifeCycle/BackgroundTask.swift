import MoorageSupport

/// Time that the system gives an app in the background, and what became of it.
package final class BackgroundTask: Sendable {
    private struct State {
        var outcome: PushOutcome?
        var waiting: [CheckedContinuation<PushOutcome, Never>] = []
    }
    private let state = Locked(State())
    private let onExpire: @Sendable () -> Void

    init(onExpire: @escaping @Sendable () -> Void) { self.onExpire = onExpire }

    /// The system takes the time away. The file is closed when this returns.
    package func expire() { onExpire() }

    /// Waits for the end.
    package var outcome: PushOutcome {
        get async {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiting.append(continuation) }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    func end(_ outcome: PushOutcome) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }
}
