import CSimulatedDisk

/// Many histories from consecutive seeds, on several threads; the answer is the same on any number
/// of them.
package struct Campaign: Sendable {
    package var firstSeed: UInt64
    package var count: Int
    package var size: Int
    /// `nil`: all kinds of worlds in turn, see ``History/Profile/inTurn(_:)``.
    package var profile: History.Profile?
    package var threads: Int

    package init(
        firstSeed: UInt64, count: Int, size: Int = 200, profile: History.Profile? = nil,
        threads: Int = 1
    ) {
        self.firstSeed = firstSeed
        self.count = count
        self.size = size
        self.profile = profile
        self.threads = threads
    }

    package struct Failure: Hashable, Sendable {
        package let seed: UInt64
        package let violation: Violation
    }

    package struct Report: Sendable {
        /// By seed.
        package var failures: [Failure] = []
        /// Of all histories, in the order of their seeds.
        package var digest = ""
        package var reached: [Reached: Int] = [:]
    }

    /// - Parameters:
    ///   - begins: Told the seed of a history before it begins, from the thread that it runs on.
    ///   - progress: Told how many histories are done, from any thread.
    package func run(
        begins: @escaping @Sendable (UInt64) -> Void = { _ in },
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> Report {
        simulated_disk_count_no_memory()
        let results = Threads.map(count, threads: threads, progress: progress) { index in
            let seed = firstSeed + UInt64(index)
            begins(seed)
            return Simulation.run(
                History(seed: seed, size: size, profile: profile ?? .inTurn(seed)))
        }
        return report(results)
    }

    private func report(_ results: [SimulationResult]) -> Report {
        var report = Report()
        var digest = Digest()
        for (index, result) in results.enumerated() {
            digest.add(result.digest.utf8)
            report.reached.merge(result.reached, uniquingKeysWith: +)
            if let violation = result.violation {
                report.failures.append(
                    Failure(seed: firstSeed + UInt64(index), violation: violation))
            }
        }
        report.digest = digest.text
        return report
    }
}
