import MoorageSupport

/// Lets one task sleep until a time, or until it is rung out of bed.
final class Alarm: Sendable {
    private struct State {
        var isRung = false
        var sleeper: Task<Void, Never>?
    }
    private let state = Locked(State())

    /// Wakes the sleeper; who is awake does not fall asleep the next time.
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
            // That it was cancelled is what it is woken by.
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
