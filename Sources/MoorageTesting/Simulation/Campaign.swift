/// Many histories from consecutive seeds, on several threads; the answer is the same on any number
/// of them.
public struct Campaign: Sendable {
    public var firstSeed: UInt64
    public var count: Int
    public var size: Int
    /// `nil`: all kinds of worlds in turn, see ``History/Profile/inTurn(_:)``.
    public var profile: History.Profile?
    public var threads: Int

    public init(
        firstSeed: UInt64, count: Int, size: Int = 200, profile: History.Profile? = nil,
        threads: Int = 1
    ) {
        self.firstSeed = firstSeed
        self.count = count
        self.size = size
        self.profile = profile
        self.threads = threads
    }

    public struct Failure: Hashable, Sendable {
        public let seed: UInt64
        public let violation: Violation
    }

    public struct Report: Sendable {
        /// By seed.
        public var failures: [Failure] = []
        /// Of all histories, in the order of their seeds.
        public var digest = ""
        public var reached: [Reached: Int] = [:]
    }

    /// - Parameters:
    ///   - begins: Told the seed of a history before it begins, from the thread that it runs on.
    ///   - progress: Told how many histories are done, from any thread.
    public func run(
        begins: @escaping @Sendable (UInt64) -> Void = { _ in },
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> Report {
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
