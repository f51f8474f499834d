/// Which piece of work gets which connection, and which waits: a state machine without threads,
/// clock or continuations.
///
/// ``handle(_:at:)`` receives an event with the time, and returns what its owner has to do.
///
/// - P1: A slot is idle, or lent to exactly one piece of work.
/// - P2: Each request is answered exactly once: with a slot, or with the reason why it gets no
///   slot.
/// - P3: A request that was cancelled gets no slot, even when it was cancelled before it was made.
/// - P4: Requests wait only while no slot is idle and no more may be opened. The first to come is
///   the first to be served.
/// - P5: No more requests wait than the limit allows, and at most one timer runs.
struct PoolState {
    /// A connection's place, with a thread of its own; counted from 0.
    typealias Slot = Int

    /// A piece of work that needs a connection.
    struct Request: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    struct Limits: Hashable, Sendable {
        var connections: Int
        var waiters: Int
        /// How long a request waits.
        var patience: Duration
    }

    enum Event: Hashable, Sendable {
        case request(Request)
        case cancel(Request)
        /// The work is done.
        case release(Slot)
        case timerFired
        case close
    }

    enum Effect: Hashable, Sendable {
        case lend(Slot, to: Request)
        case refuse(Request, PoolRefusal)
        /// The task of the request was cancelled.
        case abandon(Request)
        /// ``Event/timerFired`` is due after this time.
        case startTimer(Duration)
        /// The connection ends when its work is done.
        case stop(Slot)
    }

    private struct Waiter {
        let request: Request
        let deadline: Duration
    }

    private let limits: Limits
    private var lastNumber: UInt64 = 0
    /// Requests that were announced, and not made yet; `true` for those that were cancelled
    /// meanwhile (P3).
    private var announced: [Request: Bool] = [:]
    private var waiters: [Waiter] = []
    private var idle: [Slot] = []
    private var lent: Set<Slot> = []
    private var isTimerRunning = false
    private var isClosed = false

    init(_ limits: Limits) {
        self.limits = Limits(
            connections: max(1, limits.connections), waiters: max(0, limits.waiters),
            patience: max(.zero, limits.patience))
    }

    /// How many requests wait.
    var waitingCount: Int { waiters.count }

    /// A new request, which may be cancelled from now on. Its ``Event/request(_:)`` follows.
    mutating func announce() -> Request {
        lastNumber += 1
        let request = Request(number: lastNumber)
        announced[request] = false
        return request
    }

    /// - Parameter now: The time since some fixed point. It never goes back.
    mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        var effects =
            switch event {
            case .request(let request): admit(request, now)
            case .cancel(let request): cancel(request)
            case .release(let slot): release(slot)
            case .timerFired: expire(now)
            case .close: close()
            }
        if !isTimerRunning, let first = waiters.first {
            isTimerRunning = true
            effects.append(.startTimer(max(.zero, first.deadline - now)))
        }
        assert(lent.isDisjoint(with: idle), "P1")
        assert(
            waiters.isEmpty || idle.isEmpty && lent.count == limits.connections && !isClosed, "P4")
        assert(waiters.count <= limits.waiters, "P5")
        return effects
    }

    private mutating func admit(_ request: Request, _ now: Duration) -> [Effect] {
        guard let isCancelled = announced.removeValue(forKey: request) else { return [] }
        if isCancelled { return [.abandon(request)] }
        if isClosed { return [.refuse(request, .closed)] }
        let opened = lent.count + idle.count
        if let slot = idle.popLast() ?? (opened < limits.connections ? opened : nil) {
            lent.insert(slot)
            return [.lend(slot, to: request)]
        }
        guard waiters.count < limits.waiters else {
            return [.refuse(request, .tooManyWaiting(limits.waiters))]
        }
        waiters.append(Waiter(request: request, deadline: now + limits.patience))
        return []
    }

    private mutating func cancel(_ request: Request) -> [Effect] {
        if announced[request] != nil {
            announced[request] = true
            return []
        }
        guard let index = waiters.firstIndex(where: { $0.request == request }) else { return [] }
        waiters.remove(at: index)
        return [.abandon(request)]
    }

    private mutating func release(_ slot: Slot) -> [Effect] {
        guard lent.contains(slot) else { return [] }
        guard !waiters.isEmpty else {
            lent.remove(slot)
            idle.append(slot)
            return []
        }
        return [.lend(slot, to: waiters.removeFirst().request)]
    }

    /// All requests wait for the same time, so the first waiter is the first whose time runs out.
    private mutating func expire(_ now: Duration) -> [Effect] {
        isTimerRunning = false
        let count = waiters.prefix { $0.deadline <= now }.count
        defer { waiters.removeFirst(count) }
        return waiters.prefix(count).map { .refuse($0.request, .timedOut(limits.patience)) }
    }

    private mutating func close() -> [Effect] {
        isClosed = true
        defer {
            waiters = []
            idle = []
            lent = []
        }
        return waiters.map { .refuse($0.request, .closed) }
            + (idle + lent).sorted().map { .stop($0) }
    }
}
