import Logging
import MoorageCore
import MoorageSupport
import MoorageWire

/// Where streams wait, and what polls for changes for all of them (decision 0029).
///
/// - L1: While a stream waits, one task watches. While no stream waits, nothing runs.
/// - L2: A stream that waits has all of the state that was polled last, or it is *behind*. For a
///   stream that is behind, the next poll reads in any case, even if nothing changed.
/// - L3: Only a poll changes a stream's cursor, with the page that it passes on.
final class LiveFeed: Sendable {
    enum Event: Sendable {
        case page(SharedFrame)
        /// The stream was silent for as long as it may be.
        case beat
        case end(End)
        /// Only for readers of changes: there may be one for them.
        case change
    }

    let policy: LivePolicy
    private let database: any CentralDatabase
    private let states: HubStateReader
    private let configuration: HubConfiguration
    private let logger: Logger
    let state: Locked<LiveFeedState>
    let alarm = Alarm()
    /// Whether streams end if something about the hub itself is wrong. Otherwise they wait until it
    /// is right again.
    private let endsOnError: Bool

    /// The delay after a poll that failed.
    private static let retryDelay = Duration.seconds(1)

    init(
        _ database: any CentralDatabase, states: HubStateReader, configuration: HubConfiguration,
        endsOnError: Bool = true, logger: Logger
    ) {
        self.endsOnError = endsOnError
        self.database = database
        self.states = states
        self.configuration = configuration
        self.logger = logger
        policy = configuration.live
        state = Locked(LiveFeedState(policy: configuration.live))
    }

    /// Whether a replica has a stream here.
    func hasStream(of name: LiveMember.Name) -> Bool {
        state.withLock { $0.newest[name] != nil }
    }

    var figures: LiveFigures { state.withLock { $0.currentFigures } }

    // MARK: Streams

    func enter(_ opening: LiveOpening, life: Duration?) -> Int {
        let now = ContinuousClock.now
        let life = min(policy.maximumLife, life ?? policy.maximumLife)
        let (number, told) = state.withLock { $0.enter(opening, now: now, until: now + life) }
        tell(told)
        return number
    }

    /// - Returns: Where the stream's replica is; `nil` if it left before, or has another stream.
    @discardableResult
    func leave(_ number: Int) -> LiveOpening? { state.withLock { $0.leave(number) } }

    func end(_ number: Int, with end: End) {
        tell(state.withLock { state in state.end([number], with: end) })
    }

    /// Ends a replica's stream, because the replica opens another one.
    func replace(_ name: LiveMember.Name) {
        tell(
            state.withLock { state in
                state.end([state.newest[name]].compactMap { $0 }, with: End(hasMore: false))
            })
    }

    /// The next event of a stream.
    func next(_ number: Int) async throws -> Event {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Result<Event, any Error>? in
                    // If the task is cancelled after this, the handler below finds it waiting.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    return state.wait(number, continuation, now: .now) {
                        Task { await watch() }
                    }
                }
                if let answer { return continuation.resume(with: answer) }
                alarm.ring()
            }
        } onCancel: {
            state.withLock { $0.streams[number]?.removeWaiting() }?
                .resume(throwing: CancellationError())
        }
    }

    /// Polls at once, and not at the next interval, because something was written here.
    func poke() {
        if state.withLock({ $0.poke() }) { alarm.ring() }
    }

    /// The same, on the connection that wrote. Where few streams wait, they get the change before
    /// the writer reads its own page. Otherwise both would read at the same time.
    ///
    /// - Parameter hub: The hub as the writer has just read it.
    func poke(on connection: any CentralConnection, knowing hub: HubState) {
        guard state.withLock({ $0.claimPoll(at: .now) }) else { return poke() }
        let start = ContinuousClock.now
        finish(
            Result {
                let (reading, groups) = reading()
                let found = try reading.read(on: connection, knowing: hub)
                tell(state.withLock { $0.apply(found, to: groups) })
            }, since: start)
        alarm.ring()
    }

    func tell(_ told: [LiveFeedState.Delivery]) {
        for (continuation, event) in told { continuation.resume(returning: event) }
    }

    // MARK: Watching

    func watch() async {
        while true {
            let tick = state.withLock { $0.tick(at: .now) }
            tell(tick.told)
            if tick.isOver { return }
            // A task of its own, so that the streams get heartbeats while the database is slow.
            if tick.shouldPoll {
                Task {
                    await poll(tick.isUrgent)
                    alarm.ring()
                }
            }
            await alarm.sleep(until: tick.next)
        }
    }

    private func poll(_ isUrgent: Bool) async {
        let start = ContinuousClock.now
        do {
            let isChanged = isUrgent ? true : try await hasChanged()
            try await check()
            if isChanged { try await read() }
            finish(.success(()), since: start)
        } catch {
            finish(.failure(error), since: start)
        }
    }

    /// What the end of a poll means for the next one.
    private func finish(_ result: Result<Void, any Error>, since start: ContinuousClock.Instant) {
        do {
            try result.get()
            let took = start.duration(to: .now)
            state.withLock { $0.polled(at: .now, taking: took) }
        } catch is HubError where endsOnError {
            // Something about the hub itself has changed: an exchange tells each replica what.
            tell(
                state.withLock { state in
                    state.failed(at: .now, tryingAfter: Self.retryDelay)
                    return state.end(Array(state.streams.keys), with: End(hasMore: true))
                        + state.tellReaders()
                })
        } catch {
            logger.info(
                "The central database could not be polled for live replicas; it is tried again.",
                metadata: ["error": "\((error as? CentralError)?.message ?? "\(type(of: error))")"])
            state.withLock { $0.failed(at: .now, tryingAfter: Self.retryDelay) }
        }
    }

    private func hasChanged() async throws -> Bool {
        let changeToken = try await database.withConnection { try $0.changeToken() }
        return state.withLock { $0.changeToken?.hasSameBytes(as: changeToken) != true }
    }

    /// Ends the streams that may not go on.
    private func check() async throws {
        let holdsByQuery = configuration.scopes.holdings.values.contains {
            if case .query = $0 { true } else { false }
        }
        // A portion at a time, because pages wait for the check.
        let asked = state.withLock { $0.dueChecks(at: .now, always: holdsByQuery) }
        if asked.isEmpty { return }
        let check = LiveCheck(states: states, configuration: configuration, asked: asked)
        let ended = try await database.withConnection { try check.ended(on: $0) }
        let told = state.withLock { state in
            state.checked(asked.map(\.number), at: .now)
            return state.end(ended, with: End(hasMore: true))
        }
        tell(told)
    }

    private func read() async throws {
        let (reading, groups) = reading()
        if groups.isEmpty, reading.readers.isEmpty { return }
        let found = try await database.withConnection { try reading.read(on: $0) }
        tell(state.withLock { $0.apply(found, to: groups) })
    }

    /// What to read, and the streams of each group in it.
    private func reading() -> (LiveReading, groups: [[Int]]) {
        state.withLock { state in
            let groups = state.groups()
            let reading = LiveReading(
                states: states, configuration: configuration, changeToken: state.changeToken,
                checkpoint: state.checkpoint,
                asked: groups.map(\.asked), readers: state.waitingReaders)
            return (reading, groups.map(\.numbers))
        }
    }
}

/// How many streams there are, and what they cost.
package struct LiveFigures: Hashable, Sendable {
    package var streams = 0
    package var waiting = 0
    /// How many of the waiting streams are behind.
    package var behind = 0
    /// Polls that read the database. A poll that found it unchanged costs one short question, and
    /// does not count.
    package var readings = 0
    /// Pages that were read, each for any number of streams.
    package var pagesRead = 0
    /// Pages that were passed on, counted by stream.
    package var pagesSent = 0
}
