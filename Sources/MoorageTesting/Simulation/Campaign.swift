import Foundation

/// Many histories from consecutive seeds, on several threads; the answer is the same on any number
/// of them.
public struct Campaign: Sendable {
    public var firstSeed: UInt64
    public var count: Int
    public var size: Int
    public var profile: History.Profile
    public var threads: Int

    public init(
        firstSeed: UInt64, count: Int, size: Int = 200, profile: History.Profile = .random,
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
        let results = Results(count: count)
        let workers = (0..<max(1, threads)).map { _ in
            Worker {
                while let index = results.next() {
                    let seed = firstSeed + UInt64(index)
                    begins(seed)
                    let history = History(seed: seed, size: size, profile: profile)
                    progress(results.put(Simulation.run(history), at: index))
                }
            }
        }
        for worker in workers { worker.join() }
        return report(results.all)
    }

    private func report(_ results: [SimulationResult?]) -> Report {
        var report = Report()
        var digest = Digest()
        for (index, result) in results.enumerated() {
            guard let result else { continue }
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

/// Results by place, whoever makes them.
///
/// `@unchecked`: everything is touched inside the lock alone.
private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [SimulationResult?]
    private var given = 0
    private var done = 0

    init(count: Int) { results = Array(repeating: nil, count: count) }

    func next() -> Int? {
        lock.withLock {
            guard given < results.count else { return nil }
            given += 1
            return given - 1
        }
    }

    func put(_ result: SimulationResult, at index: Int) -> Int {
        lock.withLock {
            results[index] = result
            done += 1
            return done
        }
    }

    var all: [SimulationResult?] { lock.withLock { results } }
}

/// A thread of its own that can be waited for.
private final class Worker: Sendable {
    private let end = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread { [end] in
            work()
            end.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    func join() { end.wait() }
}
