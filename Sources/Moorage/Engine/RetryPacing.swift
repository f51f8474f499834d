import MoorageCore
import MoorageSupport
import MoorageWire

/// When a replica tries again after a failure, and what lets it try sooner. No clock, no tasks.
///
/// - W1: A wake-up never brings the next try before the time that the hub asked for.
/// - W2: Two tries are at least ``ReplicaOptions/firstRetryDelay`` apart, whatever wakes the
///   replica.
/// - W3: Each failed try that a commit began doubles the wait for the next one, up to
///   ``ReplicaOptions/pullInterval``. So an app that writes all the time does not hammer a broken
///   hub.
/// - W7: While the hub wants a newer version of the app, nothing but time brings the next try.
struct RetryPacing: Sendable {
    private let options: ReplicaOptions
    private var backoff: Backoff
    private var failedAt: DeviceTime = 0
    /// How long the hub asked to be left alone, counted from the failure.
    private var leftAlone = Duration.zero
    private var delay = Duration.zero
    private var isWoken = false
    /// Tries in a row that a commit began and that failed.
    private var vainCommits = 0

    /// How long a replica waits whose app is too old, give or take 20 %. Only an update helps, but
    /// whoever runs the hub may lower the minimum.
    private static let updateInterval = Duration.seconds(3_600)

    /// `nil` while nothing failed.
    private(set) var nextTry: DeviceTime?
    /// Whether the hub wants a newer version of the app, by the last failure.
    private(set) var needsUpdate = false

    init(_ options: ReplicaOptions) {
        self.options = options
        backoff = Backoff(first: options.firstRetryDelay, maximum: options.maximumRetryDelay)
    }

    mutating func succeeded() { self = RetryPacing(options) }

    mutating func failed(
        _ error: ReplicaError, at now: DeviceTime, using random: inout some RandomNumberGenerator
    ) {
        if isWoken { vainCommits += 1 }
        // Another try alone changes nothing here, but somebody may fix the cause meanwhile.
        var least: Duration? = options.pullInterval
        leftAlone = .zero
        if case .retry(let after) = error.recovery {
            least = after
            leftAlone = after ?? .zero
        }
        needsUpdate = error.needsUpdate
        if needsUpdate {
            // With jitter: a hub that gets a new minimum meets all its replicas at once.
            least =
                max(options.pullInterval, Self.updateInterval)
                * Double.random(in: 0.8...1.2, using: &random)
        }
        let exact = backoff.failed(retryAfter: least, isCounted: !isWoken, using: &random)
        delay = .milliseconds(exact.milliseconds)
        isWoken = false
        failedAt = now
        nextTry = now + delay.milliseconds
    }

    /// How long to wait still. A clock that was set back does not make that longer.
    func left(at now: DeviceTime) -> Duration {
        guard let nextTry else { return .zero }
        return min(delay, .milliseconds(max(0, nextTry.milliseconds(since: now))))
    }

    /// Something makes another try worthwhile.
    mutating func woken(byCommit isCommit: Bool) {
        guard let next = nextTry, !needsUpdate else { return }
        var least = options.firstRetryDelay
        if isCommit {
            for _ in 0..<vainCommits where least < options.pullInterval { least = least * 2 }
            least = min(least, max(options.pullInterval, options.firstRetryDelay))
        }
        let earliest = failedAt + max(least, leftAlone).milliseconds
        guard earliest < next else { return }
        nextTry = earliest
        isWoken = isWoken || isCommit
    }
}
