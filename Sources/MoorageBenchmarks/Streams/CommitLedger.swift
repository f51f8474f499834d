import Foundation
import Synchronization

/// When each commit was begun, and how long it was on its way to each stream.
final class CommitLedger: Sendable {
    /// Longer ones count as this many milliseconds.
    private static let longest = 120_000

    private struct Times: Sendable {
        var begun: [ContinuousClock.Instant] = []
        /// How many arrivals took so many milliseconds.
        var milliseconds = [Int](repeating: 0, count: CommitLedger.longest + 1)
        var arrivals = 0
    }
    private let times = Mutex(Times())

    /// - Returns: The commit's number, from 0 on.
    func begin() -> Int {
        times.withLock {
            $0.begun.append(.now)
            return $0.begun.count - 1
        }
    }

    var commits: Int { times.withLock { $0.begun.count } }
    var arrivals: Int { times.withLock { $0.arrivals } }

    func arrived(_ numbers: [Int]) {
        let now = ContinuousClock.now
        times.withLock { times in
            for number in numbers where times.begun.indices.contains(number) {
                let time = times.begun[number].duration(to: now) / .milliseconds(1)
                times.milliseconds[min(Self.longest, max(0, Int(time.rounded(.up))))] += 1
                times.arrivals += 1
            }
        }
    }

    /// The nearest rank of all arrivals, in whole milliseconds, rounded up.
    func percentile(_ percent: Int) -> Int {
        times.withLock { times in
            let rank = (times.arrivals * percent + 99) / 100
            var sum = 0
            for (time, count) in times.milliseconds.enumerated() {
                sum += count
                if sum >= rank { return time }
            }
            return Self.longest
        }
    }
}
