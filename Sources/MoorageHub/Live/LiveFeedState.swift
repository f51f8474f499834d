import MoorageCore
import MoorageWire

/// The feed's state: events go in, and deliveries to streams come out. No await, no I/O, no clock.
struct LiveFeedState: Sendable {
    typealias Instant = ContinuousClock.Instant
    typealias Waiting = CheckedContinuation<LiveFeed.Event, any Error>
    typealias Delivery = (Waiting, LiveFeed.Event)

    struct Stream: Sendable {
        let member: LiveMember
        let view: LiveView
        let time: HubTime
        var cursor: SyncCursor
        /// Whether the page of this cursor had caught up.
        var isCaughtUp = true
        /// The last polled state of which it has everything. It differs from the feed's state while
        /// the stream is behind.
        var known = behind
        /// The state in which a check found that it may go on.
        var checked = behind
        var waiting: Waiting?
        /// The end that it gets when it comes for more.
        var end: End?
        var beatsAt: Instant
        var checksAt: Instant
        let endsAt: Instant

        mutating func removeWaiting() -> Waiting? {
            defer { waiting = nil }
            return waiting
        }
    }

    static let behind = -1
    /// The most checks that one poll carries out.
    private static let maximumChecks = 500

    let policy: LivePolicy
    private(set) var newest: [LiveMember.Name: Int] = [:]
    var streams: [Int: Stream] = [:]
    /// Those who read changes.
    var readers: [Int: Reader] = [:]
    private var numbers = 0
    /// The views of the streams, and how many streams each has.
    private var views: [LiveView.Name: (view: LiveView, count: Int)] = [:]

    /// The state that was polled last, as a number that grows when it changes.
    private(set) var polledState = 0
    private(set) var changeToken: String?
    private(set) var checkpoint: Checkpoint?

    var watcher: Task<Void, Never>?
    private var isPoked = false
    private var isPolling = false
    /// When the next poll may be: a poll for what is known to have changed, and one to find out
    /// whether anything has.
    private var nextPoll: (urgent: Instant, usual: Instant)?
    private var figures = LiveFigures()

    init(policy: LivePolicy) { self.policy = policy }

    var currentFigures: LiveFigures {
        var figures = figures
        figures.streams = streams.count
        let waiting = streams.values.filter { $0.waiting != nil }
        figures.waiting = waiting.count
        figures.behind = waiting.count(where: { $0.known != polledState })
        return figures
    }

    // MARK: Streams

    /// - Returns: The stream's number, and the end for the stream that its replica had before.
    mutating func enter(
        _ opening: LiveOpening, now: Instant, until end: Instant
    ) -> (number: Int, told: [Delivery]) {
        let older = newest[opening.member.name]
        let told = self.end([older].compactMap { $0 }, with: End(hasMore: false))
        let name = opening.view.name
        let view = views[name]?.view ?? opening.view
        views[name] = (view, (views[name]?.count ?? 0) + 1)
        let number = nextNumber()
        streams[number] = Stream(
            member: opening.member, view: view, time: opening.time, cursor: opening.cursor,
            beatsAt: now + policy.heartbeat, checksAt: now + policy.checkInterval, endsAt: end)
        newest[opening.member.name] = number
        return (number, told)
    }

    mutating func nextNumber() -> Int {
        numbers += 1
        return numbers
    }

    mutating func leave(_ number: Int) -> LiveOpening? {
        guard let stream = streams.removeValue(forKey: number) else { return nil }
        let name = stream.view.name
        if let known = views[name] {
            views[name] = known.count == 1 ? nil : (known.view, known.count - 1)
        }
        guard newest[stream.member.name] == number else { return nil }
        newest[stream.member.name] = nil
        return LiveOpening(
            member: stream.member, view: stream.view, cursor: stream.cursor, time: stream.time)
    }

    /// - Returns: What it gets at once; `nil` when it waits.
    mutating func wait(
        _ number: Int, _ continuation: Waiting, now: Instant, watch: () -> Task<Void, Never>
    ) -> Result<LiveFeed.Event, any Error>? {
        guard let stream = streams[number] else { return .failure(CancellationError()) }
        if let end = stream.end { return .success(.end(end)) }
        let beatsAt = now + policy.heartbeat
        streams[number]?.waiting = continuation
        streams[number]?.beatsAt = beatsAt
        if watcher == nil { watcher = watch() }
        return nil
    }

    mutating func end(_ numbers: [Int], with end: End) -> [Delivery] {
        numbers.compactMap { number in
            guard streams[number] != nil, streams[number]?.end == nil else { return nil }
            streams[number]?.end = end
            return streams[number]?.removeWaiting().map { ($0, .end(end)) }
        }
    }

    // MARK: Watching

    struct Tick {
        var told: [Delivery] = []
        /// Whether no stream waits any more.
        var isOver = false
        var shouldPoll = false
        var isUrgent = false
        /// When the next tick is due.
        var next: Instant
    }

    /// - Returns: Whether a watcher runs, which then has to learn of it.
    mutating func poke() -> Bool {
        isPoked = true
        return watcher != nil
    }

    mutating func tick(at now: Instant) -> Tick {
        // Heartbeats come late by this at most.
        let grain = min(.seconds(1), policy.heartbeat / 4)
        var tick = Tick(next: now + grain)
        var isWaiting = false
        var (ending, beating): ([Int], [Int]) = ([], [])
        for (number, stream) in streams where stream.waiting != nil {
            if stream.endsAt <= now {
                ending.append(number)
            } else if stream.beatsAt <= now {
                beating.append(number)
            } else {
                isWaiting = true
                if stream.known != polledState { tick.isUrgent = true }
            }
        }
        tick.told += end(ending, with: End(hasMore: false))
        for number in beating {
            if let waiting = streams[number]?.removeWaiting() { tick.told.append((waiting, .beat)) }
        }
        tick.told += tellReaders(waitingNoLongerThan: now)
        if readers.values.contains(where: { $0.waiting != nil }) { isWaiting = true }
        guard isWaiting || isPolling else {
            watcher = nil
            tick.isOver = true
            return tick
        }
        if isPoked { tick.isUrgent = true }
        if isPolling { return tick }
        let due = tick.isUrgent ? nextPoll?.urgent : nextPoll?.usual
        guard let due, due > now else {
            isPolling = true
            isPoked = false
            tick.shouldPoll = true
            return tick
        }
        tick.next = min(tick.next, due)
        return tick
    }

    /// Whether a caller that has just written may poll, too, on the connection that it has. It may
    /// only where that is soon done.
    ///
    /// - Returns: Whether the caller has to carry out the poll now.
    mutating func claimPoll(at now: Instant) -> Bool {
        guard watcher != nil, !isPolling, nextPoll.map({ $0.urgent <= now }) ?? true,
            views.count <= LiveReading.readUnpolled
        else { return false }
        let groups = groups()
        guard !groups.isEmpty, groups.count <= LiveReading.readUnpolled, readers.isEmpty,
            !groups.contains(where: \.asked.isBehind)
        else { return false }
        isPolling = true
        isPoked = false
        return true
    }

    /// Reading what is known to have changed takes at most half of the time. Finding out whether
    /// anything has changed takes at most a tenth.
    mutating func polled(at now: Instant, taking time: Duration) {
        isPolling = false
        let time = min(time, Self.longestPause)
        nextPoll = (now + time, now + max(policy.interval, min(time * 10, Self.longestPause)))
    }

    /// The longest pause, however long a poll took: it may have waited for others, or the machine
    /// was asleep.
    private static let longestPause = Duration.seconds(2)

    /// The database was away, and may have come back as another one, so all streams are checked.
    mutating func failed(at now: Instant, tryingAfter delay: Duration) {
        isPolling = false
        isPoked = true
        nextPoll = (now + delay, now + delay)
        for number in Array(streams.keys) {
            streams[number]?.checksAt = now
            streams[number]?.checked = Self.behind
        }
    }

    // MARK: Checking

    /// - Parameter always: Whether the scopes that users may see can change while the database does
    ///   not.
    mutating func dueChecks(at now: Instant, always: Bool) -> [LiveCheck.Asked] {
        var due: [LiveCheck.Asked] = []
        var unchanged: [Int] = []
        for (number, stream) in streams where stream.checksAt <= now {
            if stream.checked == polledState, !always {
                unchanged.append(number)
            } else if due.count < Self.maximumChecks {
                due.append(
                    LiveCheck.Asked(
                        number: number, member: stream.member, view: stream.view,
                        cursor: stream.cursor))
            }
        }
        let next = now + policy.checkInterval
        for number in unchanged { streams[number]?.checksAt = next }
        return due
    }

    mutating func checked(_ numbers: [Int], at now: Instant) {
        let (next, state) = (now + policy.checkInterval, polledState)
        for number in numbers {
            streams[number]?.checksAt = next
            streams[number]?.checked = state
        }
    }

    // MARK: Reading

    /// The waiting streams, grouped by what they get. The group that has been behind for longest
    /// comes first.
    func groups() -> [(asked: LiveReading.Asked, numbers: [Int])] {
        var known: [LiveGroup: (numbers: [Int], oldest: Int)] = [:]
        for (number, stream) in streams where stream.waiting != nil {
            let group = LiveGroup(
                view: stream.view, cursor: stream.cursor, isCaughtUp: stream.isCaughtUp)
            var found = known.removeValue(forKey: group) ?? ([], polledState)
            found.numbers.append(number)
            found.oldest = min(found.oldest, stream.known)
            known[group] = found
        }
        return known.map { group, value in
            (
                asked: LiveReading.Asked(group: group, isBehind: value.oldest != polledState),
                numbers: value.numbers.sorted(), oldest: value.oldest
            )
        }
        .sorted { ($0.oldest, $0.numbers[0]) < ($1.oldest, $1.numbers[0]) }
        .map { ($0.asked, $0.numbers) }
    }

    /// - Parameter groups: The streams of each group that was read for.
    mutating func apply(_ found: LiveReading.Found, to groups: [[Int]]) -> [Delivery] {
        if changeToken?.hasSameBytes(as: found.changeToken) != true { polledState += 1 }
        changeToken = found.changeToken
        checkpoint = found.checkpoint
        figures.readings += 1
        figures.pagesRead += found.pagesRead
        let state = polledState
        var told = tellReaders(found, at: state)
        for (answer, numbers) in zip(found.answers, groups) {
            switch answer {
            case .nothing: for number in numbers { streams[number]?.known = state }
            case .later: for number in numbers { streams[number]?.known = Self.behind }
            case .over: told += end(numbers, with: End(hasMore: true))
            case .page(let page):
                let shared = SharedFrame(.page(page))
                for number in numbers {
                    // A stream that does not wait any more was cancelled, or got its end.
                    guard let waiting = streams[number]?.removeWaiting() else { continue }
                    streams[number]?.cursor = page.cursor
                    streams[number]?.isCaughtUp = page.isCaughtUp
                    streams[number]?.known = page.isCaughtUp ? state : Self.behind
                    figures.pagesSent += 1
                    told.append((waiting, .page(shared)))
                }
            }
        }
        return told
    }
}
