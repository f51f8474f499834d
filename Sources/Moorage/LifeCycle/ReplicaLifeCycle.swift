import Foundation
import GRDB
import MoorageSupport

/// Runs a replica as the system lets its app run.
///
/// In front it follows a live stream. In the background it works as long as the system allows, and
/// not at all while the process is suspended.
///
/// ```swift
/// let lifeCycle = ReplicaLifeCycle(replica)
/// lifeCycle.enteredForeground()
/// ```
///
/// Keep one for each replica, as long as the app runs, and use neither ``Replica/run()`` nor
/// ``Replica/start()`` beside it. `SystemEvents` of `MoorageUI` makes the calls on Apple's
/// platforms. Other platforms make them as their events come. Any thread may call.
///
/// In the background it sends what is pending, ends its exchanges, and lets go of the file. If the
/// database observes GRDB's suspension notifications
/// (`Configuration.observesSuspensionNotifications`), it is suspended until the app is in front
/// again or another background task begins. So the system never finds a lock of a suspended process
/// in an app group (`0xDEAD10CC`).
public final class ReplicaLifeCycle: Sendable {
    private struct State {
        var machine = LifeCycleMachine()
        var nextID = 0
        var running: [Int: Running] = [:]
    }

    /// What belongs to a background task until it ends.
    private struct Running {
        let task: BackgroundTask
        var work: Task<Void, Never>?
        var timer: Task<Void, Never>?
    }

    private enum LoopCommand { case run, pause }

    private let replica: Replica
    private let state = Locked(State())
    /// One order after the other, although any thread may bring an event.
    private let ordering = NSRecursiveLock()
    private let loop: AsyncStream<LoopCommand>.Continuation

    /// A life cycle that begins in the background, and runs nothing yet.
    ///
    /// - Parameter replica: The replica to run. Nothing else runs it.
    public init(_ replica: Replica) {
        self.replica = replica
        let (commands, loop) = AsyncStream.makeStream(of: LoopCommand.self)
        self.loop = loop
        // An earlier life cycle may have closed the file.
        replica.runLock?.admit()
        opened()
        Task { [weak self] in
            for await command in commands {
                switch command {
                // The app may have left again.
                case .run: if self?.isLoopWanted == true { await replica.start() }
                case .pause:
                    await replica.stop()
                    self?.report(.paused)
                }
            }
            await replica.stop()
        }
    }

    deinit {
        loop.finish()
        // Nobody suspends the others for one that is gone.
        if isSuspending, state.withLock({ $0.machine.isOpen }) {
            Self.openCount.withLock { $0 -= 1 }
        }
    }

    // MARK: What the app reports

    /// The app is in front of its user. The replica runs from now on.
    public func enteredForeground() { report(.enteredForeground) }

    /// The app is in the background, and the system gives no time: the file is closed when this
    /// returns. Without time, what is pending waits for the next background task.
    public func enteredBackground() { report(.enteredBackground(task: nil)) }

    /// The app is in the background. The replica sends what is pending, and lets go of the file.
    ///
    /// The system may suspend the app when this returns. Cancelling the task says that the system
    /// takes the time away: the call then returns at once, with the file closed.
    ///
    /// - Parameter limit: How long the system lets the app finish, at most. The call returns by
    ///   then.
    /// - Returns: Whether all that was pending is at the hub.
    @discardableResult
    public func enteredBackground(within limit: Duration) async -> PushOutcome {
        await perform(within: limit) { .enteredBackground(task: $0) }
    }

    /// A push notification says that the hub has news, or the system gives time for a refresh.
    ///
    /// It sends what is pending and gets what is new, in front and in the background. Cancelling the
    /// task ends it at once.
    ///
    /// - Parameter limit: How long the system gives, at most; 25 s by default. The call returns by
    ///   then.
    public func handlePush(within limit: Duration = .seconds(25)) async -> PushOutcome {
        await perform(within: limit) { .begin($0, .pull) }
    }

    /// The network changed.
    public func networkChanged(to path: NetworkPath) { report(.network(path)) }

    /// Whether the file can be read changed, because the device was locked or unlocked. Only apps
    /// with complete file protection report it.
    public func protectedDataChanged(isAvailable: Bool) {
        report(.protectedData(isAvailable: isAvailable))
    }

    /// The system is short of memory.
    public func memoryIsLow() { report(.memoryIsLow) }

    // MARK: Background tasks

    /// The last part of the time is for ending what is under way.
    private static func margin(of limit: Duration) -> Duration { min(limit / 5, .seconds(3)) }

    /// The same as ``enteredBackground(within:)``. The life cycle knows of it when this returns.
    package func beginBackground(within limit: Duration) -> BackgroundTask {
        begin(within: limit) { .enteredBackground(task: $0) }
    }

    private func perform(
        within limit: Duration, _ event: (Int) -> LifeCycleMachine.Event
    ) async -> PushOutcome {
        let task = begin(within: limit, event)
        return await withTaskCancellationHandler {
            await task.outcome
        } onCancel: {
            task.expire()
        }
    }

    private func begin(
        within limit: Duration, _ event: (Int) -> LifeCycleMachine.Event
    ) -> BackgroundTask {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let task = BackgroundTask { [self] in report(.limit(id)) }
        state.withLock { $0.running[id] = Running(task: task) }
        report(event(id))
        guard limit > .zero else {
            task.expire()
            return task
        }
        let timer = Task { [weak self, clock = replica.clock] in
            let margin = Self.margin(of: limit)
            guard (try? await clock.sleep(for: limit - margin)) != nil else { return }
            self?.report(.deadline(id))
            guard (try? await clock.sleep(for: margin)) != nil else { return }
            self?.report(.limit(id))
        }
        let isOver = state.withLock { state in
            state.running[id]?.timer = timer
            return state.running[id] == nil
        }
        if isOver { timer.cancel() }
        return task
    }

    private func exchange(_ id: Int, _ purpose: LifeCycleMachine.Purpose) {
        let work = Task { [weak self, replica] in
            let outcome = await replica.exchange(purpose)
            self?.report(.finished(id, outcome))
        }
        let isOver = state.withLock { state in
            state.running[id]?.work = work
            return state.running[id] == nil
        }
        if isOver { work.cancel() }
    }

    private func end(_ id: Int, _ outcome: PushOutcome) {
        guard let task = state.withLock({ $0.running.removeValue(forKey: id) }) else { return }
        task.timer?.cancel()
        task.work?.cancel()
        task.task.end(outcome)
    }

    private var isLoopWanted: Bool { state.withLock { $0.machine.isLoopWanted } }

    // MARK: Orders

    private func report(_ event: LifeCycleMachine.Event) {
        ordering.withLock {
            for order in state.withLock({ $0.machine.proceed(event) }) { carryOut(order) }
        }
    }

    private func carryOut(_ order: LifeCycleMachine.Order) {
        switch order {
        case .open:
            replica.runLock?.admit()
            opened()
        case .close:
            // Its loop has ended, or will do nothing more.
            replica.runLock?.bar()
            closed()
        case .run:
            replica.isInFront = true
            loop.yield(.run)
        case .pause:
            replica.isInFront = false
            loop.yield(.pause)
        case .wake: replica.wake()
        case .exchange(let id, let purpose): exchange(id, purpose)
        case .cancel(let id): state.withLock { $0.running[id]?.work }?.cancel()
        case .end(let id, let outcome): end(id, outcome)
        case .releaseMemory: Task { [replica] in await replica.releaseMemory() }
        }
    }

    // MARK: Suspending

    /// How many life cycles of this process need their databases. GRDB suspends all databases of a
    /// process that observe its notifications, so the last one closes them.
    private static let openCount = Locked(0)

    private var isSuspending: Bool {
        replica.database.configuration.observesSuspensionNotifications
    }

    private func opened() {
        guard isSuspending else { return }
        Self.openCount.withLock { count in
            count += 1
            if count == 1 { Self.post(Database.resumeNotification) }
        }
    }

    private func closed() {
        guard isSuspending else { return }
        Self.openCount.withLock { count in
            count -= 1
            if count == 0 { Self.post(Database.suspendNotification) }
        }
    }

    private static func post(_ name: Notification.Name) {
        NotificationCenter.default.post(name: name, object: nil)
    }
}

extension Replica {
    /// Exchanges for a background task, until all is done or the task is cancelled.
    fileprivate func exchange(_ purpose: LifeCycleMachine.Purpose) async -> PushOutcome {
        do {
            let before = rowsArrived
            switch purpose {
            case .push: try await push()
            // The task is cancelled before this time is over.
            case .pull: try await catchUp(within: .seconds(3_600))
            }
            return rowsArrived == before ? .noData : .newData
        } catch {
            return .failed
        }
    }

    fileprivate func releaseMemory() async {
        (database as? DatabasePool)?.releaseMemoryEventually()
        // SQLite frees what it can; nothing depends on it.
        _ = try? await access { db, _ in try db.execute(sql: "PRAGMA shrink_memory") }
    }
}
