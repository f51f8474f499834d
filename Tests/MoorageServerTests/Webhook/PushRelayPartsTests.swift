#if Server
    import Foundation
    import MoorageHub
    import MoorageSupport
    import TestSupport
    import Testing

    @testable import MoorageServer
    @testable import PushRelay

    @Suite(.ownThreads) struct `A push relay's settings` {
        /// - Returns: The variable that the error names; `nil` without an error.
        private func wrong(
            _ change: @Sendable (inout [String: String]) -> Void
        ) async throws -> String? {
            let variable = Locked<String?>(nil)
            try await PushRelayBench.run { bench in
                var environment = try bench.environment(services: "http://127.0.0.1:1")
                change(&environment)
                do {
                    let settings = try RelaySettings(environment: environment)
                    _ = try PushTokens(file: settings.tokenFile)
                } catch let error as SettingsError {
                    #expect(error.description.hasPrefix("\(error.variable): "))
                    variable.withLock { $0 = error.variable }
                }
            }
            return variable.withLock { $0 }
        }

        @Test func `are right`() async throws {
            #expect(try await wrong { _ in } == nil)
        }

        @Test(arguments: [
            "WEBHOOK_SECRET", "PUSH_APP_SECRET", "APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID",
            "APNS_TOPIC",
        ])
        func `name a variable that is missing`(name: String) async throws {
            #expect(try await wrong { $0[name] = nil } == name)
            #expect(try await wrong { $0[name] = "" } == name)
        }

        @Test(arguments: [
            ("WEBHOOK_SECRET", "short"), ("PUSH_APP_SECRET", "short"), ("PUSH_PORT", "80a"),
            ("PUSH_PORT", "65536"), ("APNS_URL", "http://example.org"),
            ("APNS_URL", "https://a:b@example.org"), ("FCM_URL", "ftp://example.org"),
            ("FCM_URL", "https://"), ("APNS_KEY_FILE", "/nowhere"),
            ("APNS_KEY_FILE", "/dev/null"), ("FCM_ACCOUNT_FILE", "/nowhere"),
            ("FCM_ACCOUNT_FILE", "/dev/null"), ("PUSH_TOKEN_FILE", "/dev/null"),
            ("PUSH_TOKEN_FILE", "/nowhere/tokens.json"),
        ])
        func `name a variable that is wrong`(name: String, value: String) async throws {
            #expect(try await wrong { $0[name] = value } == name)
        }

        @Test func `need one service`() async throws {
            let variable = try await wrong { environment in
                for name in environment.keys
                where name.hasPrefix("APNS") || name.hasPrefix("FCM") {
                    environment[name] = nil
                }
            }
            #expect(variable == "APNS_KEY_FILE or FCM_ACCOUNT_FILE")
            #expect(try await wrong { $0["FCM_ACCOUNT_FILE"] = nil } == nil)
        }
    }

    @Suite(.ownThreads) struct `A webhook's signature` {
        private static let time: Int64 = 1_764_417_600
        private let signature = WebhookSignature(secret: WebhookHub.secret)
        private let message = WebhookMessage(
            [.news("r")], secret: WebhookHub.secret,
            at: Date(timeIntervalSince1970: TimeInterval(Self.time)))

        private func isValid(_ header: String, now: Int64 = Self.time) -> Bool {
            signature.isValid(header, of: Data(message.body), now: now)
        }

        @Test func `is good for five minutes`() {
            #expect(isValid(message.signature))
            #expect(isValid(message.signature, now: Self.time + 300))
            #expect(!isValid(message.signature, now: Self.time + 301))
            #expect(!isValid(message.signature, now: Self.time - 301))
        }

        @Test func `has one form`() {
            let digits = message.signature.split(separator: "v1=").last ?? ""
            let others = [
                "", "t=", "v1=", "t=\(Self.time)", "v1=\(digits)", "t=\(Self.time),v1=",
                "t=\(Self.time),v1=\(digits.dropLast())", "t=\(Self.time),v1=\(digits)0",
                "t=\(Self.time),v1=\(digits.dropLast())g", "t=\(Self.time + 1),v1=\(digits)",
                "t=\(Int64.min),v1=\(digits)", "t=\(Int64.max),v1=\(digits)",
                "t=9223372036854775808,v1=\(digits)", "t=\(Self.time),v2=\(digits)",
            ]
            for header in others { #expect(!isValid(header), "\(header)") }
            #expect(isValid("t=\(Self.time),v1=\(digits),v2=00"), "a later part is ignored")
        }
    }

    @Suite(.ownThreads) struct `A webhook's events` {
        private func read(_ events: String) throws -> [WebhookNotice.Kind] {
            try WebhookNotice.read(Data(#"{"events":[\#(events)]}"#.utf8)).map(\.kind)
        }

        @Test func `are read without those of a later hub`() throws {
            let news = #"{"id":"1","type":"news","replica":"r"}"#
            #expect(try read(#"{"type":"quota"},{"id":7,"type":"other"},\#(news)"#) == [.news])
            #expect(try read("") == [])
        }

        @Test(arguments: [
            #"{"id":"1","type":"news"}"#, #"{"type":"refused","replica":"r"}"#,
            #"{"id":"1","replica":"r"}"#, "1",
        ])
        func `have an id, a kind and a replica`(event: String) {
            #expect(throws: DecodingError.self) { try read(event) }
        }
    }

    @Suite(.ownThreads) struct `The ids that a relay remembers` {
        @Test func `are new until they are finished`() async {
            let memory = NoticeMemory()
            #expect(await memory.begin("a") == .new)
            #expect(await memory.begin("a") == .underWay)
            await memory.postpone(["a"])
            #expect(await memory.begin("a") == .new)
            await memory.finish(["a"])
            #expect(await memory.begin("a") == .done)
        }

        @Test func `are finished when they failed too often`() async {
            let memory = NoticeMemory()
            for _ in 1..<NoticeMemory.maximumTries {
                #expect(await memory.begin("a") == .new)
                #expect(await !memory.fail(["a"]))
            }
            #expect(await memory.begin("a") == .new)
            #expect(await memory.begin("b") == .new)
            #expect(await !memory.fail(["a", "b"]), "b has more tries")
            #expect(await memory.begin("a") == .done)
            #expect(await memory.begin("b") == .new)
        }

        @Test func `have a limit`() async {
            let memory = NoticeMemory(limit: 2)
            for id in ["a", "b", "c", "d", "e"] { await memory.finish([id]) }
            #expect(await memory.begin("d") == .done)
            #expect(await memory.begin("e") == .done)
            #expect(await memory.begin("c") == .new)
        }
    }

    @Suite(.ownThreads) struct `The push tokens of a relay` {
        private let push = PushToken(service: .apns, token: "80fa")
        private let day: Int64 = 86_400

        private func file(_ bench: PushRelayBench) -> String {
            bench.folder.appending(path: "tokens.json").path
        }

        @Test func `have a limit, and old ones make room`() async throws {
            try await PushRelayBench.run { bench in
                let tokens = try PushTokens(file: file(bench), limit: 2)
                try await tokens.register(push, for: "a", now: 0)
                try await tokens.register(push, for: "b", now: 30 * day)
                await #expect(throws: PushTokens.Failure.full) {
                    try await tokens.register(push, for: "c", now: 59 * day)
                }
                try await tokens.register(push, for: "c", now: 60 * day)
                let left = try PushTokens(file: file(bench), limit: 2)
                #expect(await left["a"] == nil)
                #expect(await left["b"] == push)
                #expect(await left["c"] == push)
            }
        }

        @Test func `are renewed once a day`() async throws {
            try await PushRelayBench.run { bench in
                let tokens = try PushTokens(file: file(bench))
                try await tokens.register(push, for: "a", now: day)
                try FileManager.default.removeItem(atPath: file(bench))
                try await tokens.register(push, for: "a", now: 2 * day - 1)
                #expect(!FileManager.default.fileExists(atPath: file(bench)))
                try await tokens.register(push, for: "a", now: 2 * day)
                #expect(FileManager.default.fileExists(atPath: file(bench)))
            }
        }

        @Test func `stay when only an older one is gone`() async throws {
            try await PushRelayBench.run { bench in
                let tokens = try PushTokens(file: file(bench))
                let newer = PushToken(service: .fcm, token: "newer")
                try await tokens.register(push, for: "a", now: 0)
                try await tokens.register(newer, for: "a", now: 1)
                try await tokens.register(push, for: "b", now: 1)
                try await tokens.remove(["a": push, "b": push])
                #expect(await tokens["a"] == newer)
                #expect(await tokens["b"] == nil)
                try await tokens.remove(["a": newer])
                #expect(await tokens["a"] == nil)
            }
        }

        @Test func `are unchanged if the file cannot be written`() async throws {
            try await PushRelayBench.run { bench in
                let folder = bench.folder.appending(path: "gone")
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
                let tokens = try PushTokens(file: folder.appending(path: "tokens.json").path)
                try FileManager.default.removeItem(at: folder)
                await #expect(throws: (any Error).self) {
                    try await tokens.register(push, for: "a", now: 0)
                }
                #expect(await tokens["a"] == nil)
            }
        }
    }
#endif
