#if Server
    /// Asks the hub how it is, at most once at a time and once a second: the question needs no
    /// secret and must not become a load.
    actor HealthMonitor {
        private static let lifetime = Duration.seconds(1)

        private let check: @Sendable () async -> HealthReport
        private var last: (report: HealthReport, at: ContinuousClock.Instant)?
        private var running: Task<HealthReport, Never>?

        init(_ check: @escaping @Sendable () async -> HealthReport) { self.check = check }

        func report() async -> HealthReport {
            if let last, last.at.duration(to: .now) < Self.lifetime { return last.report }
            if let running { return await running.value }
            let check = check
            let task = Task { await check() }
            running = task
            let report = await task.value
            running = nil
            last = (report, .now)
            return report
        }
    }
#endif
