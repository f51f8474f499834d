#if Server
    import Foundation
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageWire
    import ServiceLifecycle
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `A webhook` {
        @Test func `gets news, refusals, and nothing twice`() async throws {
            let bench = try await WebhookHub()
            let database = bench.database
            let receiver = WebhookReceiver(secret: WebhookHub.secret)
            try await receiver.run { url in
                try await bench.reporting(to: url) {
                    try await bench.waitUntilMarked()
                    try await bench.exchange(inserting: "bad")
                    try await eventually("the refusal is reported") {
                        receiver.events.map(\.type) == ["refused"]
                    }
                    let refusal = receiver.events[0]
                    #expect(refusal.replica == WebhookHub.replica && refusal.table == "note")
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
            let bench = try await WebhookHub()
            let database = bench.database
            let receiver = WebhookReceiver(secret: WebhookHub.secret)
            receiver.refuse(true)
            try await receiver.run { url in
                try await bench.reporting(to: url) {
                    try await bench.exchange()
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
            let bench = try await WebhookHub()
            let database = bench.database
            let receiver = WebhookReceiver(secret: WebhookHub.secret)
            _ = try await bench.hub.conflictNotices(for: "earlier", without: [], limit: 1)
            try await bench.exchange(inserting: "bad")
            try await bench.exchange(inserting: "bad", number: 2)
            try await receiver.run { url in
                // The earlier process was killed, and has 30 seconds to come again.
                try database.execute(
                    "UPDATE moorage_meta SET value = '1 earlier' WHERE name = 'notices_by'")
                try await bench.reporting(to: url, [.refused]) {
                    try await eventually("both are reported") { receiver.events.count == 2 }
                }
                // The next one begins at once, and reads the last minutes again.
                try await bench.exchange(inserting: "bad", number: 3)
                try await bench.reporting(to: url, [.refused]) {
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
            let bench = try await WebhookHub()
            let log = LogLines()
            let server = try HubServer(
                hub: bench.hub, health: { HealthReport(isReachable: true) },
                configuration: HubServer.Configuration(
                    listen: ListenAddress(host: "127.0.0.1", port: 0),
                    secret: try SharedSecret("0123456789abcdef")), logger: log.logger)
            let webhook = try Webhook(
                url: "http://127.0.0.1:1/?key=of-the-address", secret: WebhookHub.secret)
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [server, WebhookService(webhook, of: bench.hub, logger: log.logger)],
                    logger: log.logger))
            let task = Task { try await group.run() }
            try await bench.waitUntilMarked()
            await group.triggerGracefulShutdown()
            try await task.value
            #expect(!log.all.isEmpty)
            #expect(!log.all.contains { $0.contains(WebhookHub.secret) })
            #expect(!log.all.contains { $0.contains("of-the-address") })
        }

        @Test func `is signed as the guide says`() {
            let notice = HubNotice(id: "n", kind: .news, replica: "r", user: "\"ada\"")
            let message = WebhookMessage(
                [notice], secret: WebhookHub.secret,
                at: Date(timeIntervalSince1970: 1_764_417_600.5))
            #expect(
                String(decoding: message.body, as: UTF8.self)
                    == #"{"events":[{"id":"n","type":"news","replica":"r","user":"\"ada\""}]}"#)
            #expect(message.signature.hasPrefix("t=1764417600,v1="))
            #expect(message.signature.count == "t=1764417600,v1=".count + 64)
        }

        @Test func `needs a safe address and a long secret`() {
            for url in ["http://example.org/", "https://a:b@c/", "ftp://x", "", "https://"] {
                #expect(throws: HubError.self) { try Webhook(url: url, secret: WebhookHub.secret) }
            }
            #expect(throws: HubError.self) { try Webhook(url: "https://x/", secret: "short") }
            #expect(throws: Never.self) {
                try Webhook(url: "http://127.0.0.1:1/", secret: WebhookHub.secret)
            }
        }
    }
#endif
