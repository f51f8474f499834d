#if Server
    import Foundation
    package import MoorageConfiguration
    import MoorageWire

    /// What a load run measured, and what became of its rows.
    package struct BenchReport: Sendable {
        let plan: BenchPlan
        let server: URL
        let progress: BenchWork.Progress
        let counts: BenchTally.Counts
        let cleared: Cleared
        /// It was not stopped before its time.
        let isWhole: Bool

        /// What became of the rows that the run inserted.
        struct Cleared: Sendable {
            var keepsRows = false
            var kept = 0
            var deleted = 0
            /// Rows that are there still, or of which nobody knows.
            var left = 0
            /// Why the first device could not delete its rows.
            var error: HubError?

            /// `nil` when there is nothing to do about it.
            func failure(_ table: String) -> CommandFailure? {
                left == 0 ? nil : CommandFailure.rowsLeft(left, in: table, error?.code.rawValue)
            }
        }

        /// - Throws: ``CommandFailure`` unless all went well. A server that said `busy` did.
        package func check() throws(CommandFailure) {
            if let failure = cleared.failure(plan.table) { throw failure }
            guard isWhole else { throw CommandFailure.stoppedEarly }
            let failed = counts.failures.filter { $0.key != HubError.Code.busy.rawValue }
            guard failed.isEmpty else {
                throw CommandFailure.exchangesFailed(
                    failed.values.reduce(0, +), codes: failed.keys.sorted())
            }
            guard counts.exchanges > 0 else { throw CommandFailure.noExchangeAnswered }
        }

        /// A number of things for each second of the measured time.
        func perSecond(_ count: Int) -> Double {
            let seconds = progress.time / .seconds(1)
            return seconds > 0 ? Double(count) / seconds : 0
        }

        var copiedRowsPerSecond: Double {
            let seconds = progress.copyTime / .seconds(1)
            return seconds > 0 ? Double(progress.copiedRows) / seconds : 0
        }

        /// How many times a health answer an exchange takes, by their medians; `nil` without both.
        func ratio(_ latencies: LatencyHistogram) -> Double? {
            guard let median = latencies.percentile(50), let health = counts.health.percentile(50),
                health > 0
            else { return nil }
            return Double(median) / Double(health)
        }
    }
#endif
