import Foundation
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `A loop that waits` {
    /// A clock whose waits end at once, and signal at that moment.
    private struct RingingClock: ReplicaClock {
        let wakeUp: WakeUp

        func now() -> Date { Date(timeIntervalSince1970: 0) }

        func sleep(for duration: Duration) async throws {
            wakeUp.signal(.state)
        }
    }

    /// A clock whose waits end at once.
    private struct PassingClock: ReplicaClock {
        func now() -> Date { Date(timeIntervalSince1970: 0) }
        func sleep(for duration: Duration) async throws {}
    }

    @Test func `hears of a signal that came before it waited, once`() async throws {
        let (wakeUp, clock) = (WakeUp(), ManualClock())
        wakeUp.signal(.commit)
        wakeUp.signal(.request)
        #expect(try await wakeUp.wait(atMost: .seconds(1), clock) == [.commit, .request])
        async let second = wakeUp.wait(atMost: .seconds(1), clock)
        try await clock.sleeping(1)
        clock.advance(.seconds(1))
        #expect(try await second == [])
    }

    @Test func `loses no signal that comes as its time is over`() async throws {
        for _ in 0..<2_000 {
            let wakeUp = WakeUp()
            let isHeard = try await wakeUp.wait(atMost: .seconds(1), RingingClock(wakeUp: wakeUp))
            if isHeard == .state { continue }
            // If this wait missed the signal, the next one must get it.
            guard try await wakeUp.wait(atMost: .seconds(1), PassingClock()) == .state else {
                Issue.record("the signal was lost")
                return
            }
        }
    }

    @Test func `hears of a signal before it, although its time is over at once`() async throws {
        for _ in 0..<2_000 {
            let wakeUp = WakeUp()
            wakeUp.signal(.commit)
            #expect(try await wakeUp.wait(atMost: .seconds(1), PassingClock()) == .commit)
        }
    }

    @Test func `wakes all that wait, and leaves none behind`() async throws {
        let (wakeUp, clock) = (WakeUp(), ManualClock())
        async let first = wakeUp.wait(atMost: .seconds(1), clock)
        async let second = wakeUp.wait(atMost: .seconds(1), clock)
        let third = Task { try await wakeUp.wait(atMost: .seconds(1), clock) }
        try await clock.sleeping(3)
        try await eventually("three wait") { wakeUp.waiterCount == 3 }
        third.cancel()
        await #expect(throws: CancellationError.self) { try await third.value }
        wakeUp.signal(.commit)
        #expect(try await first == .commit)
        #expect(try await second == .commit)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `leaves nothing behind when it is cancelled`() async throws {
        let (wakeUp, clock) = (WakeUp(), ManualClock())
        let task = Task { try await wakeUp.wait(atMost: .seconds(1), clock) }
        try await clock.sleeping(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }
}
