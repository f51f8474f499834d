import MoorageCore
import MoorageSupport
import MoorageWire

/// When a replica asks for a live stream, by its own clock.
struct LivePacing: Sendable {
    private let options: ReplicaOptions
    private var backoff: Backoff
    /// Since when the hub, or a proxy on the way, has refused such requests as unknown.
    private var unknownSince: DeviceTime?
    /// In milliseconds: after this time another server may be in its place.
    private static let forgottenAfter: Int64 = 3_600_000
    private var notBefore: DeviceTime?
    /// When the last exchange succeeded; `nil` after one that failed.
    private(set) var exchangedAt: DeviceTime?

    init(_ options: ReplicaOptions) {
        self.options = options
        backoff = Backoff(first: options.firstRetryDelay, maximum: options.maximumRetryDelay)
    }

    func mayAsk(at now: DeviceTime) -> Bool {
        if let unknownSince,
            (0..<Self.forgottenAfter).contains(now.milliseconds(since: unknownSince))
        {
            return false
        }
        return left(at: now) == nil
    }

    /// How long the replica must not ask yet. A clock that was set back does not make that longer.
    private func left(at now: DeviceTime) -> Int64? {
        guard let notBefore, notBefore > now else { return nil }
        let left = notBefore.milliseconds(since: now)
        return left > 2 * options.maximumRetryDelay.milliseconds ? nil : left
    }

    /// Whether little can have changed since the last exchange. Many changes are better read by an
    /// exchange that ends, because its answer is compressed.
    func isFresh(at now: DeviceTime) -> Bool {
        guard let exchangedAt else { return false }
        return (0...2 * options.pullInterval.milliseconds).contains(
            now.milliseconds(since: exchangedAt))
    }

    mutating func exchanged(at now: DeviceTime) { exchangedAt = now }

    mutating func failed() { exchangedAt = nil }

    /// A live stream broke: pulls go on by interval until the next one is tried.
    mutating func broke(at now: DeviceTime, using random: inout some RandomNumberGenerator) {
        notBefore = now + backoff.failed(retryAfter: nil, using: &random).milliseconds
    }

    /// Something came over a live stream.
    mutating func worked() {
        backoff.succeeded()
        notBefore = nil
    }

    /// What broke may work again: the next live stream may be tried now.
    mutating func woken() { notBefore = nil }

    /// How much of a pause since the last exchange is left.
    func gap(of duration: Duration, at now: DeviceTime) -> Duration {
        guard let exchangedAt, exchangedAt <= now else { return .zero }
        return max(.zero, duration - .milliseconds(now.milliseconds(since: exchangedAt)))
    }

    /// The request was refused as a whole, before the hub's welcome.
    mutating func refused(at now: DeviceTime) { unknownSince = now }

    /// How long to wait for the next exchange.
    func wait(atMost duration: Duration, at now: DeviceTime) -> Duration {
        guard let left = left(at: now) else { return duration }
        return min(duration, .milliseconds(left))
    }
}
