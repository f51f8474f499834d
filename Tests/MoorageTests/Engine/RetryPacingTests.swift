import MoorageCore
import MoorageSupport
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `When a replica tries again` {
    private static let start: DeviceTime = 1_000_000_000
    private var random = SeededGenerator(seed: 1)
    private var pacing = RetryPacing(ReplicaOptions())

    private static func error(
        _ code: HubError.Code = .unreachable, after seconds: Int? = nil
    ) -> ReplicaError {
        ReplicaError(
            HubError(code, "It failed.", retryAfter: seconds.map { .seconds($0) }))
    }

    private mutating func fail(
        _ error: ReplicaError = Self.error(), times: Int = 1, at now: DeviceTime = Self.start
    ) {
        for _ in 0..<times { pacing.failed(error, at: now, using: &random) }
    }

    @Test mutating func `a wake-up shortens a long wait to a second since the failure`() {
        fail(times: 12)
        #expect(pacing.left(at: Self.start) > .seconds(200))
        pacing.woken(byCommit: false)
        #expect(pacing.left(at: Self.start) == .seconds(1))
        #expect(pacing.left(at: Self.start + 1_000) == .zero)
    }

    @Test mutating func `no wake-up makes a wait longer`() {
        fail()
        let left = pacing.left(at: Self.start + 500)
        pacing.woken(byCommit: true)
        pacing.woken(byCommit: false)
        #expect(pacing.left(at: Self.start + 500) <= left)
    }

    @Test mutating func `W1: what the hub asked for is kept`() {
        fail(Self.error(.busy, after: 20), times: 12)
        pacing.woken(byCommit: false)
        #expect(pacing.left(at: Self.start) == .seconds(20))
        pacing.woken(byCommit: true)
        #expect(pacing.left(at: Self.start) == .seconds(20))
    }

    @Test mutating func `what the app itself has to change may have been changed`() {
        fail(Self.error(.unauthorized))
        #expect(pacing.left(at: Self.start) >= .seconds(30))
        pacing.woken(byCommit: false)
        #expect(pacing.left(at: Self.start) == .seconds(1))
    }

    @Test mutating func `W3: commits against a broken hub begin a try less and less often`() {
        fail(times: 12)
        var now = Self.start
        var waits: [Duration] = []
        for _ in 0..<8 {
            pacing.woken(byCommit: true)
            let left = pacing.left(at: now)
            waits.append(left)
            now += left.milliseconds
            fail(at: now)
        }
        #expect(waits.map(\.milliseconds) == [1, 2, 4, 8, 16, 30, 30, 30].map { $0 * 1_000 })
        // When the network returns, the wait is short again.
        pacing.woken(byCommit: false)
        #expect(pacing.left(at: now) == .seconds(1))
        pacing.succeeded()
        #expect(pacing.nextTry == nil)
        fail(times: 12, at: now)
        pacing.woken(byCommit: true)
        #expect(pacing.left(at: now) == .seconds(1))
    }

    @Test mutating func `tries that commits began do not make the wait longer`() {
        fail(times: 5)
        for _ in 0..<3 {
            pacing.woken(byCommit: true)
            fail()
        }
        // The fifth wait of a series that doubles from one second, with its jitter.
        #expect(pacing.left(at: Self.start) <= .milliseconds(19_200))
    }

    @Test mutating func `a clock that was set back does not make the wait longer`() {
        fail(times: 12)
        let left = pacing.left(at: Self.start)
        #expect(pacing.left(at: Self.start - 86_400_000) == left)
    }
}
