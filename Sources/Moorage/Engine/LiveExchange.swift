import MoorageCore
import MoorageSupport
import MoorageWire

/// One exchange whose answer may become a live stream, on a task of its own.
///
/// - O1: Until the live stream is open, whoever began it has the exchange mutex. From then on each
///   page takes the exchange mutex by itself. So no two exchanges apply pages at once.
/// - O2: A retired exchange changes nothing: its frames are dropped until the hub has ended it.
final class LiveExchange: Sendable {
    private struct State {
        var heartbeat: Duration?
        var isRetired = false
        /// Why the replica gave it up; `nil` if nothing failed.
        var failure: ReplicaError?
        /// A page did not fit, because another exchange moved the replica's cursor.
        var isOutOfStep = false
        /// A frame came after the stream was open.
        var hasWorked = false
        /// A frame is being processed.
        var isReceiving = false
        /// By the replica's clock.
        var heardAt: DeviceTime
        /// How long the hub asks the replica to stay away.
        var wait: Duration?
        var result: Result<Void, any Error>?
        var opener: CheckedContinuation<Void, Never>?
        /// Of the exchange that opens the stream, and then of the stream; `nil` without a journal.
        var measure: ExchangeMeasure?
        var task: Task<Void, Never>?
    }

    private let request: ExchangeRequest
    private let driver: SyncDriver
    private let sync: RunningSync
    private let exchangeMutex: AsyncMutex
    private let onPage: @Sendable (ApplyResult) async throws -> Void
    private let onChange: @Sendable () -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - onPage: Called when a page came over the live stream and was applied.
    ///   - onChange: Called when the exchange is over or out of step.
    init(
        _ request: ExchangeRequest, of sync: RunningSync, by driver: SyncDriver,
        exchangeMutex: AsyncMutex,
        onPage: @escaping @Sendable (ApplyResult) async throws -> Void,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.driver = driver
        self.exchangeMutex = exchangeMutex
        self.onPage = onPage
        self.onChange = onChange
        self.sync = sync
        state = Locked(State(heardAt: driver.clock.time))
    }

    /// What the exchange did so far.
    var machine: SyncMachine { sync.machine }
    var heartbeat: Duration? { state.withLock { $0.heartbeat } }
    var isOutOfStep: Bool { state.withLock { $0.isOutOfStep } }
    var hasWorked: Bool { state.withLock { $0.hasWorked } }
    var wait: Duration? { state.withLock { $0.wait } }
    /// The result; `nil` while the exchange lasts.
    var result: Result<Void, any Error>? { state.withLock { $0.result } }

    /// How long the hub has been silent, in milliseconds. A clock that was set back starts over.
    func silence(at now: DeviceTime) -> Int64 {
        state.withLock { state in
            if state.isReceiving || state.heardAt > now { state.heardAt = now }
            return now.milliseconds(since: state.heardAt)
        }
    }

    /// Sends the request, and waits until the live stream is open or the answer is over.
    func begin() async {
        let task = Task { await run() }
        state.withLock { $0.task = task }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.heartbeat != nil || state.result != nil { return true }
                    state.opener = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Drops all frames from now on.
    ///
    /// - Parameter failure: Why the replica gives it up; `nil` if nothing failed.
    func retire(because failure: ReplicaError? = nil) {
        state.withLock { state in
            state.isRetired = true
            state.failure = failure
        }
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Waits until its task has ended.
    func finish() async { await state.withLock { $0.task }?.value }

    private func run() async {
        let measure = beginMeasuring()
        let result: Result<Void, any Error>
        do {
            try await driver.hub.exchange(request, counting: measure?.bytes) {
                try await self.receive($0)
            }
            result = .success(())
            endMeasuring()
        } catch {
            result = .failure(SyncDriver.readable(error))
            endMeasuring(because: error)
        }
        let opener = state.withLock { state in
            state.result = result
            defer { state.opener = nil }
            return state.opener
        }
        opener?.resume()
        onChange()
    }

    private func receive(_ frame: Frame) async throws {
        let isOpen = state.withLock { state -> Bool? in
            if state.isRetired { return nil }
            state.heardAt = driver.clock.time
            state.isReceiving = true
            if case .end(let end) = frame {
                state.wait = end.wait
            } else if state.heartbeat != nil {
                state.hasWorked = true
            }
            return state.heartbeat != nil
        }
        guard let isOpen else { return }
        defer {
            state.withLock {
                $0.isReceiving = false
                $0.heardAt = driver.clock.time
            }
        }
        guard isOpen else { return try await receiveFirst(frame) }
        guard case .page = frame else {
            _ = try await sync.receive(frame)
            return
        }
        let applied = try await exchangeMutex.withLock { () -> ApplyResult? in
            if state.withLock({ $0.isRetired }) { return nil }
            return try await apply(frame)
        }
        if let applied { try await onPage(applied) }
    }

    /// Receives a frame before the live stream is open.
    private func receiveFirst(_ frame: Frame) async throws {
        if let result = try await apply(frame) { await driver.progress(.applied(result)) }
        guard let heartbeat = sync.machine.heartbeat else { return }
        measureStream()
        let opener = state.withLock { state in
            state.heartbeat = heartbeat
            defer { state.opener = nil }
            return state.opener
        }
        opener?.resume()
    }

    private func apply(_ frame: Frame) async throws -> ApplyResult? {
        switch try await sync.receive(frame) {
        case .applied(let result):
            state.withLock { $0.measure }?.applied(result)
            return result
        case .dropped:
            state.withLock { $0.isOutOfStep = true }
            onChange()
            return nil
        case .none, .forked, .unprepared, .reconciled, .rescan, .finished: return nil
        }
    }

    // MARK: The journal

    private func beginMeasuring() -> ExchangeMeasure? {
        let changes = request.batch?.changes.count ?? 0
        let measure = driver.store.journal?.begin(
            changes > 0 ? .push : .pull, changes: changes, at: driver.clock.time,
            counting: driver.byteCount)
        state.withLock { $0.measure = measure }
        return measure
    }

    /// The exchange went well, and its answer goes on as a live stream.
    private func measureStream() {
        guard let opening = state.withLock({ $0.measure }) else { return }
        let now = driver.clock.time
        opening.end(at: now)
        let stream = opening.journal.begin(.stream, at: now, counting: opening.bytes)
        state.withLock { $0.measure = stream }
    }

    private func endMeasuring(because error: (any Error)? = nil) {
        let (measure, reason) = state.withLock { state -> (ExchangeMeasure?, (any Error)?) in
            // A retired stream is cancelled when the hub does not end it in time.
            (state.measure, state.isRetired ? state.failure : error)
        }
        measure?.end(at: driver.clock.time, because: reason)
    }
}
