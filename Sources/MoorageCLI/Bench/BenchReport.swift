#if Server
    import Foundation
    import MoorageWire

    /// What a load run measured, and what became of its rows.
    struct BenchReport: Sendable {
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
            func told(of table: String) -> String? {
                if left == 0 { return nil }
                let reason = error.map { " (\($0.code.rawValue))" } ?? ""
                return """
                    \(left) rows that the run inserted into \(table) could not be deleted\(reason), \
                    or may not have come at all.
                    """
            }
        }

        /// - Throws: ``CommandFailure`` unless all went well. A server that said `busy` did.
        func check() throws(CommandFailure) {
            if let told = cleared.told(of: plan.table) {
                throw CommandFailure(told, next: "Delete them in the central database.")
            }
            guard isWhole else {
                throw CommandFailure("Stopped before its time.", exit: .temporary)
            }
            let failed = counts.failures.filter { $0.key != HubError.Code.busy.rawValue }
            guard failed.isEmpty else {
                throw CommandFailure(
                    """
                    \(failed.values.reduce(0, +)) exchanges failed: \
                    \(failed.keys.sorted().joined(separator: ", ")).
                    """)
            }
            guard counts.exchanges > 0 else { throw CommandFailure("No exchange was answered.") }
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
