import MoorageSupport

/// Lets one task sleep until a time, or until ``ring()`` wakes it.
final class Alarm: Sendable {
    private struct State {
        var isRung = false
        var sleeper: Task<Void, Never>?
    }
    private let state = Locked(State())

    /// Wakes the sleeper. If nobody sleeps, the next sleep ends at once.
    func ring() {
        state.withLock {
            $0.isRung = true
            $0.sleeper?.cancel()
        }
    }

    func sleep(until end: ContinuousClock.Instant) async {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            if state.isRung {
                state.isRung = false
                return nil
            }
            // Cancelling this task wakes the sleeper.
            let sleeper = Task<Void, Never> {
                try? await Task.sleep(until: end, clock: .continuous)
            }
            state.sleeper = sleeper
            return sleeper
        }
        guard let sleeper else { return }
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
        state.withLock {
            $0.sleeper = nil
            $0.isRung = false
        }
    }
}
