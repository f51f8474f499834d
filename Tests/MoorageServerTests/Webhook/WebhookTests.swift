#if Server
    import Foundation
    import Logging
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageTesting
    import MoorageWire
    import ServiceLifecycle
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `A webhook` {
        private static let secret = "a secret of thirty-two bytes or more"

        private func hub() async throws -> (SQLiteDatabase, Hub) {
            let database = try SQLiteDatabase()
            try database.execute(
                """
                CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT CHECK (text <> 'bad'))
                """)
            var configuration = HubConfiguration()
            var news = NewsPolicy()
            news.interval = .milliseconds(5)
            configuration.news = news
            let hub = Hub(database: database, configuration: configuration)
            _ = try await hub.attach(tables: ["note"])
            return (database, hub)
        }

        private static let replica = "00000000-0000-4000-8000-000000000001"

        private func exchange(
            _ hub: Hub, inserting text: String? = nil, number: Int64 = 1
        ) async throws {
            let tables = [TableColumns(name: "note", columns: ["id", "text"])]
            let batch = text.map { text in
                Batch(
                    number: number, nonce: "nonce-\(number)", preparedAt: 0, tables: tables,
                    changes: [
                        Change(
                            table: "note", key: RowKey([.integer(number)]),
                            operation: .insert([.integer(number), .text(text)]), editedAt: 0)
                    ])
            }
            let request = ExchangeRequest(
                replica: Self.replica, hub: nil, sentAt: 0, tables: tables, cursor: .start,
                schemaVersion: nil, batch: batch,
                limits: PageLimits(maximumRows: 100, maximumPages: 100), isLive: false)
            try await hub.exchange(request) { _ in }
        }

        /// Runs a service for as long as the test runs.
        private func serving(
            _ webhook: Webhook, _ hub: Hub, _ test: () async throws -> Void
        ) async throws {
            let log = LogLines()
            var service = WebhookService(webhook, of: hub, logger: log.logger)
            service.interval = .milliseconds(20)
            let task = Task { [service] in try await service.run() }
            do {
                try await test()
            } catch {
                task.cancel()
                throw error
            }
            task.cancel()
            _ = await task.result
            let lines = log.all.joined()
            #expect(!lines.contains("127.0.0.1") && !lines.contains(Self.secret))
        }

        private func webhook(_ url: String) throws -> Webhook {
            var webhook = try Webhook(url: url, secret: Self.secret)
            webhook.newsInterval = .milliseconds(1)
            webhook.requestsPerMinute = 60_000
            return webhook
        }

        @Test func `gets news, refusals, and nothing twice`() async throws {
            let (database, hub) = try await hub()
            let receiver = WebhookReceiver(secret: Self.secret)
            try await receiver.run { url in
                try await serving(webhook(url), hub) {
                    // The first look at the log marks the present.
                    try await eventually("the present is marked") {
                        try !database.perform {
                            try $0.run("SELECT 1 FROM moorage_meta WHERE name = 'notices_at'", [])
                        }.isEmpty
                    }
                    try await exchange(hub, inserting: "bad")
                    try await eventually("the refusal is reported") {
                        receiver.events.map(\.type) == ["refused"]
                    }
                    let refusal = receiver.events[0]
                    #expect(refusal.replica == Self.replica && refusal.table == "note")
                    #expect(refusal.code != nil && refusal.at != nil)
                    try database.execute("INSERT INTO note VALUES (9, 'news')")
                    try await eventually("the news are reported") {
                        receiver.events.map(\.type) == ["refused", "news"]
                    }
                    try await Task.sleep(for: .milliseconds(150))
                    #expect(receiver.events.count == 2)
                    #expect(receiver.badSignatureCount == 0)
                }
            }
        }

        @Test func `gets again what it did not take`() async throws {
            let (database, hub) = try await hub()
            let receiver = WebhookReceiver(secret: Self.secret)
            receiver.refuse(true)
            try await receiver.run { url in
                try await serving(webhook(url), hub) {
                    try await exchange(hub)
                    try database.execute("INSERT INTO note VALUES (9, 'news')")
                    try await eventually("it was asked") { receiver.requestCount > 0 }
                    receiver.refuse(false)
                    try await eventually("the news are reported") {
                        receiver.events.map(\.type) == ["news"]
                    }
                }
            }
        }

        @Test func `gets what was refused while nobody reported`() async throws {
            let (database, hub) = try await hub()
            let receiver = WebhookReceiver(secret: Self.secret)
            _ = try await hub.conflictNotices(for: "earlier", without: [], limit: 1)
            try await exchange(hub, inserting: "bad")
            try await exchange(hub, inserting: "bad", number: 2)
            try await receiver.run { url in
                var webhook = try webhook(url)
                webhook.kinds = [.refused]
                // The earlier process was killed, and has 30 seconds to come again.
                try database.execute(
                    "UPDATE moorage_meta SET value = '1 earlier' WHERE name = 'notices_by'")
                try await serving(webhook, hub) {
                    try await eventually("both are reported") { receiver.events.count == 2 }
                }
                // The next one begins at once, and reads the last minutes again.
                try await exchange(hub, inserting: "bad", number: 3)
                try await serving(webhook, hub) {
                    try await eventually("the third is reported") {
                        Set(receiver.events.map(\.id)).count == 3
                    }
                }
                let isLeft = try database.perform {
                    try $0.run("SELECT value FROM moorage_meta WHERE name = 'notices_by'", [])
                }
                guard case .text(let lease)? = isLeft.first?.first else {
                    throw CancellationError()
                }
                #expect(lease.hasPrefix("0 "), "the last one has let go")
            }
        }

        @Test func `stops with its server, gracefully`() async throws {
            let (database, hub) = try await hub()
            let log = LogLines()
            let server = try HubServer(
                hub: hub, health: { HealthReport(isReachable: true) },
                configuration: HubServer.Configuration(
                    listen: ListenAddress(host: "127.0.0.1", port: 0),
                    secret: try SharedSecret("0123456789abcdef")), logger: log.logger)
            let webhook = try Webhook(url: "http://127.0.0.1:1/", secret: Self.secret)
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [server, WebhookService(webhook, of: hub, logger: log.logger)],
                    logger: log.logger))
            let task = Task { try await group.run() }
            try await eventually("the log is read") {
                try !database.perform {
                    try $0.run("SELECT 1 FROM moorage_meta WHERE name = 'notices_at'", [])
                }.isEmpty
            }
            await group.triggerGracefulShutdown()
            try await task.value
        }

        @Test func `is signed as the guide says`() {
            let notice = HubNotice(id: "n", kind: .news, replica: "r", user: "\"ada\"")
            let message = WebhookMessage(
                [notice], secret: Self.secret, at: Date(timeIntervalSince1970: 1_764_417_600.5))
            #expect(
                String(decoding: message.body, as: UTF8.self)
                    == #"{"events":[{"id":"n","type":"news","replica":"r","user":"\"ada\""}]}"#)
            #expect(message.signature.hasPrefix("t=1764417600,v1="))
            #expect(message.signature.count == "t=1764417600,v1=".count + 64)
        }

        @Test func `needs a safe address and a long secret`() {
            for url in ["http://example.org/", "https://a:b@c/", "ftp://x", "", "https://"] {
                #expect(throws: HubError.self) { try Webhook(url: url, secret: Self.secret) }
            }
            #expect(throws: HubError.self) { try Webhook(url: "https://x/", secret: "short") }
            #expect(throws: Never.self) {
                try Webhook(url: "http://127.0.0.1:1/", secret: Self.secret)
            }
        }
    }
#endif
