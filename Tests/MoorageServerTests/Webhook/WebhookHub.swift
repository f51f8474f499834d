#if Server
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    /// A hub with notes that knows of news, and refuses the note "bad".
    struct WebhookHub: Sendable {
        static let secret = "a secret of thirty-two bytes or more"
        static let replica = "00000000-0000-4000-8000-000000000001"

        let database: SQLiteDatabase
        let hub: Hub

        init() async throws {
            database = try SQLiteDatabase()
            try database.execute(
                """
                CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT CHECK (text <> 'bad'))
                """)
            var configuration = HubConfiguration()
            var news = NewsPolicy()
            news.interval = .milliseconds(5)
            configuration.news = news
            hub = Hub(database: database, configuration: configuration)
            _ = try await hub.attach(tables: ["note"])
        }

        /// Exchanges as a replica does that then leaves.
        func exchange(inserting text: String? = nil, number: Int64 = 1) async throws {
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

        /// Reports to a webhook for as long as the test runs.
        func reporting(
            to url: String, _ kinds: Set<HubNotice.Kind> = Set(HubNotice.Kind.allCases),
            _ test: () async throws -> Void
        ) async throws {
            var webhook = try Webhook(url: url, secret: Self.secret)
            webhook.kinds = kinds
            webhook.newsInterval = .milliseconds(1)
            webhook.requestsPerMinute = 60_000
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

        /// Waits for the first look at the conflict log, which marks the present.
        func waitUntilMarked() async throws {
            try await eventually("the present is marked") {
                try !database.perform {
                    try $0.run("SELECT 1 FROM moorage_meta WHERE name = 'notices_at'", [])
                }.isEmpty
            }
        }
    }
#endif
