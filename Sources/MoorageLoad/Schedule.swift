#if Server
    /// When one device's exchanges are due, whatever becomes of those before: an open loop.
    struct Schedule: Hashable, Sendable {
        let interval: Duration
        /// After it none begins; `nil` where the exchanges are counted, which all take place.
        let length: Duration?
        private var due: Duration
        /// How many may still come, whatever the time.
        private var left: Int

        private init(rate: Double, length: Duration?, exchanges: Int, delay: Double) {
            interval = .seconds(1 / rate)
            self.length = length
            left = exchanges
            due = interval * delay
        }

        /// - Parameter delay: When the first is due, in intervals, below 1.
        init(rate: Double, seconds: Double, delay: Double) {
            self.init(rate: rate, length: .seconds(seconds), exchanges: .max, delay: delay)
        }

        /// - Parameter delay: When the first is due, in intervals, below 1.
        init(rate: Double, exchanges: Int, delay: Double) {
            self.init(rate: rate, length: nil, exchanges: exchanges, delay: delay)
        }

        init(of plan: BenchPlan, delay: Double) {
            if let exchanges = plan.exchanges {
                self.init(rate: plan.rate, exchanges: exchanges, delay: delay)
            } else {
                self.init(rate: plan.rate, seconds: plan.seconds, delay: delay)
            }
        }

        /// When the next is due, since the beginning; `nil` after the last.
        mutating func next() -> Duration? {
            guard remaining > 0 else { return nil }
            defer {
                due += interval
                left -= 1
            }
            return due
        }

        /// How many are still to come.
        var remaining: Int {
            guard let length else { return left }
            return due < length ? Int(((length - due) / interval).rounded(.up)) : 0
        }
    }
#endif
