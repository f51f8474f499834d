import MoorageTesting

@testable import Moorage

/// A machine in a system that suspends, expires and locks as it likes, and what breaks a rule.
struct LifeCycleHistory {
    private enum Work { case working, cancelled }
    private enum Loop { case stopped, running, pausing }

    private var machine = LifeCycleMachine()
    private var random: SeededGenerator
    private(set) var violations: [String] = []
    /// What happened at least once.
    private(set) var met: Set<String> = []

    // What the system knows.
    private var isInFront = false
    private var hasProtectedData = true
    private var network = NetworkPath.unrestricted
    private var nextID = 0
    /// How many moments each task has left.
    private var timeLeft: [Int: Int] = [:]
    /// What the app's driver does.
    private var works: [Int: Work] = [:]
    private var loop = Loop.stopped
    private var isClosed = false
    /// The system took the time away, so nobody waits for the loop.
    private var isOutOfTime = false

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func run(steps: Int) {
        for _ in 0..<steps where violations.isEmpty { step() }
        finish()
    }

    // MARK: The system

    private mutating func step() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: enterForeground()
        case 2, 3: enterBackground()
        case 4, 5: begin(.pull)
        case 6: setNetwork([.none, .constrained, .unrestricted].randomElement(using: &random)!)
        case 7: setProtectedData(!hasProtectedData)
        case 8: proceed(.memoryIsLow)
        case 9, 10, 11: endPause()
        case 12, 13, 14: endWork()
        case 15: takeTime()
        default: passTime()
        }
    }

    private mutating func enterForeground() {
        isInFront = true
        proceed(.enteredForeground)
    }

    private mutating func enterBackground() {
        isInFront = false
        if Int.random(in: 0..<5, using: &random) == 0 {
            isOutOfTime = timeLeft.isEmpty
            return proceed(.enteredBackground(task: nil))
        }
        proceed(.enteredBackground(task: newTask()))
    }

    private mutating func begin(_ purpose: LifeCycleMachine.Purpose) {
        proceed(.begin(newTask(), purpose))
    }

    private mutating func newTask() -> Int {
        nextID += 1
        timeLeft[nextID] = Int.random(in: 2...12, using: &random)
        isOutOfTime = false
        return nextID
    }

    private mutating func setNetwork(_ path: NetworkPath) {
        network = path
        proceed(.network(path))
    }

    private mutating func setProtectedData(_ isAvailable: Bool) {
        hasProtectedData = isAvailable
        proceed(.protectedData(isAvailable: isAvailable))
    }

    private mutating func passTime() {
        for (id, left) in timeLeft.sorted(by: { $0.key < $1.key }) {
            guard timeLeft[id] != nil else { continue }
            timeLeft[id] = left - 1
            if left == 2 { proceed(.deadline(id)) }
            if left == 1 { end(id) }
        }
    }

    /// The system takes the time of a task away before it is over.
    private mutating func takeTime() {
        if let id = timeLeft.keys.sorted().randomElement(using: &random) { end(id) }
    }

    private mutating func end(_ id: Int) {
        isOutOfTime = timeLeft.count == 1
        if isOutOfTime, !isInFront { met.insert("limit in background") }
        proceed(.limit(id))
        expect(timeLeft[id] == nil, "task \(id) is not over at its limit")
    }

    private mutating func endWork() {
        guard let id = works.keys.sorted().randomElement(using: &random) else { return }
        let outcome: PushOutcome =
            works[id] == .cancelled
            ? .failed : [.newData, .noData, .failed].randomElement(using: &random)!
        works[id] = nil
        proceed(.finished(id, outcome))
    }

    private mutating func endPause() {
        guard loop == .pausing else { return }
        loop = .stopped
        proceed(.paused)
    }

    /// Everything comes to its end.
    private mutating func finish() {
        guard violations.isEmpty else { return }
        isInFront = false
        proceed(.enteredBackground(task: newTask()))
        while !works.isEmpty { endWork() }
        endPause()
        while !timeLeft.isEmpty { passTime() }
        expect(isClosed, "the file is open at the end")
        expect(loop == .stopped, "the loop runs at the end")
        expect(machine.taskCount == 0, "tasks are left")
    }

    // MARK: The rules

    private mutating func expect(_ isTrue: Bool, _ what: String) {
        if !isTrue { violations.append(what) }
    }

    private mutating func proceed(_ event: LifeCycleMachine.Event) {
        for order in machine.proceed(event) { carryOut(order, after: event) }
        let isReadable = isInFront && hasProtectedData
        expect(!isReadable || loop != .stopped, "the loop does not run in front")
        expect(isReadable || loop != .running, "the loop runs in the background")
        expect(!isReadable || !isClosed, "the file is closed in front")
        if nextID > 0, !isReadable, timeLeft.isEmpty, loop == .stopped {
            expect(isClosed, "the file is open, and nobody needs it")
        }
    }

    private mutating func carryOut(
        _ order: LifeCycleMachine.Order, after event: LifeCycleMachine.Event
    ) {
        switch order {
        case .open:
            expect(isClosed, "open twice")
            isClosed = false
            isOutOfTime = false
            met.insert("open")
        case .end(let id, let outcome):
            expect(timeLeft.removeValue(forKey: id) != nil, "task \(id) ends twice")
            let isLast = timeLeft.isEmpty
            let isReadable = isInFront && hasProtectedData
            expect(
                isReadable || !isLast || isClosed, "the system goes on before the file is closed")
            met.insert("end \(outcome)")
        case .close, .run, .pause, .wake, .exchange, .cancel, .releaseMemory:
            expect(!isClosed, "\(order) while the file is closed")
            carryOutOpen(order, after: event)
        }
    }

    private mutating func carryOutOpen(
        _ order: LifeCycleMachine.Order, after event: LifeCycleMachine.Event
    ) {
        let isReadable = isInFront && hasProtectedData
        switch order {
        case .close:
            expect(!isReadable, "closed in front")
            expect(loop == .stopped || isOutOfTime, "closed while the loop writes")
            expect(works.values.allSatisfy { $0 == .cancelled }, "closed while a task works")
            if loop == .pausing { met.insert("close while pausing") }
            isClosed = true
        case .run:
            expect(isReadable && (loop == .stopped || event == .enteredForeground), "run")
            loop = .running
        case .pause:
            expect(loop == .running, "pause")
            loop = .pausing
        case .wake: expect(loop == .running && network != .none, "wake")
        case .exchange(let id, let purpose):
            expect(hasProtectedData, "an exchange without a file")
            expect(purpose == .pull || network != .none, "a push without a network")
            expect(
                purpose == .push || network != .constrained || isInFront,
                "a pull in the background, though the user saves data")
            expect(works[id] == nil && timeLeft[id] != nil, "an exchange for no task")
            works[id] = .working
        case .cancel(let id):
            expect(works[id] == .working, "cancel")
            works[id] = .cancelled
        case .open, .end, .releaseMemory: break
        }
        met.insert(Self.name(order))
    }

    private static func name(_ order: LifeCycleMachine.Order) -> String {
        if case .exchange(_, let purpose) = order { return "exchange \(purpose)" }
        return String("\(order)".prefix { $0 != "(" })
    }
}
