import MoorageCore
import MoorageSupport
import MoorageWire

/// Changes as they come, for a program that is no replica.
///
/// It has a position and no queue. Between two pages it has no connection to the database: a slow
/// program gets as one page what changed meanwhile.
package final class ChangeStream: Sendable {
    package enum Event: Sendable {
        /// Changes, and the position behind them.
        case changes([RowChange], next: String)
        /// There is nothing more at this position.
        case caughtUp(String)
        /// The stream was silent for as long as it may be. The position may have moved.
        case beat(String)
        /// Nothing follows.
        ///
        /// - Parameter wait: How long the program waits before it comes again; `nil` for as long as
        ///   it likes.
        case end(wait: Duration?)
    }

    /// The delay after a page that the database could not answer.
    private static let retryDelay = Duration.seconds(1)
    /// The shortest time between two pages where there is nothing to catch up with. Where others
    /// commit all the time, each page says that there may be more.
    private static let pause = Duration.milliseconds(100)

    private let hub: Hub
    private let principal: Principal?
    private let request: ChangeRequest
    private let reader: LiveReader
    private let policy: LivePolicy
    /// Until it was passed on.
    private let first: Locked<ChangePage?>
    /// What had been polled when the first page was read.
    private let known: Int
    private let endsAt: ContinuousClock.Instant
    private let wait = Locked<Duration?>(nil)

    init(
        of hub: Hub, for principal: Principal?, _ request: ChangeRequest, reader: LiveReader,
        policy: LivePolicy, life: Duration?, first: ChangePage, known: Int
    ) {
        self.hub = hub
        self.principal = principal
        self.request = request
        self.reader = reader
        self.policy = policy
        self.first = Locked(first)
        self.known = known
        endsAt = .now + min(policy.maximumLife, life ?? policy.maximumLife)
    }

    /// Passes on what comes, up to and with the end. Each event waits until the one before was taken.
    ///
    /// It ends when its time is over. It also ends when the position has expired, because scopes,
    /// tables or the hub's history have changed: the next request says why.
    ///
    /// - Throws: What `receive` throws; `CancellationError`; `HubError` where the hub itself fails.
    package func run(_ receive: @Sendable (Event) async throws -> Void) async throws {
        var place = try await begin(receive)
        while !reader.isOver, .now < endsAt {
            if .now >= place.beatsAt {
                try await receive(.beat(place.position))
                place.beatsAt = .now + policy.heartbeat
            }
            if !place.hasMore, try await !hasReason(place) { continue }
            (place.readAt, place.checksAt) = (.now, .now + policy.checkInterval)
            switch try await read(&place, receive) {
            case .nothing?:
                _ = try await reader.wait(
                    for: place.interest, since: place.known, until: .now + Self.retryDelay)
            case .page(let page, let known)?:
                if try await pass(page, isNews: place.hasMore, receive) {
                    place.beatsAt = .now + policy.heartbeat
                }
                place.move(behind: page, known: known)
            case nil: return try await receive(.end(wait: nil))
            }
        }
        try await receive(.end(wait: wait.withLock { $0 }))
    }

    /// Passes on the first page, which the stream then forgets.
    private func begin(_ receive: @Sendable (Event) async throws -> Void) async throws -> Place {
        guard let page = first.withLock({ $0.take() }) else { throw CancellationError() }
        try await pass(page, isNews: true, receive)
        return Place(behind: page, known: known, policy: policy)
    }

    /// Ends the stream soon, from any thread.
    ///
    /// - Parameter wait: How long the program waits before it comes again.
    package func end(wait: Duration? = nil) {
        self.wait.withLock { $0 = wait }
        reader.end()
    }

    /// How far the stream is. It keeps no rows.
    private struct Place {
        private(set) var position: String
        private(set) var hasMore: Bool
        private(set) var interest: LiveInterest
        /// What had been polled when the last page was read.
        private(set) var known: Int
        var readAt = ContinuousClock.now
        var beatsAt: ContinuousClock.Instant
        /// When to read again in any case. Scopes may have changed, and no poll tells of that.
        var checksAt: ContinuousClock.Instant

        init(behind page: ChangePage, known: Int, policy: LivePolicy) {
            position = page.next
            hasMore = page.hasMore
            interest = page.interest
            self.known = known
            beatsAt = .now + policy.heartbeat
            checksAt = .now + policy.checkInterval
        }

        mutating func move(behind page: ChangePage, known: Int) {
            self.known = known
            position = page.next
            hasMore = page.hasMore
            interest = page.interest
        }
    }

    /// Waits for a reason to read.
    ///
    /// - Returns: Whether there is one; false for a heartbeat or the end.
    private func hasReason(_ place: Place) async throws -> Bool {
        let until = min(place.beatsAt, place.checksAt, endsAt)
        let hasChange = try await reader.wait(
            for: place.interest, since: place.known, until: until)
        if hasChange {
            let pause = min(policy.interval, Self.pause)
            try await Task.sleep(until: place.readAt + pause, clock: .continuous)
        }
        return hasChange || .now >= place.checksAt && .now < endsAt
    }

    private enum Reading {
        /// - Parameter known: What had been polled when its reading began.
        case page(ChangePage, known: Int)
        /// The database does not answer now, or the stream is about to end.
        case nothing
    }

    private enum Step {
        case read(Reading?)
        case beat
    }

    /// Reads on. Meanwhile it beats, because other streams may read before, and the database may be
    /// slow.
    ///
    /// - Returns: `nil` where nobody can read on.
    private func read(
        _ place: inout Place, _ receive: @Sendable (Event) async throws -> Void
    ) async throws -> Reading? {
        let position = place.position
        return try await withThrowingTaskGroup(of: Step.self) { steps in
            func wait(until beat: ContinuousClock.Instant) {
                steps.addTask {
                    try await Task.sleep(until: beat, clock: .continuous)
                    return .beat
                }
            }
            steps.addTask { .read(try await self.read(after: position)) }
            wait(until: place.beatsAt)
            while let step = try await steps.next() {
                switch step {
                case .read(let reading):
                    steps.cancelAll()
                    return reading
                case .beat:
                    try await receive(.beat(position))
                    place.beatsAt = .now + policy.heartbeat
                    wait(until: place.beatsAt)
                }
            }
            throw CancellationError()
        }
    }

    /// - Returns: `nil` where nobody can read on.
    private func read(after position: String) async throws -> Reading? {
        var request = request
        request.start = .after(position)
        do {
            return try await hub.changeTurns.take { [request] in
                // A server that stops does not wait until all streams have read.
                guard !reader.isOver, .now < endsAt else { return .nothing }
                let known = reader.state
                return .page(try await hub.changes(for: principal, request), known: known)
            }
        } catch is RowProblem {
            return nil
        } catch let error as HubError where error.isTransient {
            return .nothing
        }
    }

    /// - Parameter isNews: Whether the program does not know yet that there is nothing more.
    /// - Returns: Whether there was anything to pass on.
    @discardableResult
    private func pass(
        _ page: ChangePage, isNews: Bool, _ receive: @Sendable (Event) async throws -> Void
    ) async throws -> Bool {
        if !page.changes.isEmpty { try await receive(.changes(page.changes, next: page.next)) }
        let isCaughtUp = !page.hasMore && (isNews || !page.changes.isEmpty)
        if isCaughtUp { try await receive(.caughtUp(page.next)) }
        return isCaughtUp || !page.changes.isEmpty
    }
}
