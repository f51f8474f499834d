import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `When a replica asks for a live stream` {
    private static let start: DeviceTime = 1_000_000_000
    private static let hour: Int64 = 3_600_000

    @Test func `one that is not known is asked for again after an hour`() {
        var pacing = LivePacing(ReplicaOptions())
        #expect(pacing.mayAsk(at: Self.start))
        pacing.refused(at: Self.start)
        #expect(!pacing.mayAsk(at: Self.start))
        // Pulls by interval that work meanwhile are no reason to ask sooner.
        pacing.exchanged(at: Self.start + 1)
        #expect(!pacing.mayAsk(at: Self.start + Self.hour - 1))
        #expect(pacing.mayAsk(at: Self.start + Self.hour))
    }

    @Test func `a clock that was set back keeps it from nothing`() {
        var random = SeededGenerator(seed: 1)
        var pacing = LivePacing(ReplicaOptions())
        pacing.refused(at: Self.start)
        #expect(pacing.mayAsk(at: Self.start - 1))
        pacing.broke(at: Self.start, using: &random)
        #expect(pacing.mayAsk(at: Self.start - Self.hour))
    }

    @Test func `one that broke is asked for later each time, until one worked`() {
        var random = SeededGenerator(seed: 2)
        var options = ReplicaOptions()
        options.firstRetryDelay = .seconds(1)
        options.maximumRetryDelay = .seconds(16)
        var pacing = LivePacing(options)
        for seconds: Int64 in [1, 2, 4, 8, 16, 16] {
            pacing.broke(at: Self.start, using: &random)
            #expect(!pacing.mayAsk(at: Self.start + seconds * 800 - 1))
            #expect(pacing.mayAsk(at: Self.start + seconds * 1_200))
        }
        #expect(!pacing.mayAsk(at: Self.start))
        pacing.worked()
        #expect(pacing.mayAsk(at: Self.start))
        pacing.broke(at: Self.start, using: &random)
        #expect(pacing.mayAsk(at: Self.start + 1_200))
    }

    @Test func `who waits for it wakes no later than it may ask`() {
        var random = SeededGenerator(seed: 3)
        var pacing = LivePacing(ReplicaOptions())
        #expect(pacing.wait(atMost: .seconds(30), at: Self.start) == .seconds(30))
        pacing.broke(at: Self.start, using: &random)
        #expect(pacing.wait(atMost: .seconds(30), at: Self.start) <= .milliseconds(1_200))
        #expect(pacing.wait(atMost: .milliseconds(1), at: Self.start) == .milliseconds(1))
        #expect(pacing.wait(atMost: .seconds(30), at: Self.start + Self.hour) == .seconds(30))
    }
}
