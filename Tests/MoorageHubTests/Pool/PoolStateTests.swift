import MoorageTesting
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `The state of a pool of connections` {
    typealias Request = PoolState.Request
    typealias Effect = PoolState.Effect

    private func state(connections: Int, waiters: Int = 10, patience: Duration = .seconds(30))
        -> PoolState
    {
        PoolState(
            PoolState.Limits(connections: connections, waiters: waiters, patience: patience))
    }

    /// A request that comes at once.
    private func ask(_ state: inout PoolState, at now: Duration = .zero) -> (Request, [Effect]) {
        let request = state.announce()
        return (request, state.handle(.request(request), at: now))
    }

    @Test func `opens as many connections as it may, and lends the last one used first`() {
        var state = state(connections: 2)
        let (first, lentFirst) = ask(&state)
        let (second, lentSecond) = ask(&state)
        #expect(lentFirst == [.lend(0, to: first)])
        #expect(lentSecond == [.lend(1, to: second)])
        #expect(state.handle(.release(0), at: .zero) == [])
        #expect(state.handle(.release(1), at: .zero) == [])
        let (third, lentThird) = ask(&state)
        #expect(lentThird == [.lend(1, to: third)])
    }

    @Test func `serves those who wait in their order, with one timer`() {
        var state = state(connections: 1, patience: .seconds(30))
        _ = ask(&state)
        let (first, timer) = ask(&state, at: .seconds(1))
        let (second, none) = ask(&state, at: .seconds(2))
        #expect(timer == [.startTimer(.seconds(30))])
        #expect(none == [])
        #expect(state.handle(.release(0), at: .seconds(3)) == [.lend(0, to: first)])
        #expect(state.handle(.release(0), at: .seconds(4)) == [.lend(0, to: second)])
        #expect(state.handle(.release(0), at: .seconds(5)) == [])
        #expect(state.waitingCount == 0)
    }

    @Test func `refuses at once who comes when as many wait as may, with code and advice`() throws {
        var state = state(connections: 1, waiters: 2)
        _ = ask(&state)
        _ = ask(&state)
        let (last, _) = ask(&state)
        let (refused, effects) = ask(&state)
        guard case .refuse(refused, let refusal)? = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(refusal.code == .tooManyWaiting)
        #expect(refusal.code.rawValue == "poolFull")
        #expect(refusal.message.contains("2"))
        #expect(refusal.advice.contains("maximumConnections"))
        // A place that becomes free can be waited for again.
        #expect(state.handle(.cancel(last), at: .zero) == [.abandon(last)])
        #expect(ask(&state).1 == [])
        #expect(state.waitingCount == 2)
    }

    @Test func `refuses everybody who must wait where nobody may`() {
        var state = state(connections: 1, waiters: 0)
        let (first, lent) = ask(&state)
        #expect(lent == [.lend(0, to: first)])
        let (second, refused) = ask(&state)
        #expect(refused == [.refuse(second, .tooManyWaiting(0))])
    }

    @Test func `refuses those whose time has run out, and no others`() {
        var state = state(connections: 1, patience: .seconds(10))
        _ = ask(&state)
        let (first, _) = ask(&state, at: .seconds(0))
        let (second, _) = ask(&state, at: .seconds(4))
        // Timers may come too early.
        #expect(state.handle(.timerFired, at: .seconds(9)) == [.startTimer(.seconds(1))])
        #expect(
            state.handle(.timerFired, at: .seconds(10))
                == [.refuse(first, .timedOut(.seconds(10))), .startTimer(.seconds(4))])
        #expect(
            state.handle(.timerFired, at: .seconds(20))
                == [.refuse(second, .timedOut(.seconds(10)))])
        #expect(state.handle(.release(0), at: .seconds(21)) == [])
    }

    @Test func `starts a timer again for who waits after all others were served`() {
        var state = state(connections: 1, patience: .seconds(10))
        _ = ask(&state)
        let (first, _) = ask(&state, at: .seconds(0))
        #expect(state.handle(.release(0), at: .seconds(1)) == [.lend(0, to: first)])
        // The timer of the one who was served still runs.
        #expect(ask(&state, at: .seconds(5)).1 == [])
        #expect(state.handle(.timerFired, at: .seconds(10)) == [.startTimer(.seconds(5))])
    }

    @Test func `lends nothing to a request that was cancelled, before it came or while it waited`()
    {
        var state = state(connections: 1)
        let early = state.announce()
        #expect(state.handle(.cancel(early), at: .zero) == [])
        #expect(state.handle(.request(early), at: .zero) == [.abandon(early)])
        let (first, lent) = ask(&state)
        #expect(lent == [.lend(0, to: first)])
        let (waiting, _) = ask(&state)
        #expect(state.handle(.cancel(waiting), at: .zero) == [.abandon(waiting)])
        #expect(state.handle(.release(0), at: .zero) == [])
    }

    @Test func `leaves a request alone that is cancelled after it was answered`() {
        var state = state(connections: 1)
        let (first, _) = ask(&state)
        #expect(state.handle(.cancel(first), at: .zero) == [])
        let (second, _) = ask(&state)
        #expect(state.handle(.release(0), at: .zero) == [.lend(0, to: second)])
    }

    @Test func `refuses all who wait once it is closed, and ends every connection`() {
        var state = state(connections: 2)
        _ = ask(&state)
        _ = ask(&state)
        let (waiting, _) = ask(&state)
        #expect(state.handle(.release(1), at: .zero).count == 1)
        let (last, _) = ask(&state)
        _ = waiting
        #expect(
            state.handle(.close, at: .zero) == [.refuse(last, .closed), .stop(0), .stop(1)])
        #expect(state.handle(.release(0), at: .zero) == [])
        #expect(state.handle(.close, at: .zero) == [])
        let (late, refused) = ask(&state)
        #expect(refused == [.refuse(late, .closed)])
    }

    /// Random events against a plain account of who waits and who has what.
    @Test(arguments: 0..<500)
    func `answers everybody once and lends nothing twice, whatever comes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let connections = Int.random(in: 1...3, using: &random)
        let waiters = Int.random(in: 0...4, using: &random)
        var history = PoolHistory(connections: connections, waiters: waiters)
        for _ in 0..<120 { history.step(&random) }
        history.end()
        #expect(history.faults == [])
    }
}

/// A pool's state under random events, with an account of its own.
private struct PoolHistory {
    private let connections: Int
    private let waiters: Int
    private let patience = Duration.seconds(10)
    private var state: PoolState
    private var now = Duration.zero
    private var announced: [PoolState.Request] = []
    private var cancelled: Set<PoolState.Request> = []
    private var waiting: [(request: PoolState.Request, since: Duration)] = []
    private var answered: Set<PoolState.Request> = []
    private var lent: [PoolState.Slot: PoolState.Request] = [:]
    private var timer: Duration?
    private(set) var faults: [String] = []

    init(connections: Int, waiters: Int) {
        self.connections = connections
        self.waiters = waiters
        state = PoolState(
            PoolState.Limits(connections: connections, waiters: waiters, patience: patience))
    }

    mutating func step(_ random: inout SeededGenerator) {
        now += .seconds(Int.random(in: 0...3, using: &random))
        if let due = timer, due <= now { fire() }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: announced.append(state.announce())
        case 3..<6:
            guard !announced.isEmpty else { return }
            request(announced.remove(at: Int.random(in: 0..<announced.count, using: &random)))
        case 6:
            let known = announced + waiting.map(\.request) + lent.values
            guard let request = known.randomElement(using: &random) else { return }
            cancel(request)
        default:
            guard let slot = lent.keys.sorted().randomElement(using: &random) else { return }
            lent[slot] = nil
            carryOut(state.handle(.release(slot), at: now))
        }
    }

    /// All work is done: whoever waits is served or refused.
    mutating func end() {
        for request in announced { self.request(request) }
        announced = []
        while let slot = lent.keys.min() {
            lent[slot] = nil
            carryOut(state.handle(.release(slot), at: now))
        }
        if !waiting.isEmpty { faults.append("\(waiting.count) wait beside idle connections") }
    }

    private mutating func request(_ request: PoolState.Request) {
        let isFree = lent.count < connections
        if !cancelled.contains(request) { waiting.append((request, now)) }
        let count = waiting.count
        let effects = state.handle(.request(request), at: now)
        carryOut(effects)
        if isFree, waiting.contains(where: { $0.request == request }) {
            faults.append("waits beside a connection that is free")
        }
        if !isFree, count > waiters + 1 { faults.append("more wait than may") }
    }

    private mutating func cancel(_ request: PoolState.Request) {
        if announced.contains(request) { cancelled.insert(request) }
        let waited = waiting.contains { $0.request == request }
        let effects = state.handle(.cancel(request), at: now)
        if waited != effects.contains(.abandon(request)) { faults.append("cancelling is lost") }
        carryOut(effects)
    }

    private mutating func fire() {
        timer = nil
        carryOut(state.handle(.timerFired, at: now))
        if waiting.contains(where: { $0.since + patience <= now }) {
            faults.append("waits for too long")
        }
    }

    private mutating func carryOut(_ effects: [PoolState.Effect]) {
        for effect in effects {
            switch effect {
            case .lend(let slot, let request):
                if lent[slot] != nil { faults.append("slot \(slot) is lent twice") }
                if slot >= connections { faults.append("slot \(slot) is one too many") }
                if waiting.first?.request != request { faults.append("out of turn") }
                lent[slot] = request
                answer(request)
            case .refuse(let request, let refusal):
                let since = waiting.first { $0.request == request }?.since ?? .zero
                switch refusal.code {
                case .tooManyWaiting:
                    if waiting.count <= waiters { faults.append("refused without need") }
                case .timedOut:
                    if since + patience > now { faults.append("refused too early") }
                case .closed: faults.append("closed by nobody")
                }
                answer(request)
            case .abandon(let request): answer(request)
            case .startTimer(let duration):
                if timer != nil { faults.append("two timers") }
                timer = now + duration
            case .stop: faults.append("stopped by nobody")
            }
        }
    }

    private mutating func answer(_ request: PoolState.Request) {
        if !answered.insert(request).inserted { faults.append("answered twice") }
        waiting.removeAll { $0.request == request }
    }
}
