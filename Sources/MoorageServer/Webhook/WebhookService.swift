#if Server
    import Foundation
    public import Logging
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
        var interval = Duration.seconds(2)
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
            try await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    if webhook.kinds.contains(.news) {
                        group.addTask {
                            for await notice in hub.news { queue.withLock { $0.add(notice) } }
                        }
                    }
                    group.addTask { try await report(queue) }
                    try await group.waitForAll()
                }
            }
        }

        private func report(_ queue: Locked<WebhookQueue>) async throws {
            let start = ContinuousClock.now
            /// Lines of the conflict log that were reported, or that nobody wants to know.
            var known: [String] = []
            while true {
                let now = start.duration(to: .now)
                if queue.withLock({ $0.isReady(at: now) }) {
                    try await report(queue, &known, at: now)
                }
                let wait = queue.withLock { $0.nextTry } - start.duration(to: .now)
                try await Task.sleep(for: max(interval, wait))
            }
        }

        private func report(
            _ queue: Locked<WebhookQueue>, _ known: inout [String], at now: Duration
        ) async throws {
            var notices = queue.withLock { $0.dueNews(at: now) }
            let lines = try await lines(without: known, limit: WebhookQueue.maximumNotices)
            notices += lines.filter { webhook.kinds.contains($0.kind) }
            var random = SystemRandomNumberGenerator()
            if !notices.isEmpty {
                let message = WebhookMessage(notices, secret: webhook.secret, at: Date())
                if let failure = try await WebhookDelivery.send(message, to: webhook.url) {
                    let wait = queue.withLock { queue in
                        queue.failed(at: now, using: &random)
                        return queue.nextTry - now
                    }
                    logger.warning(
                        "The webhook did not take \(notices.count) notices: \(failure).",
                        metadata: ["next": "\(wait)"])
                    return
                }
                queue.withLock { $0.delivered(notices, at: now) }
            }
            guard let last = lines.last?.time else { return }
            known = (known + lines.map(\.id)).suffix(10_000)
            do {
                try await hub.passedOn(upTo: last)
            } catch is HubError {
                // The next server would report them again. The next report says so, too.
                logger.info("What was reported to the webhook could not be recorded.")
            }
        }

        /// What nobody has reported of the conflict log. A database that does not answer is asked
        /// again.
        private func lines(
            without known: [String], limit: Int
        ) async throws -> [HubNotice] {
            guard webhook.kinds.contains(.refused) || webhook.kinds.contains(.conflict) else {
                return []
            }
            do {
                return try await hub.conflictNotices(
                    for: holder, without: Set(known), limit: limit) ?? []
            } catch is HubError {
                logger.info("The conflict log could not be read for the webhook.")
                return []
            }
        }
    }
#endif
