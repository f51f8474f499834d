#if Server
    import Foundation
    public import Logging
    import MoorageCore
    public import MoorageHub
    import MoorageSupport
    import MoorageWire
    public import ServiceLifecycle

    /// Reports to a webhook what happens at a hub. Run it in the `ServiceGroup` of the server.
    ///
    /// - Refusals and conflicts are reported at least once. The hub remembers how far they are, also
    ///   if the server is killed. Of several servers one reports them.
    /// - News are reported at most once for each absence, and not after the server has stopped.
    /// - After a failure it tries again, after 1 s at first and after five minutes at last.
    public struct WebhookService: Service {
        private let hub: Hub
        private let webhook: Webhook
        private let logger: Logger
        /// The shortest time between two looks at the conflict log.
        var interval = Duration.seconds(1)
        private let holder: String

        /// - Parameters:
        ///   - hub: Its configuration has `news`, if the webhook reports them.
        ///   - logger: Gets a line for each failure, without the address and the secret.
        public init(_ webhook: Webhook, of hub: Hub, logger: Logger) {
            self.hub = hub
            self.webhook = webhook
            self.logger = logger
            holder = Hub.randomID()
        }

        /// Reports until a graceful stop or cancellation. A request that is under way ends first.
        public func run() async throws {
            let queue = Locked(WebhookQueue(webhook))
            do {
                try await cancelWhenGracefulShutdown { try await report(queue) }
            } catch is CancellationError {
                // The server stops, and the services beside it go on until they have.
            }
            guard wantsLog else { return }
            // A task of its own, because this one may be cancelled. Without it another server waits
            // for half a minute.
            await Task { [hub, holder] in try? await hub.endNotices(of: holder) }.value
        }

        private var wantsLog: Bool {
            webhook.kinds.contains(.refused) || webhook.kinds.contains(.conflict)
        }

        private func report(_ queue: Locked<WebhookQueue>) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if webhook.kinds.contains(.news) {
                    group.addTask {
                        for await notice in hub.news { queue.withLock { $0.add(notice) } }
                    }
                }
                group.addTask { try await sendAll(queue) }
                try await group.waitForAll()
            }
        }

        private func sendAll(_ queue: Locked<WebhookQueue>) async throws {
            let start = ContinuousClock.now
            var log = LogReading()
            var dropped = 0
            while true {
                let now = start.duration(to: .now)
                if queue.withLock({ $0.isReady(at: now) }) {
                    // A stop waits for a request that is under way.
                    log = try await Task { [log] in try await send(queue, log, since: start) }.value
                }
                let count = queue.withLock { $0.droppedCount }
                if count > dropped {
                    logger.warning("The webhook is too slow: \(count) news were dropped in all.")
                    dropped = count
                }
                let wait = queue.withLock { $0.nextTry } - start.duration(to: .now)
                try await Task.sleep(for: max(interval, wait))
            }
        }

        /// Lines of the conflict log that were reported, or that nobody wants to know.
        private struct LogReading {
            var known: [(id: String, time: HubTime)] = []
            /// Up to when the hub knows that they were.
            var recorded = HubTime(milliseconds: 0)
        }

        /// Sends what there is, and records it.
        private func send(
            _ queue: Locked<WebhookQueue>, _ before: LogReading,
            since start: ContinuousClock.Instant
        ) async throws -> LogReading {
            var log = before
            let news = queue.withLock {
                $0.takeNews(
                    at: start.duration(to: .now), limit: WebhookQueue.maximumNotices / 2)
            }
            let reading = try await lines(log, limit: WebhookQueue.maximumNotices - news.count)
            let lines = reading?.notices ?? []
            let notices = news + lines.filter { webhook.kinds.contains($0.kind) }
            if !notices.isEmpty, try await !deliver(notices, queue, since: start) { return log }
            guard let reading else { return log }
            log.known.removeAll { $0.time < reading.since }
            log.known += lines.map { ($0.id, $0.time ?? reading.until) }
            // A quiet hub is written to once in a while, so that its log is not read again.
            let isDue = reading.until.milliseconds(since: log.recorded) > 60_000
            guard !lines.isEmpty || isDue else { return log }
            do {
                try await hub.passedOn(upTo: reading.until, by: holder)
                log.recorded = reading.until
            } catch is HubError {
                // The next server would report them again. The next report says so, too.
                logger.info("What was reported to the webhook could not be recorded.")
            }
            return log
        }

        /// - Returns: Whether the receiver has them.
        private func deliver(
            _ notices: [HubNotice], _ queue: Locked<WebhookQueue>,
            since start: ContinuousClock.Instant
        ) async throws -> Bool {
            let message = WebhookMessage(notices, secret: webhook.secret, at: Date())
            let failure = try await WebhookDelivery.send(message, to: webhook.url)
            let now = start.duration(to: .now)
            guard let failure else {
                queue.withLock { $0.delivered(notices, at: now) }
                return true
            }
            var random = SystemRandomNumberGenerator()
            let wait = queue.withLock { queue in
                queue.failed(notices, at: now, using: &random)
                return queue.nextTry - now
            }
            logger.warning(
                "The webhook did not take \(notices.count) notices: \(failure).",
                metadata: ["next": "\(wait)"])
            return false
        }

        /// What nobody has reported of the conflict log. A database that does not answer is asked
        /// again.
        private func lines(_ log: LogReading, limit: Int) async throws -> NoticeReading? {
            guard wantsLog else { return nil }
            do {
                return try await hub.conflictNotices(
                    for: holder, without: Set(log.known.map(\.id)), limit: limit)
            } catch is HubError {
                logger.info("The conflict log could not be read for the webhook.")
                return nil
            }
        }
    }
#endif
