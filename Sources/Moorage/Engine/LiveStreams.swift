import MoorageCore
import MoorageSupport
import MoorageWire

/// The live streams of a replica: the current one, and those that the hub is about to end.
final class LiveStreams: Sendable {
    private struct State {
        var current: LiveExchange?
        var retired: [(exchange: LiveExchange, until: DeviceTime)] = []
    }
    private let state = Locked(State())

    /// How long the hub has to end a stream that another replaced, so that its connection can be
    /// used again; in milliseconds.
    private static let patience: Int64 = 2_000

    /// Replaces the current exchange with another.
    func follow(_ exchange: LiveExchange, at now: DeviceTime) {
        retire(at: now)
        state.withLock { $0.current = exchange }
    }

    /// The state of the current live stream; `nil` while none is open. Cancels retired streams that
    /// did not end in time.
    func view(at now: DeviceTime) -> RunMachine.StreamState? {
        let clearsAt = clear(at: now)
        guard let current = state.withLock({ $0.current }), let heartbeat = current.heartbeat
        else { return nil }
        return RunMachine.StreamState(
            heartbeat: heartbeat, silence: current.silence(at: now), hasWorked: current.hasWorked,
            isOutOfStep: current.isOutOfStep,
            result: current.result?.mapError {
                $0 as? ReplicaError ?? ReplicaError(HubError.answerBrokeOff)
            },
            wait: current.wait, clearsAt: clearsAt)
    }

    /// Retires the current stream: the hub is about to end it.
    func retire(at now: DeviceTime) {
        state.withLock { state in
            guard let old = state.current else { return }
            old.retire()
            state.current = nil
            state.retired.append((old, now + Self.patience))
        }
    }

    /// Cancels retired streams that did not end in time.
    ///
    /// - Returns: When to check again; `nil` when no retired stream is left.
    func clear(at now: DeviceTime) -> DeviceTime? {
        let (late, next) = state.withLock { state in
            state.retired.removeAll { $0.exchange.result != nil }
            let late = state.retired.filter { $0.until <= now }
            state.retired.removeAll { $0.until <= now }
            return (late, state.retired.map(\.until).min())
        }
        for item in late { item.exchange.cancel() }
        return next
    }

    /// Cancels all streams, and waits until their tasks have ended.
    ///
    /// - Parameter failure: Why the current one is given up; `nil` if nothing failed.
    func close(because failure: ReplicaError? = nil) async {
        let (current, retired) = state.withLock { state in
            defer { state = State() }
            return (state.current, state.retired.map(\.exchange))
        }
        current?.retire(because: failure)
        let all = [current].compactMap { $0 } + retired
        for exchange in all { exchange.cancel() }
        for exchange in all { await exchange.finish() }
    }
}
