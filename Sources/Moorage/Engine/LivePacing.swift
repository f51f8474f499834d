import MoorageWire

/// When a replica asks for an answer that stays open, by its own clock.
struct LivePacing: Sendable {
    private let options: ReplicaOptions
    private var backoff: Backoff
    /// The hub, or what is on the way to it, does not know such requests.
    private var isUnknown = false
    private var notBefore: Int64?
    /// When an exchange last went well; `nil` after one that did not.
    private var exchangedAt: Int64?

    init(_ options: ReplicaOptions) {
        self.options = options
        backoff = Backoff(first: options.firstRetryDelay, maximum: options.maximumRetryDelay)
    }

    func mayAsk(at now: Int64) -> Bool { !isUnknown && notBefore.map { $0 <= now } ?? true }

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
    mutating func refused() { isUnknown = true }

    /// How long to wait for the next exchange.
    func wait(atMost duration: Duration, at now: Int64) -> Duration {
        guard !isUnknown, let notBefore, notBefore > now else { return duration }
        return min(duration, .milliseconds(notBefore - now))
    }
}
