#if Server
    import MoorageHub
    import MoorageTesting
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `What waits for a webhook` {
        private var webhook: Webhook {
            get throws {
                var webhook = try Webhook(
                    url: "https://x/", secret: "a secret of thirty-two bytes or more")
                webhook.requestsPerMinute = 60
                webhook.newsInterval = .seconds(60)
                return webhook
            }
        }

        private func news(_ replica: String, _ id: String? = nil) -> HubNotice {
            HubNotice(id: id ?? "id-\(replica)", kind: .news, replica: replica)
        }

        @Test func `goes out once for each replica, and not again for a while`() throws {
            var queue = WebhookQueue(try webhook)
            queue.add(news("a"))
            queue.add(news("a", "again"))
            queue.add(news("b"))
            let sent = queue.takeNews(at: .zero, limit: 100)
            #expect(sent.map(\.id) == ["id-a", "id-b"])
            queue.delivered(sent, at: .zero)
            #expect(queue.newsCount == 0)
            queue.add(news("a", "later"))
            #expect(queue.takeNews(at: .seconds(59), limit: 100) == [])
            #expect(queue.takeNews(at: .seconds(60), limit: 100).map(\.id) == ["later"])
        }

        @Test func `keeps what came during a request`() throws {
            var queue = WebhookQueue(try webhook)
            var random = SeededGenerator(seed: 1)
            queue.add(news("a"))
            let first = queue.takeNews(at: .zero, limit: 100)
            queue.add(news("a", "meanwhile"))
            queue.delivered(first, at: .zero)
            #expect(queue.newsCount == 1)
            let second = queue.takeNews(at: .seconds(60), limit: 100)
            #expect(second.map(\.id) == ["meanwhile"])
            queue.failed(second, at: .seconds(60), using: &random)
            #expect(queue.takeNews(at: .seconds(70), limit: 100) == second)
        }

        @Test func `keeps the gap between requests`() throws {
            var queue = WebhookQueue(try webhook)
            #expect(queue.isReady(at: .zero))
            queue.delivered([], at: .zero)
            #expect(!queue.isReady(at: .milliseconds(999)))
            #expect(queue.isReady(at: .seconds(1)))
        }

        @Test func `waits longer after each failure, and five minutes at last`() throws {
            var queue = WebhookQueue(try webhook)
            var random = SeededGenerator(seed: 1)
            var now = Duration.zero
            var waits: [Duration] = []
            for _ in 0..<14 {
                queue.failed([], at: now, using: &random)
                waits.append(queue.nextTry - now)
                now = queue.nextTry
            }
            for (number, wait) in waits.enumerated() {
                let middle = min(Duration.seconds(1) * (1 << number), .seconds(300))
                let limits = max(middle * 0.8, .seconds(1))...max(middle * 1.2, .seconds(1))
                #expect(limits.contains(wait))
            }
            queue.delivered([], at: now)
            queue.failed([], at: now, using: &random)
            #expect(queue.nextTry - now < .seconds(2))
        }

        @Test func `has a limit, and drops the oldest`() throws {
            var queue = WebhookQueue(try webhook)
            for number in 0...WebhookQueue.maximumNews { queue.add(news("r\(number)")) }
            #expect(queue.newsCount == WebhookQueue.maximumNews && queue.droppedCount == 1)
            let sent = queue.takeNews(at: .zero, limit: 50)
            #expect(sent.first?.replica == "r1" && sent.count == 50)
        }
    }
#endif
