#if Server
    import AsyncHTTPClient
    import Foundation
    import MoorageHub
    import NIOCore
    import NIOHTTP1
    import ServiceLifecycle
    import TestSupport
    import Testing

    @testable import MoorageServer
    @testable import PushRelay

    /// A relay with a folder of its own, and services that record what it sends.
    struct PushRelayBench: Sendable {
        static let appSecret = "the app's secret, which is long enough"
        static let apnsToken = "80fa1234"
        static let fcmToken = "fcm:device-1"
        /// Replicas with these tokens.
        static let phone = "00000000-0000-4000-8000-00000000000a"
        static let tablet = "00000000-0000-4000-8000-00000000000b"

        let services = PushServiceDouble()
        let folder: URL
        let log = LogLines()

        /// Makes the folder, and removes it when the test has ended.
        static func run(_ test: @Sendable (PushRelayBench) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "push-relay-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await test(PushRelayBench(folder: folder))
        }

        /// Runs services and relay for as long as the test runs, and stops the relay gracefully.
        /// Its log must have no secrets.
        ///
        /// - Parameters:
        ///   - variable: A variable that is not set.
        ///   - changes: Variables that are set otherwise, by the services' address.
        func relaying(
            without variable: String? = nil,
            changes: @Sendable (_ url: String) -> [String: String] = { _ in [:] },
            _ test: @Sendable (RunningRelay) async throws -> Void
        ) async throws {
            try await services.run { url in
                var environment = try environment(services: url)
                if let variable { environment[variable] = nil }
                environment.merge(changes(url)) { _, new in new }
                let settings = try RelaySettings(environment: environment)
                let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
                let server = try RelayServer(settings, logger: log.logger) {
                    continuation.yield($0)
                }
                let group = ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [server], logger: log.logger))
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask {
                        defer { continuation.finish() }
                        try await group.run()
                    }
                    var iterator = ports.makeAsyncIterator()
                    guard let port = await iterator.next() else {
                        // It never listened, and says why.
                        try await tasks.waitForAll()
                        throw CancellationError()
                    }
                    try await test(RunningRelay(url: "http://127.0.0.1:\(port)"))
                    await group.triggerGracefulShutdown()
                    try await tasks.waitForAll()
                }
            }
            let lines = log.all.joined(separator: "\n")
            for secret in [
                WebhookHub.secret, Self.appSecret, Self.apnsToken, Self.fcmToken, "access-1",
                "bearer ",
            ] {
                #expect(!lines.contains(secret))
            }
        }

        /// The settings of a relay whose services are local.
        func environment(services url: String) throws -> [String: String] {
            let key = folder.appending(path: "key.p8").path
            let account = folder.appending(path: "account.json").path
            try TestKeys.ec.write(toFile: key, atomically: true, encoding: .utf8)
            try JSONEncoder().encode([
                "project_id": "shop-1", "client_email": "relay@shop-1.example",
                "private_key_id": "rsa-1", "private_key": TestKeys.rsa,
                "token_uri": "\(url)/token",
            ]).write(to: URL(fileURLWithPath: account))
            return [
                "PUSH_PORT": "0", "WEBHOOK_SECRET": WebhookHub.secret,
                "PUSH_APP_SECRET": Self.appSecret,
                "PUSH_TOKEN_FILE": folder.appending(path: "tokens.json").path,
                "PUSH_REFUSED_TITLE": "Not accepted",
                "APNS_KEY_FILE": key, "APNS_KEY_ID": "KEY1", "APNS_TEAM_ID": "TEAM1",
                "APNS_TOPIC": "example.shop", "APNS_URL": url,
                "FCM_ACCOUNT_FILE": account, "FCM_URL": "\(url)/",
            ]
        }
    }

    /// A relay that listens, and what the hub and the app ask it.
    struct RunningRelay: Sendable {
        let url: String

        /// Registers ``PushRelayBench/phone`` at APNs and ``PushRelayBench/tablet`` at FCM.
        func registerBoth() async throws {
            let phone = try await register(
                PushRelayBench.phone, "apns", PushRelayBench.apnsToken)
            let tablet = try await register(
                PushRelayBench.tablet, "fcm", PushRelayBench.fcmToken)
            #expect(phone == 204 && tablet == 204)
        }

        /// - Returns: The status of the answer, as of the other requests.
        func register(
            _ replica: String, _ service: String, _ token: String,
            secret: String = PushRelayBench.appSecret
        ) async throws -> UInt {
            try await send(
                .PUT, "/tokens/\(replica)", ["Authorization": "Bearer \(secret)"],
                Array(#"{"service":"\#(service)","token":"\#(token)"}"#.utf8))
        }

        func unregister(_ replica: String) async throws -> UInt {
            try await send(
                .DELETE, "/tokens/\(replica)",
                ["Authorization": "Bearer \(PushRelayBench.appSecret)"], [])
        }

        /// Sends what a hub would.
        func report(
            _ notices: [HubNotice], secret: String = WebhookHub.secret, at time: Date = Date()
        ) async throws -> UInt {
            let message = WebhookMessage(notices, secret: secret, at: time)
            return try await hook(message.body, message.signature)
        }

        func hook(_ body: [UInt8], _ signature: String?) async throws -> UInt {
            try await send(
                .POST, "/hook", signature.map { ["Moorage-Signature": $0] } ?? [:], body)
        }

        private func send(
            _ method: HTTPMethod, _ path: String, _ headers: [String: String], _ body: [UInt8]
        ) async throws -> UInt {
            var request = HTTPClientRequest(url: url + path)
            request.method = method
            for (name, value) in headers { request.headers.add(name: name, value: value) }
            request.body = .bytes(body)
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            _ = try await response.body.collect(upTo: 100_000)
            return response.status.code
        }
    }

    extension HubNotice {
        static func news(_ replica: String, _ id: String = "news-1") -> HubNotice {
            HubNotice(id: id, kind: .news, replica: replica)
        }

        static func refused(_ replica: String, _ id: String) -> HubNotice {
            HubNotice(id: id, kind: .refused, replica: replica, table: "note", reason: "check")
        }
    }
#endif
