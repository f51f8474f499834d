import MoorageWire

/// When a replica asks for an answer that stays open, by its own clock.
struct LivePacing: Sendable {
    private let options: ReplicaOptions
    private var backoff: Backoff
    /// Since when the hub, or what is on the way to it, has not known such requests.
    private var unknownSince: Int64?
    /// Another server may have taken its place after so many milliseconds.
    private static let forgottenAfter: Int64 = 3_600_000
    private var notBefore: Int64?
    /// When an exchange last went well; `nil` after one that did not.
    private var exchangedAt: Int64?

    init(_ options: ReplicaOptions) {
        self.options = options
        backoff = Backoff(first: options.firstRetryDelay, maximum: options.maximumRetryDelay)
    }

    func mayAsk(at now: Int64) -> Bool {
        if let unknownSince, (0..<Self.forgottenAfter).contains(now - unknownSince) { return false }
        return left(at: now) == nil
    }

    /// How long it may not ask yet. A clock that was set back does not make that longer.
    private func left(at now: Int64) -> Int64? {
        guard let notBefore, notBefore > now else { return nil }
        let left = notBefore - now
        return left > 2 * options.maximumRetryDelay.milliseconds ? nil : left
    }

    /// Whether little can have come since the last exchange: much of it is better asked for by an exchange
    /// that ends, for its answer is compressed.
    func isFresh(at now: Int64) -> Bool {
        guard let exchangedAt else { return false }
        return (0...2 * options.pullInterval.milliseconds).contains(now - exchangedAt)
    }

    mutating func exchanged(at now: Int64) { exchangedAt = now }

    mutating func failed() { exchangedAt = nil }

    /// An open answer broke: pulls go on by interval until the next one is tried.
    mutating func broke(at now: Int64, using random: inout some RandomNumberGenerator) {
        notBefore = now + backoff.failed(retryAfter: nil, using: &random).milliseconds
    }

    /// Something came over an open answer.
    mutating func worked() {
        backoff.succeeded()
        notBefore = nil
    }

    /// The request was refused as a whole, before the hub said anything.
    mutating func refused(at now: Int64) { unknownSince = now }

    /// How long to wait for the next exchange.
    func wait(atMost duration: Duration, at now: Int64) -> Duration {
        guard let left = left(at: now) else { return duration }
        return min(duration, .milliseconds(left))
    }
}
