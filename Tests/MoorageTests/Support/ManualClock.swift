import Foundation
import MoorageCore
import MoorageSupport
import TestSupport

@testable import Moorage

/// A clock that only the test moves.
final class ManualClock: ReplicaClock, @unchecked Sendable {
    private struct Sleeper {
        let number: Int
        let until: Int64
        let continuation: CheckedContinuation<Void, any Error>
    }
    private let lock = NSLock()
    private var time: Int64 = 1_000_000
    private var sleepers: [Sleeper] = []
    private var number = 0

    func now() -> Date { DeviceTime(milliseconds: lock.withLock { time }).date }

    func sleep(for duration: Duration) async throws {
        let mine = lock.withLock {
            number += 1
            return number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let isCancelled = lock.withLock {
                    if Task.isCancelled { return true }
                    sleepers.append(
                        Sleeper(
                            number: mine, until: time + duration.milliseconds,
                            continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = lock.withLock {
                sleepers.firstIndex { $0.number == mine }.map { sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    var sleeperCount: Int { lock.withLock { sleepers.count } }

    /// Waits until so many tasks sleep.
    func sleeping(_ count: Int) async throws {
        try await eventually("\(count) sleep by the clock") { sleeperCount >= count }
    }

    /// Waits until a task sleeps for about so long.
    func sleeping(_ durations: ClosedRange<Duration>) async throws {
        try await eventually("someone sleeps for \(durations)") {
            lock.withLock {
                sleepers.contains { durations.contains(.milliseconds($0.until - time)) }
            }
        }
    }

    func advance(_ duration: Duration) {
        let woken = lock.withLock {
            time += duration.milliseconds
            let woken = sleepers.filter { $0.until <= time }
            sleepers.removeAll { $0.until <= time }
            return woken
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
