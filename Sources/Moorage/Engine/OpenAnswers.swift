/// The answers that a replica has open: the one that it follows, and those that the hub is about to end.
final class OpenAnswers: Sendable {
    private struct State {
        var current: OpenExchange?
        var retired: [(exchange: OpenExchange, until: Int64)] = []
    }
    private let state = Locked(State())

    /// So long the hub has to end an answer in whose place another came, so that its connection can be used
    /// again; in milliseconds.
    private static let patience: Int64 = 2_000

    /// Puts an exchange in the place of the one that was followed.
    func follow(_ exchange: OpenExchange, at now: Int64) {
        retire(at: now)
        state.withLock { $0.current = exchange }
    }

    /// What it followed is to end.
    func retire(at now: Int64) {
        state.withLock { state in
            guard let old = state.current else { return }
            old.retire()
            state.current = nil
            state.retired.append((old, now + Self.patience))
        }
    }

    /// Breaks off what was not ended in time.
    ///
    /// - Returns: When to look again; `nil` when there is nothing left.
    func clear(at now: Int64) -> Int64? {
        let (late, next) = state.withLock { state in
            state.retired.removeAll { $0.exchange.result != nil }
            let late = state.retired.filter { $0.until <= now }
            state.retired.removeAll { $0.until <= now }
            return (late, state.retired.map(\.until).min())
        }
        for item in late { item.exchange.cancel() }
        return next
    }

    /// Breaks off all of them, and waits until nothing of them is left.
    func close() async {
        let all = state.withLock { state in
            defer { state = State() }
            return [state.current].compactMap { $0 } + state.retired.map(\.exchange)
        }
        for exchange in all {
            exchange.retire()
            exchange.cancel()
        }
        for exchange in all { await exchange.finish() }
    }
}
