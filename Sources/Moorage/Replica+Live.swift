import GRDB
import Logging
import MoorageSupport
import MoorageWire

/// Following a live stream (decision 0029).
extension Replica {
    private func hasLocalChanges() async throws -> Bool {
        try await reading { try $1.hasLocalChanges($0) }
    }

    /// Pushes what is pending, pulls what changed, and keeps the stream open.
    func open(_ streams: LiveStreams) async throws -> RunMachine.Opening {
        try await exchangeMutex.withLock {
            streams.retire(at: clock.time)
            let driver = driver { _, _ in }
            let sync = RunningSync(SyncMachine(store, options, isLive: true), driver)
            let step: SyncMachine.Step
            do {
                step = try await sync.proceed(.begin)
            } catch {
                store.journal?.failed(error)
                throw SyncDriver.readable(error)
            }
            // A whole sync has to come first.
            guard case .send(let request, _) = step else { return .notYet }
            let isPush = request.batch != nil
            statusPublisher.update { $0.phase = isPush ? .pushing : .pulling }
            let exchange = LiveExchange(
                request, of: sync, by: driver, exchangeMutex: exchangeMutex,
                onPage: { [weak self] in try await self?.received($0) },
                onChange: { [wakeUp] in wakeUp.signal(.state) })
            streams.follow(exchange, at: clock.time)
            await exchange.begin()
            try Task.checkCancellation()
            let end = exchange.machine
            if case .failure(let error) = exchange.result {
                // A hub of an earlier version does not know such requests.
                guard let error = error as? ReplicaError, error.code == .hub(.malformed),
                    !end.isWelcome
                else { throw error }
                return .unknown
            }
            if end.wantsKeys { machine.keysWanted() }
            let hasMore: Bool
            do {
                hasMore = isPush || end.hasFilled ? try await hasLocalChanges() : false
                try await succeeded(isCaughtUp: end.isCaughtUp)
            } catch {
                store.journal?.failed(error)
                throw error
            }
            let isOpen = exchange.result == nil
            statusPublisher.update {
                $0.phase = .idle
                $0.isLive = isOpen
            }
            if isOpen { return .open(hasMore: hasMore) }
            return .over(isComplete: end.isComplete && !hasMore)
        }
    }

    /// A page came over the live stream.
    private func received(_ result: ApplyResult) async throws {
        try await succeeded(isCaughtUp: result.isCaughtUp)
        if result.hasFilled { wakeUp.signal(.edit) }
        guard result.wantsKeys else { return }
        machine.keysWanted()
        wakeUp.signal(.state)
    }
}
