import Foundation
import GRDB
import Logging
import MoorageSupport
import MoorageWire

/// Keeping a replica up to date for as long as the app wants it.
extension Replica {
    /// Keeps the replica up to date until the task is cancelled. It pushes soon after a local
    /// commit, pulls by interval, and waits while the hub cannot be reached.
    ///
    /// When the task is cancelled, what arrived stays. The next run sends an unanswered batch
    /// again.
    ///
    /// Only one call works at a time. A second call, or ``start()`` at the same time, waits and
    /// goes on when the first one ends.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, and ``ReplicaError`` if only the
    ///   app can go on. Its code is then `differentHub`, `metadataNewer`, `metadataDamaged`,
    ///   `corrupt` or `databaseClosed`. From the hub it is `differentUser`, `replicaRevoked` or
    ///   `replicaWiped`. After any other failure it tries again; see ``ReplicaStatus/lastError``.
    ///   If the app is too old for the hub, it does so about once an hour; see
    ///   ``ReplicaStatus/Phase/updateRequired``.
    public func run() async throws {
        try await runMutex.withLock { try await runAlone() }
    }

    private func runAlone() async throws {
        isRunning = true
        defer {
            runLock?.unlock()
            isRunning = false
            isWaiting = false
            statusPublisher.update {
                $0.phase = .stopped
                $0.nextTry = nil
            }
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.watchOtherProcesses() }
                group.addTask {
                    try await self.waitForTurn()
                    try await self.loop()
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch let error as ReplicaError {
            // Also if no exchange failed with it, such as that of a database that was closed.
            show(error)
            throw error
        }
    }

    /// Waits until no other process runs the file's replica.
    private func waitForTurn() async throws {
        guard let runLock else { return }
        defer { isWaiting = false }
        while true {
            do {
                if try await runLock.tryLock() { return try Task.checkCancellation() }
                isWaiting = true
                statusPublisher.update { $0.phase = .waiting }
            } catch {
                // The folder may be there later, or readable.
                if let error = SyncDriver.readable(error) as? ReplicaError { show(error) }
            }
            try await clock.sleep(for: options.otherProcessInterval)
        }
    }

    /// Whether the app is in front of its user. Changes then come as they are made
    /// (``ReplicaOptions/live``), otherwise by interval. The app sets it when it goes to the
    /// background, and when it comes back. It is true at first.
    public nonisolated var isInFront: Bool {
        get { front.withLock { $0 } }
        set {
            let isOther = front.withLock { front in
                defer { front = newValue }
                return front != newValue
            }
            if isOther { wakeUp.signal(newValue ? .request : .state) }
        }
    }

    /// Makes a running replica exchange with its hub now, and ends its wait after a failure. Call
    /// it when the network comes back, and when a push notification reports a change.
    ///
    /// Returns at once, and may be called any number of times. The exchanges that it causes are at
    /// least ``ReplicaOptions/firstRetryDelay`` apart. A hub that asked to be left alone is left
    /// alone, and so is one that wants a newer version of the app.
    public nonisolated func wake() { wakeUp.signal(.request) }

    /// Carries out what the machine decides, and reports the result to it.
    private func loop() async throws {
        let streams = LiveStreams()
        do {
            var event = RunMachine.Event.begin
            while true {
                try Task.checkCancellation()
                event = try await carryOut(next(after: event, streams), streams)
            }
        } catch {
            await close(streams)
            throw error
        }
    }

    private func close(_ streams: LiveStreams, because failure: ReplicaError? = nil) async {
        await streams.close(because: failure)
        statusPublisher.update { $0.isLive = false }
    }

    private func next(
        after event: RunMachine.Event, _ streams: LiveStreams
    ) -> RunMachine.Effect {
        let now = clock.time
        let view = RunMachine.View(isInFront: isInFront, stream: streams.view(at: now))
        let wasRetrying = machine.isRetrying
        let isDebouncing = machine.isDebouncing
        var generator = random.generator
        let effect = machine.proceed(event, view, at: now, using: &generator)
        occasions.proceeded(after: event, to: effect, isDebouncing: isDebouncing)
        if machine.isRetrying {
            statusPublisher.update {
                $0.phase = restingPhase
                $0.nextTry = machine.nextTry?.date
            }
        } else if Self.isAtRest(event, effect, wasRetrying: wasRetrying) {
            statusPublisher.update {
                $0.phase = .idle
                $0.nextTry = nil
            }
        }
        return effect
    }

    /// Whether an exchange succeeded: one of the loop, or one of the app while the loop waited.
    private static func isAtRest(
        _ event: RunMachine.Event, _ effect: RunMachine.Effect, wasRetrying: Bool
    ) -> Bool {
        if case .synced = event { return true }
        if case .sync = effect { return false }
        return wasRetrying
    }

    private func carryOut(
        _ effect: RunMachine.Effect, _ streams: LiveStreams
    ) async throws -> RunMachine.Event {
        switch effect {
        case .sync:
            return try await reporting {
                try await ExchangeOccasion.$current.withValue(occasions.next) {
                    _ = try await syncOnce { _, _ in }
                }
                return .synced
            }
        case .open:
            return try await reporting {
                try await ExchangeOccasion.$current.withValue(occasions.next) {
                    .opened(try await open(streams))
                }
            }
        case .close(let error):
            await close(streams, because: error)
            if let error { await failed(error) }
            return .closed
        case .wait(let duration):
            return try await reporting {
                let reasons = try await wakeUp.wait(atMost: duration, clock)
                let hasWork = machine.asks(for: reasons) ? try await hasWork(reasons) : false
                return .woken(reasons, hasWork: hasWork)
            }
        case .end(let error): throw error
        }
    }

    /// Reports a failure as an event like any other.
    private func reporting(
        _ work: () async throws -> RunMachine.Event
    ) async throws -> RunMachine.Event {
        do {
            return try await work()
        } catch let error as ReplicaError {
            // The journal has logged a failed exchange.
            logger.debug("the loop waits", metadata: ["code": "\(error.code.rawValue)"])
            return .failed(error)
        }
    }

    /// Whether there are changes to push that no exchange has looked at yet. Changes that an
    /// exchange left in the log are no reason for another one.
    func hasWork(_ reasons: WakeReasons) async throws -> Bool {
        if reasons.contains(.edit) { return true }
        guard reasons.contains(.commit) else { return false }
        return try await reading { [seen] in try seen.isBehind($0, $1) }
    }

    /// Watches for commits of other processes to the same file, by `data_version`, and informs the
    /// app's observers of them, also of those since it ran last.
    private func watchOtherProcesses() async throws {
        while true {
            do {
                let last = fileVersion
                let version = try await access { db, _ in
                    let version = try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0
                    guard let last, last != version else { return version }
                    // It takes no lock, because it reads and writes nothing.
                    try db.inTransaction(.deferred) {
                        try db.notifyChanges(in: .fullDatabase)
                        return .commit
                    }
                    return version
                }
                fileVersion = version
                if let last, last != version {
                    try await refreshStatus()
                    wakeUp.signal(.commit)
                }
            } catch let error as ReplicaError {
                // The other process has locked the file: the next poll finds the change.
                if error.needsApp { throw error }
            }
            try await clock.sleep(for: options.otherProcessInterval)
        }
    }

    // MARK: A task of the replica's own

    /// Starts a task that runs ``run()``. Nothing happens when there is one already.
    ///
    /// The task keeps the replica alive until ``stop()``. If ``run()`` throws, the task ends, and
    /// the status has the phase `stopped`. The app may then start another one.
    public func start() {
        guard task == nil else { return }
        task = Task {
            do {
                try await run()
            } catch {
                // The task ended by itself, and may be started again. `stop` clears the task that
                // it ends.
                if !Task.isCancelled { task = nil }
                throw error
            }
        }
    }

    /// Ends the task of ``start()`` and waits for its end. It does not end a ``run()`` of the app's
    /// own task. Cancelling the caller does not shorten the wait.
    public func stop() async {
        guard let running = task else { return }
        running.cancel()
        _ = await running.result
        task = nil
        await saveExchanges(all: true)
    }
}
