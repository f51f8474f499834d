#if Server
    /// When one device's exchanges are due, whatever becomes of those before: an open loop.
    struct Schedule: Hashable, Sendable {
        let interval: Duration
        let length: Duration
        private var due: Duration

        /// - Parameter delay: When the first is due, below the interval.
        init(rate: Double, seconds: Double, delay: Double) {
            interval = .seconds(1 / rate)
            length = .seconds(seconds)
            due = interval * delay
        }

        /// When the next is due, since the beginning; `nil` after the last.
        mutating func next() -> Duration? {
            guard due < length else { return nil }
            defer { due += interval }
            return due
        }

        /// How many are still to come.
        var remaining: Int {
            due < length ? Int(((length - due) / interval).rounded(.up)) : 0
        }
    }
#endif
