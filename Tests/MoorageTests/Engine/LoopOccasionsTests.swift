import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `Why the loop's exchanges begin` {
    private struct Hand {
        var machine = RunMachine(options)
        var occasions = LoopOccasions()
        var random = SplitMix64(seed: 1)
        var now: DeviceTime = 1_000_000_000

        static var options: ReplicaOptions {
            var options = ReplicaOptions()
            options.live = false
            return options
        }

        /// - Returns: The occasion of the exchange that begins; `nil` while none does.
        mutating func callAsFunction(_ event: RunMachine.Event) -> ExchangeOccasion? {
            let isDebouncing = machine.isDebouncing
            let view = RunMachine.View(isInFront: true, stream: nil)
            let effect = machine.proceed(event, view, at: now, using: &random)
            occasions.proceeded(after: event, to: effect, isDebouncing: isDebouncing)
            switch effect {
            case .sync, .open: return occasions.next
            case .close, .wait, .end: return nil
            }
        }

        mutating func synced() -> ExchangeOccasion? {
            machine.exchanged(at: now)
            return self(.synced)
        }
    }

    private func running() -> Hand {
        var loop = Hand()
        #expect(loop(.begin) == .asked)
        #expect(loop.synced() == nil)
        loop.now += 10_000
        return loop
    }

    @Test func `is a commit, once commits pause`() {
        var loop = running()
        #expect(loop(.woken(.commit, hasWork: true)) == nil)
        loop.now += 60_000
        #expect(loop(.woken([], hasWork: false)) == .commit)
    }

    @Test func `is the interval that is over`() {
        var loop = running()
        loop.now += 30_000
        #expect(loop(.woken([], hasWork: false)) == .interval)
    }

    @Test func `is the app's request, also where a commit came before`() {
        var loop = running()
        #expect(loop(.woken(.commit, hasWork: true)) == nil)
        #expect(loop(.woken(.request, hasWork: false)) == .asked)
        #expect(loop.synced() == nil)
        // It has to wait for the pause between two exchanges.
        #expect(loop(.woken(.request, hasWork: false)) == nil)
        loop.now += 60_000
        #expect(loop(.woken([], hasWork: false)) == .asked)
        #expect(loop.synced() == nil)
        loop.now += 60_000
        #expect(loop(.woken([], hasWork: false)) == .interval)
    }

    @Test func `is the same after a failure`() {
        var loop = running()
        loop.now += 30_000
        #expect(loop(.woken(.request, hasWork: false)) == .asked)
        #expect(loop(.failed(ReplicaError(HubError.hubSilent))) == nil)
        loop.now += 600_000
        #expect(loop(.woken([], hasWork: false)) == .asked)
    }
}
