/// How long to wait after failures. The delay doubles, with jitter, so that many devices do not
/// return at once.
struct Backoff: Sendable {
    let first: Duration
    let maximum: Duration
    private(set) var failures = 0

    init(first: Duration, maximum: Duration) {
        self.first = first
        self.maximum = maximum
    }

    mutating func succeeded() { failures = 0 }

    /// The next delay; never shorter than what the hub asked for.
    ///
    /// - Parameter isCounted: Whether the delay after the next failure is a longer one.
    mutating func failed(
        retryAfter: Duration?, isCounted: Bool = true,
        using random: inout some RandomNumberGenerator
    ) -> Duration {
        if isCounted || failures == 0 { failures += 1 }
        var delay = first
        for _ in 1..<max(failures, 2) where failures > 1 && delay < maximum { delay = delay * 2 }
        delay = min(delay, maximum) * Double.random(in: 0.8...1.2, using: &random)
        return max(delay, retryAfter ?? .zero)
    }
}
