import GRDB
import Logging
import MoorageWire

/// Following an answer that stays open (decision 0029).
extension Replica {
    /// How it ended.
    enum LiveEnd {
        /// A whole sync has something to do first.
        case again
        /// The hub ended it, and may ask to stay away for so long.
        case over(wait: Duration?)
        /// It is not wanted any more, or was not granted.
        case closed
    }

    /// So many heartbeats may be missing.
    private static let patience = 2.5
    /// What a hub may ask a device to be silent for.
    private static let heartbeats = Duration.milliseconds(10)...Duration.seconds(60)
    /// An open answer is only a promise of speed: after so many intervals it is asked anew, which pulls.
    private static let renewedAfter = 10

    /// In milliseconds: one that the hub ends sooner is as good as one that broke, or two replicas of one name
    /// would end each other's for ever.
    private static let shortest: Int64 = 1_000

    var isLiveWanted: Bool { options.live && isInFront && livePacing.mayAsk(at: clock.now()) }

    func hasNotes() async throws -> Bool { try await access { try $1.hasNotes($0) } }

    func goLive() async throws -> LiveEnd {
        let answers = OpenAnswers()
        let result: Result<LiveEnd, any Error>
        do {
            result = .success(try await follow(answers))
        } catch {
            result = .failure(error)
        }
        await answers.close()
        board.update { $0.isLive = false }
        if case .failure(let error) = result, error is ReplicaError {
            broke()
            await failed(error)
        }
        return try result.get()
    }

    /// A whole sync goes first, and the next open answer later each time.
    private func broke() {
        var generator = random.generator
        livePacing.failed()
        livePacing.broke(at: clock.now(), using: &generator)
    }

    private func follow(_ answers: OpenAnswers) async throws -> LiveEnd {
        var pushesAt: Int64?
        var opened: (exchange: OpenExchange, at: Int64)?
        while true {
            try Task.checkCancellation()
            // What waits for its push is not left for the next interval.
            guard options.live, isInFront else { return pushesAt == nil ? .closed : .again }
            let now = clock.now()
            guard let (exchange, at) = opened, let heartbeat = exchange.heartbeat else {
                switch try await open(answers) {
                case .ended(let end): return end
                case .open(let exchange, let hasMore):
                    opened = (exchange, clock.now())
                    pushesAt = hasMore ? clock.now() : nil
                }
                continue
            }
            if exchange.hasWorked { livePacing.worked() }
            if let result = exchange.result {
                try result.get()
                if exchange.wait == nil, now - at < Self.shortest { broke() }
                // The hub may have ended it for what an exchange tells.
                livePacing.failed()
                return .over(wait: exchange.wait)
            }
            let renewsAt =
                min(at, now) + Int64(Self.renewedAfter) * options.pullInterval.milliseconds
            // A clock that was set back says nothing of how long it has been.
            let isDue = renewsAt <= now || at > now || pushesAt.map({ $0 <= now }) == true
            if exchange.isOutOfStep || isDue || takesKeys(at: now) {
                opened = nil
                continue
            }
            let clamped = min(
                max(heartbeat, Self.heartbeats.lowerBound), Self.heartbeats.upperBound)
            let patience = (clamped * Self.patience).milliseconds
            let silence = exchange.silence(at: now)
            guard silence <= patience else { throw Self.silent }
            let times = [
                now + patience - silence + 1, renewsAt, pushesAt, answers.clear(at: now),
            ]
            let next = times.compactMap { $0 }.min() ?? now
            let isSignalled = try await wakeUp.wait(
                atMost: .milliseconds(max(1, next - now)), clock)
            // The first commit after a pause goes at once, those that follow together.
            if isSignalled, pushesAt == nil, try await hasNotes() {
                pushesAt = min(at, now) + options.pushDelay.milliseconds
            }
        }
    }

    private static let silent = ReplicaError(
        HubError(
            .unreachable,
            "The hub has not been heard for longer than it said; the replica connects anew."))

    private enum Opened {
        case open(OpenExchange, hasMore: Bool)
        case ended(LiveEnd)
    }

    /// Whether to ask for keys now: SQLite would choose some that others have. A hub that has none is asked
    /// once in each interval.
    private func takesKeys(at now: Int64) -> Bool {
        let interval = 0..<max(1, options.pullInterval.milliseconds)
        guard wantsKeys, keysAskedAt.map({ !interval.contains(now - $0) }) ?? true else {
            return false
        }
        wantsKeys = false
        keysAskedAt = now
        return true
    }

    /// Pushes what is pending, pulls what changed, and leaves the answer open.
    private func open(_ answers: OpenAnswers) async throws -> Opened {
        try await turnstile.pass {
            answers.retire(at: clock.now())
            let driver = driver { _, _ in }
            guard let request = try await liveRequest() else {
                broke()
                return .ended(.again)
            }
            let isPush = request.batch != nil
            board.update { $0.phase = isPush ? .pushing : .pulling }
            let exchange = OpenExchange(
                request, by: driver, turnstile: turnstile,
                onPage: { [weak self] in try await self?.received($0) },
                onChange: { [wakeUp] in wakeUp.signal() })
            answers.follow(exchange, at: clock.now())
            await exchange.begin()
            try Task.checkCancellation()
            let end = await exchange.end
            if case .failure(let error) = exchange.result {
                // A hub of an earlier version does not know what is asked for.
                guard let error = error as? ReplicaError, error.code == .hub(.malformed),
                    end.hubTime == 0
                else { throw error }
                livePacing.refused(at: clock.now())
                return .ended(.again)
            }
            if end.wantsKeys { wantsKeys = true }
            let hasMore = isPush ? try await hasNotes() : false
            try await succeeded(isCaughtUp: end.isCaughtUp)
            let isOpen = exchange.result == nil
            board.update {
                $0.phase = .idle
                $0.isLive = isOpen
            }
            if isOpen { return .open(exchange, hasMore: hasMore) }
            guard end.effect == .finish(hasMore: false), end.isCaughtUp, !hasMore else {
                broke()
                return .ended(.again)
            }
            return .ended(.closed)
        }
    }

    /// - Returns: `nil` where something has to be done before an exchange.
    private func liveRequest() async throws -> ExchangeRequest? {
        let nonce = newID()
        let now = clock.now()
        return try await access { [options] db, store in
            let recompare = try store.transaction(db) { $0.tables.recompare }
            guard try store.load(db).schema != nil, recompare.isEmpty else { return nil }
            _ = try store.prepareBatch(db, limits: options.batchLimits, now: now, nonce: nonce)
            return try store.request(db, now: now, limits: options.pageLimits).request.live
        }
    }

    /// A page came over the open answer.
    private func received(_ result: ApplyResult) async throws {
        if result.isDropped { return }
        try await succeeded(isCaughtUp: result.isCaughtUp)
        guard result.wantsKeys else { return }
        wantsKeys = true
        wakeUp.signal()
    }
}
