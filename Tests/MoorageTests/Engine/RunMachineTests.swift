import MoorageCore
import MoorageSupport
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `The loop of a replica` {
    /// A machine with its surroundings and its time.
    private struct Hand {
        var machine: RunMachine
        var random: SeededGenerator
        var now: DeviceTime = 1_000_000_000
        var view = RunMachine.View(isInFront: true, stream: nil)

        init(_ options: ReplicaOptions = ReplicaOptions(), seed: UInt64 = 1) {
            machine = RunMachine(options)
            random = SeededGenerator(seed: seed)
        }

        mutating func callAsFunction(_ event: RunMachine.Event) -> RunMachine.Effect {
            machine.proceed(event, view, at: now, using: &random)
        }

        /// Reports a successful exchange, as the driver does.
        mutating func synced() -> RunMachine.Effect {
            machine.exchanged(at: now)
            return self(.synced)
        }

        mutating func opened(hasMore: Bool = false) -> RunMachine.Effect {
            machine.exchanged(at: now)
            view.stream = Self.stream
            return self(.opened(.open(hasMore: hasMore)))
        }

        static let stream = RunMachine.StreamState(
            heartbeat: .seconds(10), silence: 0, hasWorked: false, isOutOfStep: false)
    }

    @Test func `syncs, asks for a live stream, and waits as long as the hub may be silent`() {
        var loop = Hand()
        #expect(loop(.begin).name == "sync")
        #expect(loop.synced().name == "open")
        #expect(loop.opened().wait == .milliseconds(25_001))
    }

    @Test func `goes on by interval behind other apps`() {
        var loop = Hand()
        loop.view.isInFront = false
        #expect(loop(.begin).name == "sync")
        #expect(loop.synced().wait == .seconds(30))
        loop.now += 30_000
        #expect(loop(.woken([], hasWork: false)).name == "sync")
    }

    @Test func `a request is kept though something else wakes the loop after it`() {
        var loop = Hand()
        loop.view.isInFront = false
        _ = loop(.begin)
        _ = loop.synced()
        loop.now += 100
        #expect(loop(.woken(.request, hasWork: false)).wait == .milliseconds(900))
        loop.now += 100
        #expect(loop(.woken(.state, hasWork: false)).wait == .milliseconds(800))
    }

    @Test func `commits that follow each other go up together, and not too late`() {
        var loop = Hand()
        loop.view.isInFront = false
        _ = loop(.begin)
        _ = loop.synced()
        #expect(loop(.woken(.commit, hasWork: true)).wait == .milliseconds(200))
        for _ in 0..<9 {
            loop.now += 199
            #expect(loop(.woken(.commit, hasWork: true)).wait == .milliseconds(200))
        }
        loop.now += 210
        #expect(loop(.woken(.commit, hasWork: true)).name == "sync")
    }

    @Test func `a request over a live stream is asked again at once`() {
        var loop = Hand()
        _ = loop(.begin)
        _ = loop.synced()
        _ = loop.opened()
        loop.now += 5_000
        #expect(loop(.woken(.request, hasWork: false)).name == "open")
    }

    @Test func `the pause after a push begins where the push ended, also if the loop is late`() {
        var loop = Hand()
        _ = loop(.begin)
        _ = loop.synced()
        loop.machine.exchanged(at: loop.now)
        loop.view.stream = Hand.stream
        // The app saw the end of the push before the loop did.
        loop.now += 1_000
        _ = loop(.opened(.open(hasMore: false)))
        #expect(loop(.woken(.commit, hasWork: true)).name == "open")
    }

    @Test func `a stream that fell silent is closed, told and tried again later`() {
        var loop = Hand()
        _ = loop(.begin)
        _ = loop.synced()
        _ = loop.opened()
        loop.now += 26_000
        loop.view.stream?.silence = 26_000
        guard case .close(let error?) = loop(.woken([], hasWork: false)) else {
            Issue.record("it waits")
            return
        }
        #expect(error.code == .hub(.unreachable))
        loop.view.stream = nil
        #expect(loop(.closed).name == "wait")
        #expect(loop.machine.nextTry != nil)
    }

    @Test func `only the app can go on where the file is another user's`() {
        var loop = Hand()
        _ = loop(.begin)
        let error = ReplicaError(HubError(.differentUser, "Another's."))
        #expect(loop(.failed(error)).name == "end")
    }

    private static let tooOld = ReplicaError(HubError(.clientTooOld, "Update the app."))

    @Test func `W7: waits about an hour where its app is too old, whatever wakes it`() {
        var loop = Hand()
        _ = loop(.begin)
        let wait = loop(.failed(Self.tooOld)).wait ?? .zero
        #expect(wait >= .seconds(2_880) && wait <= .seconds(4_320))
        #expect(loop.machine.isRetrying && loop.machine.needsUpdate)
        for reason: WakeReasons in [.commit, .edit, .request, .state] {
            loop.now += 60_000
            #expect(!loop.machine.asks(for: reason))
            let left = loop(.woken(reason, hasWork: true)).wait ?? .zero
            #expect(left >= wait - .seconds(240) && left < wait)
        }
        loop.now += wait.milliseconds
        #expect(loop(.woken([], hasWork: false)).name == "sync")
        // A failure of another kind is tried again at the usual pace.
        let lost = ReplicaError(HubError(.unreachable, "No network."))
        let pause = loop(.failed(lost)).wait ?? .zero
        #expect(pause > .zero && pause < .seconds(5) && !loop.machine.needsUpdate)
    }

    @Test func `the app's own sync, and another start, end the wait of an app that was too old`() {
        var loop = Hand()
        _ = loop(.begin)
        _ = loop(.failed(Self.tooOld))
        loop.machine.exchanged(at: loop.now)
        #expect(!loop.machine.needsUpdate)
        #expect(loop(.woken(.synced, hasWork: false)).name == "open")
        var other = Hand()
        _ = other(.begin)
        _ = other(.failed(Self.tooOld))
        #expect(other(.begin).name == "sync")
    }

    @Test func `a live stream that the hub refuses to an app that is too old is not tried again`() {
        var loop = Hand()
        _ = loop(.begin)
        _ = loop.synced()
        #expect(loop(.failed(Self.tooOld)).name == "close")
        let wait = loop(.closed).wait ?? .zero
        #expect(wait >= .seconds(2_880) && loop.machine.needsUpdate)
    }

    /// Random events in any order cause no busy loop, and no failure is tried again at once.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `W2, W6: keeps its distances`(seed: UInt64) {
        var chaos = Chaos(seed: seed)
        for _ in 0..<400 { chaos.step() }
        #expect(chaos.waits > 50)
    }

    /// Random events for a loop.
    private struct Chaos {
        var loop: Hand
        var dice: SeededGenerator
        var event = RunMachine.Event.begin
        var syncs = 0
        var opens = 0
        var waits = 0
        var failedAt: DeviceTime?

        private static let error = ReplicaError(HubError(.unreachable, "It failed."))

        init(seed: UInt64) {
            var options = ReplicaOptions()
            options.live = seed % 4 != 0
            loop = Hand(options, seed: seed)
            dice = SeededGenerator(seed: seed)
        }

        private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &dice) }

        mutating func step() {
            switch loop(event) {
            case .sync:
                syncs += 1
                asks()
                if roll(4) == 0 {
                    loop.machine.exchangeFailed()
                    fail()
                } else {
                    succeed()
                    event = .synced
                }
            case .open:
                opens += 1
                asks()
                open()
            case .close(let error):
                if error != nil { failedAt = loop.now }
                loop.view.stream = nil
                event = .closed
            case .wait(let duration):
                #expect(duration > .zero)
                (syncs, opens, waits) = (0, 0, waits + 1)
                wake(within: Int(duration.milliseconds))
            case .end: Issue.record("nothing was the app's to mend")
            }
        }

        /// Checks a try. It must not come soon after a failure, whose first delay varies by a
        /// fifth. Without a wait between them, there are at most two syncs and two opens.
        private func asks() {
            if let failedAt { #expect(loop.now.milliseconds(since: failedAt) >= 800) }
            #expect(syncs <= 2 && opens <= 2)
        }

        private mutating func fail() {
            failedAt = loop.now
            event = .failed(Self.error)
        }

        private mutating func succeed() {
            loop.machine.exchanged(at: loop.now)
            failedAt = nil
        }

        private mutating func open() {
            switch roll(8) {
            case 0: event = .opened(.notYet)
            case 1: event = .opened(.unknown)
            case 2:
                succeed()
                event = .opened(.over(isComplete: roll(2) == 0))
            case 3: fail()
            default:
                succeed()
                loop.view.stream = Hand.stream
                event = .opened(.open(hasMore: false))
            }
        }

        private mutating func wake(within milliseconds: Int) {
            if roll(6) == 0 { loop.view.isInFront.toggle() }
            if roll(12) == 0 { loop.machine.keysWanted() }
            if var stream = loop.view.stream {
                stream.hasWorked = roll(2) == 0
                stream.isOutOfStep = roll(16) == 0
                stream.silence = Int64(roll(26_000))
                switch roll(16) {
                case 0: stream.result = .success(())
                case 1: stream.result = .failure(Self.error)
                default: break
                }
                loop.view.stream = stream
            }
            guard roll(2) == 0 else {
                loop.now = loop.now + Int64(milliseconds)
                event = .woken([], hasWork: false)
                return
            }
            loop.now = loop.now + Int64(roll(milliseconds + 1))
            let reasons: [WakeReasons] = [.commit, .edit, .request, .synced, .state]
            let reason = reasons[roll(reasons.count)]
            if reason == .synced { succeed() }
            event = .woken(reason, hasWork: reason == .edit || roll(2) == 0)
        }
    }
}

extension RunMachine.Effect {
    fileprivate var name: String {
        switch self {
        case .sync: "sync"
        case .open: "open"
        case .close: "close"
        case .wait: "wait"
        case .end: "end"
        }
    }

    fileprivate var wait: Duration? { if case .wait(let duration) = self { duration } else { nil } }
}
