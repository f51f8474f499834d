import Foundation
import MoorageCore
import MoorageSupport

@testable import Moorage

/// A clock that stands until the test moves it.
final class ManualClock: ReplicaClock, @unchecked Sendable {
    private struct Sleeper {
        let number: Int
        let until: Int64
        let continuation: CheckedContinuation<Void, any Error>
    }
    private let lock = NSLock()
    private var time: Int64 = 1_000_000
    private var sleepers: [Sleeper] = []
    private var watchers: [(Int, CheckedContinuation<Void, Never>)] = []
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
                tell()
            }
        } onCancel: {
            let sleeper = lock.withLock {
                sleepers.firstIndex { $0.number == mine }.map { sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func tell() {
        let ready = lock.withLock {
            let ready = watchers.filter { sleepers.count >= $0.0 }
            watchers.removeAll { sleepers.count >= $0.0 }
            return ready
        }
        for watcher in ready { watcher.1.resume() }
    }

    var sleeperCount: Int { lock.withLock { sleepers.count } }

    /// Waits until so many sleep.
    func sleeping(_ count: Int) async {
        await withCheckedContinuation { continuation in
            lock.withLock { watchers.append((count, continuation)) }
            tell()
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
