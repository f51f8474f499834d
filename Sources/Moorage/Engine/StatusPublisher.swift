import MoorageSupport

/// Hands the latest status to any number of listeners.
final class StatusPublisher: Sendable {
    private struct State {
        var status = ReplicaStatus()
        /// How often the app committed changes that are to be sent.
        var commits = 0
        /// The number of the latest counts that the status has.
        var counted = 0
        var nextCount = 0
        var listeners: [Int: AsyncStream<ReplicaStatus>.Continuation] = [:]
        var next = 0

        /// Changes the status. Listeners get it only if it is different.
        mutating func set(_ change: (inout ReplicaStatus) -> Void) {
            let before = status
            change(&status)
            if status == before { return }
            for listener in listeners.values { listener.yield(status) }
        }
    }
    private let state = Locked(State())

    var current: ReplicaStatus { state.withLock { $0.status } }

    func update(_ change: (inout ReplicaStatus) -> Void) {
        state.withLock { $0.set(change) }
    }

    // MARK: Local commits

    /// The app committed a change that is to be sent.
    func committed() {
        state.withLock { state in
            state.commits += 1
            state.set { $0.isCaughtUp = false }
        }
    }

    var commits: Int { state.withLock { $0.commits } }

    /// Nothing of the hub's is missing, and nothing waited when this many commits had been made.
    func caughtUp(at commits: Int) {
        state.withLock { state in
            let isLatest = state.commits == commits
            state.set {
                $0.isCaughtUp = isLatest && $0.pendingCount == 0
                $0.hasPulled = true
            }
        }
    }

    // MARK: Counts

    /// Called before the file is read, so that older counts do not replace newer ones.
    func beginCounting() -> Int {
        state.withLock { state in
            state.nextCount += 1
            return state.nextCount
        }
    }

    func counted(_ number: Int, _ change: (inout ReplicaStatus) -> Void) {
        state.withLock { state in
            guard number > state.counted else { return }
            state.counted = number
            state.set {
                change(&$0)
                if $0.pendingCount > 0 { $0.isCaughtUp = false }
            }
        }
    }

    /// The current status first, then each new one; a slow listener misses what is outdated.
    func updates() -> AsyncStream<ReplicaStatus> {
        let latest = AsyncStream<ReplicaStatus>(bufferingPolicy: .bufferingNewest(1)) {
            continuation in
            let number = state.withLock { state in
                state.next += 1
                state.listeners[state.next] = continuation
                continuation.yield(state.status)
                return state.next
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.listeners[number] = nil }
            }
        }
        // The status may have changed and changed back while a listener was slow.
        let passed = Locked(PassedStatus())
        return AsyncStream(unfolding: {
            for await status in latest where passed.withLock({ $0.isNew(status) }) {
                return status
            }
            return nil
        })
    }
}

/// The status that a listener got last.
struct PassedStatus {
    private var last: ReplicaStatus?

    /// Whether a status differs from the last one, which it then is.
    mutating func isNew(_ status: ReplicaStatus) -> Bool {
        defer { last = status }
        return last != status
    }
}
