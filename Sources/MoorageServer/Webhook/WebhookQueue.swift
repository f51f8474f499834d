#if Server
    import MoorageHub

    /// What waits for a webhook: when a request goes out, and with which notices.
    ///
    /// It uses no tasks, clock or randomness of its own. Times count from any moment, by a clock
    /// that nobody sets.
    struct WebhookQueue: Sendable {
        /// The most notices in a request.
        static let maximumNotices = 100
        /// The most replicas whose news wait. Beyond it the oldest is dropped: such a replica finds
        /// its news the next time it comes.
        static let maximumNews = 10_000
        private static let longestDelay = Duration.seconds(300)

        private let newsInterval: Duration
        private let gap: Duration
        private var news: [HubNotice] = []
        /// The replicas of these.
        private var waiting: Set<String> = []
        /// When news of a replica went out last.
        private var newsSent: [String: Duration] = [:]
        private var failures = 0
        private(set) var nextTry = Duration.zero
        /// How many news were dropped.
        private(set) var droppedCount = 0

        init(_ webhook: Webhook) {
            newsInterval = webhook.newsInterval
            gap = .seconds(60) / max(1, webhook.requestsPerMinute)
        }

        var newsCount: Int { news.count }

        /// A replica has news. One that waits already is not added again.
        mutating func add(_ notice: HubNotice) {
            guard waiting.insert(notice.replica).inserted else { return }
            if news.count >= Self.maximumNews {
                waiting.remove(news.removeFirst().replica)
                droppedCount += 1
            }
            news.append(notice)
        }

        /// Whether a request may go out.
        func isReady(at now: Duration) -> Bool { nextTry <= now }

        /// Takes the news that may go out. What comes for these replicas from now on is new.
        mutating func takeNews(at now: Duration, limit: Int) -> [HubNotice] {
            var due: [HubNotice] = []
            news.removeAll { notice in
                guard due.count < limit else { return false }
                if let sent = newsSent[notice.replica], sent + newsInterval > now { return false }
                due.append(notice)
                waiting.remove(notice.replica)
                return true
            }
            return due
        }

        /// The receiver has these notices.
        mutating func delivered(_ notices: [HubNotice], at now: Duration) {
            failures = 0
            nextTry = now + gap
            newsSent = newsSent.filter { $0.value + newsInterval > now }
            for notice in notices where notice.kind == .news { newsSent[notice.replica] = now }
        }

        /// The receiver did not take these notices. The delay doubles, up to five minutes.
        mutating func failed(
            _ notices: [HubNotice], at now: Duration, using random: inout some RandomNumberGenerator
        ) {
            for notice in notices where notice.kind == .news { add(notice) }
            failures += 1
            var delay = Duration.seconds(1)
            for _ in 1..<failures where delay < Self.longestDelay { delay = delay * 2 }
            delay = min(delay, Self.longestDelay) * Double.random(in: 0.8...1.2, using: &random)
            nextTry = now + max(delay, gap)
        }
    }
#endif
