/// What a replica does while its app is in front, in the background, or about to be suspended.
///
/// Events go in, orders come out. It uses no tasks, clock or system calls. ``ReplicaLifeCycle``
/// carries the orders out, and the tests drive it with seeds.
///
/// - U1: While the file is closed, nothing is ordered but ``Order/open`` and ``Order/end(_:_:)``.
/// - U2: Each background task ends exactly once, and at its limit at the latest.
/// - U3: The last background task ends after the file was closed, unless the app is in front.
/// - U4: The loop runs only in front, and while the file can be read.
package struct LifeCycleMachine: Sendable {
    private enum Loop: Sendable { case stopped, running, pausing }

    private struct Task: Sendable {
        enum State: Sendable {
            case working, cancelling
            case over(PushOutcome)
        }
        var state = State.working
        var isOver: Bool { if case .over = state { true } else { false } }
    }

    private var isInFront = false
    private var hasProtectedData = true
    private var network = NetworkPath.unrestricted
    private var loop = Loop.stopped
    private(set) var isOpen = true
    /// An app that was launched in the background for something else keeps its file open.
    private var mayClose = false
    /// The system takes the time away. What still works is not waited for.
    private var isOutOfTime = false
    private var tasks: [Int: Task] = [:]
    private var orders: [Order] = []

    package init() {}

    package var taskCount: Int { tasks.count }

    var isLoopWanted: Bool { if case .running = loop { true } else { false } }

    /// Takes an event, and decides what to do next.
    ///
    /// - Returns: What to do, in this order.
    package mutating func proceed(_ event: Event) -> [Order] {
        take(event)
        endTasks()
        adjustLoop()
        closeIfDone()
        defer { orders = [] }
        return orders
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .enteredForeground:
            isInFront = true
            // A loop that ended because only the app could go on starts again.
            if case .running = loop { orders.append(.run) }
        case .enteredBackground(let id):
            isInFront = false
            mayClose = true
            // Without a task, the system may suspend the app at any moment.
            isOutOfTime = id == nil && tasks.isEmpty
            if let id { begin(id, .push) }
        case .begin(let id, let purpose): begin(id, purpose)
        case .deadline(let id): cancel(id)
        case .limit(let id): expire(id)
        case .finished(let id, let outcome):
            // A limit may have ended it before.
            if tasks[id] != nil { tasks[id]?.state = .over(outcome) }
        case .paused:
            if case .pausing = loop { loop = .stopped }
        case .network(let path):
            let isOther = network != path
            network = path
            // A connection over the earlier path may be gone, and nobody would notice for long.
            if isOther, path != .none, case .running = loop { orders.append(.wake) }
        case .protectedData(let isAvailable):
            hasProtectedData = isAvailable
            if !isAvailable {
                mayClose = true
                for id in tasks.keys.sorted() { cancel(id) }
            }
        case .memoryIsLow:
            if isOpen { orders.append(.releaseMemory) }
        }
    }

    // MARK: Background tasks

    private mutating func begin(_ id: Int, _ purpose: Purpose) {
        isOutOfTime = false
        mayClose = true
        // A push notification came over some network, whatever was reported last.
        guard hasProtectedData, purpose == .pull || network != .none else {
            tasks[id] = Task(state: .over(.failed))
            return
        }
        tasks[id] = Task()
        open()
        // What the user changed goes up over any network. News can wait for a better one.
        let isCheap = network == .constrained && !isInFront
        orders.append(.exchange(id, isCheap ? .push : purpose))
    }

    private mutating func cancel(_ id: Int) {
        guard case .working = tasks[id]?.state else { return }
        tasks[id]?.state = .cancelling
        orders.append(.cancel(id))
    }

    /// The system ends it, whether its work has ended or not.
    private mutating func expire(_ id: Int) {
        guard tasks[id] != nil else { return }
        cancel(id)
        tasks[id]?.state = .over(.failed)
        if tasks.count > 1 || isReadable {
            end(id)
        } else {
            isOutOfTime = true
        }
    }

    private mutating func endTasks() {
        let over = tasks.filter(\.value.isOver).keys.sorted()
        // The last one keeps the process alive until the file is closed.
        guard isReadable || over.count < tasks.count else { return }
        for id in over { end(id) }
    }

    private mutating func end(_ id: Int) {
        guard case .over(let outcome) = tasks.removeValue(forKey: id)?.state else { return }
        orders.append(.end(id, outcome))
    }

    // MARK: The loop and the file

    /// Whether a person looks at the app, and the file can be read.
    private var isReadable: Bool { isInFront && hasProtectedData }

    private mutating func adjustLoop() {
        // The app itself writes in front, also while the loop has yet to end.
        if isReadable { open() }
        switch loop {
        case .stopped where isReadable:
            orders.append(.run)
            loop = .running
        case .running where !isReadable:
            orders.append(.pause)
            loop = .pausing
        case .stopped, .running, .pausing: break
        }
    }

    private mutating func open() {
        isOutOfTime = false
        if !isOpen { orders.append(.open) }
        isOpen = true
    }

    private mutating func closeIfDone() {
        guard mayClose, !isReadable, tasks.values.allSatisfy(\.isOver) else { return }
        guard loop == .stopped || isOutOfTime else { return }
        if isOpen { orders.append(.close) }
        isOpen = false
        for id in tasks.keys.sorted() { end(id) }
    }
}
