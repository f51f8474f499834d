/// What a replica does and holds at a moment.
public struct ReplicaStatus: Sendable {
    public enum Phase: Hashable, Sendable {
        /// Nobody runs it.
        case stopped
        /// Up to date as far as it knows.
        case idle
        case pushing, pulling
        /// It failed, and tries again by itself at ``ReplicaStatus/nextTry``.
        case waiting
    }

    public var phase: Phase = .stopped
    /// Changes come as they are made; otherwise by interval.
    public var isLive = false
    /// Rows of the walk under way that are here, and how many there are in all, about.
    public var rowsDone: Int?
    public var rowsExpected: Int?
    /// Milliseconds since 1970; `nil` when it never was.
    public var lastCaughtUp: Int64?
    /// Nothing is missing that the hub had at ``lastCaughtUp``, and nothing waits to be pushed.
    public var isCaughtUp = false
    public var pendingCount = 0
    public var refusedCount = 0
    /// Changes that lost a conflict, and that the app has not dismissed.
    public var overruledCount = 0
    public var withheldCount = 0
    /// Rows whose unique value another local row still holds.
    public var waitingCount = 0
    /// Tables that stand still, with the reason.
    public var stoppedTables: [StoppedReplicaTable] = []
    public var lastError: ReplicaError?
    /// Milliseconds since 1970.
    public var nextTry: Int64?

    /// Whether the replica ever held a whole copy.
    public var hasEverCaughtUp: Bool { lastCaughtUp != nil }
}

/// Hands the latest status to any number of listeners.
final class StatusBoard: Sendable {
    private struct State {
        var status = ReplicaStatus()
        var listeners: [Int: AsyncStream<ReplicaStatus>.Continuation] = [:]
        var next = 0
    }
    private let state = Locked(State())

    var current: ReplicaStatus { state.withLock { $0.status } }

    func update(_ change: (inout ReplicaStatus) -> Void) {
        state.withLock { state in
            change(&state.status)
            for listener in state.listeners.values { listener.yield(state.status) }
        }
    }

    /// The current status first, then each new one; a slow listener misses what is outdated.
    func updates() -> AsyncStream<ReplicaStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
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
    }
}
