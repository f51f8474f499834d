#if Server
    import MoorageCore

    /// What all devices of a run saw while it was measured.
    actor BenchTally {
        /// The counts, without anything that grows with the run.
        struct Counts: Sendable {
            var withChanges = LatencyHistogram()
            var withoutChanges = LatencyHistogram()
            var health = LatencyHistogram()
            var healthFailures = 0
            /// Exchanges that failed, by the error's code.
            var failures: [String: Int] = [:]
            /// Exchanges that were due, and had not begun when the time was up.
            var notBegun = 0
            /// Devices that began an exchange a whole interval late, or not at all.
            var devicesBehind = 0
            var inserts = 0
            var updates = 0
            var deletes = 0
            /// Changes by what became of them: `applied`, `merged`, `overruled`, `refused` with its code.
            var outcomes: [String: Int] = [:]
            var rowsReceived = 0
            var removalsReceived = 0
            var deliveries = DeliveryTracker()

            var exchanges: Int { withChanges.count + withoutChanges.count }
            var failed: Int { failures.values.reduce(0, +) }
            var changes: Int { inserts + updates + deletes }
        }

        private(set) var counts = Counts()

        func ended(_ latency: Duration, withChanges: Bool) {
            if withChanges {
                counts.withChanges.add(latency)
            } else {
                counts.withoutChanges.add(latency)
            }
        }

        func failed(_ code: String) { counts.failures[code, default: 0] += 1 }

        func fellBehind(notBegun: Int) {
            counts.devicesBehind += 1
            counts.notBegun += notBegun
        }

        func health(_ latency: Duration?) {
            if let latency { counts.health.add(latency) } else { counts.healthFailures += 1 }
        }

        func sent(_ keys: [RowKey]) { counts.deliveries.sent(keys) }

        func answered(_ result: BatchResult, at time: ContinuousClock.Instant) {
            counts.inserts += result.inserts
            counts.updates += result.updates
            counts.deletes += result.deletes
            counts.outcomes.merge(result.outcomes, uniquingKeysWith: +)
            counts.deliveries.answered(result.inserted, at: time)
            counts.deliveries.dropped(result.notInserted)
        }

        func received(_ keys: [RowKey], rows: Int, removals: Int, at time: ContinuousClock.Instant)
        {
            counts.rowsReceived += rows
            counts.removalsReceived += removals
            counts.deliveries.received(keys, at: time)
        }
    }

    /// What became of one batch.
    struct BatchResult: Sendable {
        var inserts = 0
        var updates = 0
        var deletes = 0
        var outcomes: [String: Int] = [:]
        var inserted: [RowKey] = []
        var notInserted: [RowKey] = []
        /// Why the first refused change was refused; it names columns and constraints, never values.
        var refusal: Refusal?
    }
#endif
