import Logging
import MoorageCore
import MoorageSupport
import MoorageWire

/// Finds out when the hub has something for a replica that is away.
///
/// A replica is away when its exchange is over, or its live stream. It waits here in a feed of its
/// own, at the cursor where it left, and until the first page for it or the first reason to
/// exchange. Then it is forgotten until it comes again. What waits is in memory: after a restart of
/// the hub, a replica is watched again once it has come.
final class AbsentReplicas: Sendable {
    /// One row is enough to know that there is one.
    private static let limits = PageLimits(
        maximumRows: 1, maximumBytes: 1, maximumPages: 1)

    private struct State {
        /// The replicas that wait, and the numbers of their waits.
        var waits: [LiveMember.Name: Wait] = [:]
        var next = 0
    }

    private struct Wait {
        let number: Int
        let task: Task<Void, Never>
        let opening: LiveOpening
    }

    private struct HasNews: Error {}

    private let policy: NewsPolicy
    private let feed: LiveFeed
    private let state = Locked(State())
    private let makeID: @Sendable () -> String
    private let continuation: AsyncStream<HubNotice>.Continuation
    /// The replicas for which there is something. A slow listener misses the oldest.
    let news: AsyncStream<HubNotice>

    init(
        _ database: any CentralDatabase, states: HubStateReader, configuration: HubConfiguration,
        policy: NewsPolicy, makeID: @escaping @Sendable () -> String, logger: Logger
    ) {
        var configuration = configuration
        configuration.live.interval = policy.interval
        configuration.live.checkInterval = .seconds(3_600)
        // Nobody waits for a sign of life.
        configuration.live.heartbeat = .seconds(3_600)
        configuration.live.maximumLife = policy.maximumAbsence
        self.policy = policy
        self.makeID = makeID
        // Fifty thousand devices need not learn of an owner's mistake at once.
        feed = LiveFeed(
            database, states: states, configuration: configuration, endsOnError: false,
            logger: logger)
        (news, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(policy.maximumReplicas))
    }

    deinit {
        continuation.finish()
        for wait in state.withLock({ $0.waits.values }) { wait.task.cancel() }
    }

    var count: Int { state.withLock { $0.waits.count } }

    /// A replica is away from now on.
    func left(_ opening: LiveOpening) {
        let name = opening.member.name
        let stream = LiveStream(opening.withLimits(Self.limits), in: feed, life: nil)
        let older = state.withLock { state -> Task<Void, Never>? in
            // The replica that comes next would need memory that nobody has planned for.
            guard state.waits[name] != nil || state.waits.count < policy.maximumReplicas else {
                return nil
            }
            state.next += 1
            let number = state.next
            let task = Task { [weak self] in
                let hasNews = await Self.waits(stream)
                self?.ended(name, number, hasNews: hasNews)
            }
            let wait = Wait(number: number, task: task, opening: opening)
            return state.waits.updateValue(wait, forKey: name)?.task
        }
        older?.cancel()
    }

    /// A replica exchanges, so it learns by itself what there is.
    ///
    /// - Returns: Where it was, in case the exchange breaks off; `nil` if nobody watched it.
    @discardableResult
    func returned(_ name: LiveMember.Name) -> LiveOpening? {
        let wait = state.withLock { $0.waits.removeValue(forKey: name) }
        wait?.task.cancel()
        return wait?.opening
    }

    /// - Returns: Whether there is a reason to exchange; false if the time is over.
    private static func waits(_ stream: LiveStream) async -> Bool {
        do {
            try await stream.run { shared in
                switch shared.frame {
                case .page: throw HasNews()
                case .end(let end) where end.hasMore: throw HasNews()
                case .welcome, .outcomes, .alive, .end, .error: break
                }
            }
            return false
        } catch {
            return error is HasNews
        }
    }

    private func ended(_ name: LiveMember.Name, _ number: Int, hasNews: Bool) {
        let isNewest = state.withLock { state in
            guard state.waits[name]?.number == number else { return false }
            state.waits[name] = nil
            return true
        }
        guard isNewest, hasNews else { return }
        continuation.yield(
            HubNotice(id: makeID(), kind: .news, replica: name.replica, user: name.subject))
    }
}

extension LiveOpening {
    fileprivate func withLimits(_ limits: PageLimits) -> LiveOpening {
        let name = LiveView.Name(
            epoch: view.name.epoch, schemaVersion: view.name.schemaVersion,
            suspended: view.name.suspended, tables: view.name.tables,
            authorized: view.name.authorized, priorities: view.name.priorities,
            signedFor: view.name.signedFor, limits: limits)
        return LiveOpening(
            member: member,
            view: LiveView(name: name, tables: view.tables, signatures: view.signatures),
            cursor: cursor, time: time)
    }
}
