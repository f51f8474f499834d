package import MoorageCore
import MoorageSupport
import MoorageWire

/// A replica that keeps itself up to date: when it syncs, when it asks for a live stream, and what
/// it waits for in between.
///
/// Events go in, and the next thing to do comes out. It uses no tasks, network, clock or randomness
/// of its own. The app's loop runs it.
///
/// - W6: Between two waits there are at most two syncs and two requests for a live stream, unless
///   the device has more to send.
package struct RunMachine: Sendable {
    private enum State: Sendable {
        case idle, syncing, retrying, opening
        case waiting(since: DeviceTime, for: Duration)
        /// Local commits follow each other.
        case debouncing(until: DeviceTime)
        case following(since: DeviceTime, pushesAt: DeviceTime?)
        case closing(then: Next)
    }

    /// What follows once no stream is open any more.
    private enum Next: Sendable {
        case restart, interval
        case pause(Duration)
        case failure(ReplicaError)
    }

    private let options: ReplicaOptions
    private var state = State.idle
    private var retry: RetryPacing
    private var live: LivePacing
    /// Rows came that are above all keys that SQLite could choose here by itself.
    private var wantsKeys = false
    /// When a live stream was last opened to ask for keys.
    private var keysAskedAt: DeviceTime?

    package init(_ options: ReplicaOptions) {
        self.options = options
        retry = RetryPacing(options)
        live = LivePacing(options)
    }

    /// The longest pause, however long the hub asks to be left alone.
    private static let longestPause = Duration.seconds(60)
    /// How many heartbeats may be missing.
    private static let patience = 2.5
    /// The limits of the heartbeat that a hub may ask for.
    private static let heartbeats = Duration.milliseconds(10)...Duration.seconds(60)
    /// A live stream only promises speed. After so many intervals it is opened again, which pulls.
    private static let renewedAfter = 10
    /// In milliseconds: a stream that the hub ends sooner counts as broken. Otherwise two replicas
    /// with the same id would end each other's streams without end.
    private static let shortest: Int64 = 1_000

    // MARK: What others did

    /// When it tries again after a failure; `nil` while nothing failed.
    var nextTry: DeviceTime? { retry.nextTry }

    /// Whether it waits because the hub wants a newer version of the app.
    var needsUpdate: Bool { retry.needsUpdate }

    package var isRetrying: Bool { if case .retrying = state { true } else { false } }

    /// Whether it waits until local commits pause.
    var isDebouncing: Bool { if case .debouncing = state { true } else { false } }

    /// An exchange succeeded: one of the loop, or one of the app.
    package mutating func exchanged(at now: DeviceTime) {
        retry.succeeded()
        live.exchanged(at: now)
    }

    /// An exchange failed.
    package mutating func exchangeFailed() { live.failed() }

    /// Rows came that are above all keys that SQLite could choose here.
    package mutating func keysWanted() { wantsKeys = true }

    /// Whether the machine has to know if there are changes to push.
    package func asks(for reasons: WakeReasons) -> Bool {
        switch state {
        case .retrying: !reasons.contains(.request) && !needsUpdate
        case .waiting, .following(_, nil): true
        case .idle, .syncing, .debouncing, .opening, .following, .closing: false
        }
    }

    // MARK: Going on

    /// Takes an event, and decides what to do next.
    package mutating func proceed(
        _ event: Event, _ view: View, at now: DeviceTime,
        using random: inout some RandomNumberGenerator
    ) -> Effect {
        switch (event, state) {
        case (.failed(let error), _): return failed(error, view, now, &random)
        case (.begin, _):
            retry = RetryPacing(options)
            return restart(view, now)
        case (.synced, .syncing): return synced(view, now)
        case (.opened(let opening), .opening): return opened(opening, view, now, &random)
        case (.closed, .closing(let next)): return closed(next, view, now, &random)
        case (.woken(let reasons, let hasWork), _):
            return woken(reasons, hasWork, view, now, &random)
        case (.synced, _), (.opened, _), (.closed, _):
            let error = ReplicaError.protocolViolation(ProtocolReason.unexpectedEvent)
            return failed(error, view, now, &random)
        }
    }

    private func isLiveWanted(_ view: View, _ now: DeviceTime) -> Bool {
        options.live && view.isInFront && live.mayAsk(at: now)
    }

    /// Starts over: waits after a failure, or exchanges.
    private mutating func restart(_ view: View, _ now: DeviceTime) -> Effect {
        let left = retry.left(at: now)
        guard left > .zero else { return exchange(view, now) }
        state = .retrying
        return .wait(atMost: left)
    }

    private mutating func exchange(_ view: View, _ now: DeviceTime) -> Effect {
        // A request for a live stream is a pull as well.
        if isLiveWanted(view, now), live.isFresh(at: now) { return synced(view, now) }
        state = .syncing
        return .sync
    }

    private mutating func synced(_ view: View, _ now: DeviceTime) -> Effect {
        retry.succeeded()
        guard isLiveWanted(view, now) else { return interval(view, now) }
        state = .opening
        return .open
    }

    private mutating func interval(_ view: View, _ now: DeviceTime) -> Effect {
        wait(live.wait(atMost: options.pullInterval, at: now), view, now)
    }

    private mutating func wait(_ duration: Duration, _ view: View, _ now: DeviceTime) -> Effect {
        guard duration > .zero else { return restart(view, now) }
        state = .waiting(since: now, for: duration)
        return .wait(atMost: duration)
    }

    private mutating func failed(
        _ error: ReplicaError, _ view: View, _ now: DeviceTime,
        _ random: inout some RandomNumberGenerator
    ) -> Effect {
        switch state {
        case .opening, .following: return broken(error, now, &random)
        case .idle, .syncing, .retrying, .waiting, .debouncing, .closing: break
        }
        if error.needsApp { return .end(error) }
        retry.failed(error, at: now, using: &random)
        return restart(view, now)
    }

    // MARK: Waiting

    private mutating func woken(
        _ reasons: WakeReasons, _ hasWork: Bool, _ view: View, _ now: DeviceTime,
        _ random: inout some RandomNumberGenerator
    ) -> Effect {
        switch state {
        case .retrying: return wokenFromRetry(reasons, hasWork, view, now)
        case .waiting(let since, let duration):
            return wokenFromWait(reasons, hasWork, since, duration, view, now)
        case .debouncing(let end):
            if reasons.isEmpty || reasons.contains(.request) { return restart(view, now) }
            return debounce(until: end, view, now)
        case .following(let since, var pushesAt):
            // The stream's connection may be gone, and the replica would not notice that for long.
            if reasons.contains(.request) {
                let soon = min(since, now) + options.firstRetryDelay.milliseconds
                pushesAt = min(pushesAt ?? soon, soon)
            }
            // The first commit after a pause is pushed at once. Those that follow are pushed
            // together.
            if pushesAt == nil, hasWork {
                pushesAt = min(since, now) + options.pushDelay.milliseconds
            }
            return follow(since, pushesAt, view, now, &random)
        case .idle, .syncing, .opening, .closing: return restart(view, now)
        }
    }

    private mutating func wokenFromRetry(
        _ reasons: WakeReasons, _ hasWork: Bool, _ view: View, _ now: DeviceTime
    ) -> Effect {
        // An exchange of the app succeeded meanwhile.
        if retry.nextTry == nil { return synced(view, now) }
        if reasons.isEmpty { return exchange(view, now) }
        if reasons.contains(.request) {
            live.woken()
            retry.woken(byCommit: false)
        } else if hasWork {
            retry.woken(byCommit: true)
        }
        return restart(view, now)
    }

    private mutating func wokenFromWait(
        _ reasons: WakeReasons, _ hasWork: Bool, _ since: DeviceTime, _ duration: Duration,
        _ view: View, _ now: DeviceTime
    ) -> Effect {
        if reasons.isEmpty { return restart(view, now) }
        if hasWork {
            return debounce(until: now + options.maximumPushDelay.milliseconds, view, now)
        }
        // A clock that was set back starts over.
        let elapsed = Duration.milliseconds(max(0, now.milliseconds(since: since)))
        var duration = duration
        if reasons.contains(.request) {
            live.woken()
            duration = min(duration, elapsed + live.gap(of: options.firstRetryDelay, at: now))
        }
        guard duration > elapsed else { return restart(view, now) }
        state = .waiting(since: since, for: duration)
        return .wait(atMost: duration - elapsed)
    }

    /// Waits until the local commits pause, but no longer than a limit.
    private mutating func debounce(until end: DeviceTime, _ view: View, _ now: DeviceTime) -> Effect
    {
        guard now < end else { return restart(view, now) }
        state = .debouncing(until: end)
        return .wait(atMost: options.pushDelay)
    }

    // MARK: A live stream

    private mutating func opened(
        _ opening: Opening, _ view: View, _ now: DeviceTime,
        _ random: inout some RandomNumberGenerator
    ) -> Effect {
        switch opening {
        case .notYet:
            broke(now, &random)
            return close(.restart)
        case .unknown:
            live.refused(at: now)
            return close(.restart)
        case .over(isComplete: true): return close(.interval)
        case .over(isComplete: false):
            broke(now, &random)
            return close(.restart)
        case .open(let hasMore):
            // The app may have seen the end of the exchange, and made its next commit already.
            let since = min(live.exchangedAt ?? now, now)
            return follow(since, hasMore ? now : nil, view, now, &random)
        }
    }

    private mutating func follow(
        _ since: DeviceTime, _ pushesAt: DeviceTime?, _ view: View, _ now: DeviceTime,
        _ random: inout some RandomNumberGenerator
    ) -> Effect {
        // Changes that wait for their push do not wait for the next interval.
        guard options.live, view.isInFront else {
            return close(pushesAt == nil ? .interval : .restart)
        }
        guard let stream = view.stream else { return reopen() }
        if stream.hasWorked { live.worked() }
        switch stream.result {
        case .failure(let error): return broken(error, now, &random)
        case .success:
            if stream.wait == nil, now.milliseconds(since: since) < Self.shortest {
                broke(now, &random)
            }
            // The hub may have ended the stream to say something that only an exchange says.
            live.failed()
            return close(stream.wait.map { .pause(min($0, Self.longestPause)) } ?? .restart)
        case nil: break
        }
        let renewsAt =
            min(since, now) + Int64(Self.renewedAfter) * options.pullInterval.milliseconds
        // After a clock was set back, nobody knows how long it has been.
        let isDue = renewsAt <= now || since > now || pushesAt.map { $0 <= now } == true
        if stream.isOutOfStep || isDue || asksForKeys(at: now) { return reopen() }
        let heartbeat = min(
            max(stream.heartbeat, Self.heartbeats.lowerBound), Self.heartbeats.upperBound)
        let patience = (heartbeat * Self.patience).milliseconds
        guard stream.silence <= patience else {
            return broken(ReplicaError(HubError.hubSilent), now, &random)
        }
        let times = [now + patience - stream.silence + 1, renewsAt, pushesAt, stream.clearsAt]
        let next = times.compactMap { $0 }.min() ?? now
        state = .following(since: since, pushesAt: pushesAt)
        return .wait(atMost: .milliseconds(max(1, next.milliseconds(since: now))))
    }

    private mutating func reopen() -> Effect {
        state = .opening
        return .open
    }

    /// Whether to ask for keys now, because SQLite would choose keys that others have. A hub that
    /// has no keys is asked once in each interval.
    private mutating func asksForKeys(at now: DeviceTime) -> Bool {
        let interval = 0..<max(1, options.pullInterval.milliseconds)
        guard wantsKeys,
            keysAskedAt.map({ !interval.contains(now.milliseconds(since: $0)) }) ?? true
        else {
            return false
        }
        wantsKeys = false
        keysAskedAt = now
        return true
    }

    private mutating func close(_ next: Next, because error: ReplicaError? = nil) -> Effect {
        state = .closing(then: next)
        return .close(error)
    }

    private mutating func closed(
        _ next: Next, _ view: View, _ now: DeviceTime, _ random: inout some RandomNumberGenerator
    ) -> Effect {
        switch next {
        case .restart: return restart(view, now)
        case .interval: return interval(view, now)
        case .pause(let duration): return wait(duration, view, now)
        case .failure(let error): return failed(error, view, now, &random)
        }
    }

    /// The live stream broke.
    private mutating func broken(
        _ error: ReplicaError, _ now: DeviceTime, _ random: inout some RandomNumberGenerator
    ) -> Effect {
        broke(now, &random)
        return close(.failure(error), because: error)
    }

    /// Makes a whole sync go first, and delays the next live stream longer each time.
    private mutating func broke(_ now: DeviceTime, _ random: inout some RandomNumberGenerator) {
        live.failed()
        live.broke(at: now, using: &random)
    }
}
