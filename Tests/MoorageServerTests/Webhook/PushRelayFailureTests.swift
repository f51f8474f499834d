#if Server
    import AsyncHTTPClient
    import MoorageHub
    import NIOCore
    import NIOHTTP1
    import TestSupport
    import Testing

    @testable import PushRelay

    private typealias Bench = PushRelayBench

    @Suite(.ownThreads) struct `A push relay whose service fails` {
        private static let refusals = [
            HubNotice.refused(PushRelayBench.phone, "phone-1"),
            HubNotice.refused(PushRelayBench.tablet, "tablet-1"),
        ]

        @Test(arguments: [
            (Bench.phone, Bench.apnsToken, 400, #"{"reason":"BadDeviceToken"}"#),
            (
                Bench.tablet, Bench.fcmToken, 400,
                #"{"error":{"code":400,"details":[{"errorCode":"INVALID_ARGUMENT"}]}}"#
            ),
            (
                Bench.tablet, Bench.fcmToken, 403,
                #"{"error":{"code":403,"details":[{"errorCode":"SENDER_ID_MISMATCH"}]}}"#
            ),
        ])
        func `does not repeat what a service rejects`(
            replica: String, token: String, status: Int, body: String
        ) async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    bench.services.answer(token, status, body)
                    for _ in 0..<2 { #expect(try await relay.report(Self.refusals) == 204) }
                    #expect(bench.services.sent(to: token).count == 1)
                    #expect(try await relay.report([.news(replica, "later")]) == 204)
                    #expect(bench.services.sent(to: token).count == 2, "the token stays")
                }
            }
        }

        @Test(arguments: [
            (503, "{}"), (429, #"{"reason":"TooManyRequests"}"#),
            (400, #"{"reason":"DeviceTokenNotForTopic"}"#),
        ])
        func `delays nobody for the news of one device`(status: Int, body: String) async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    bench.services.answer(Bench.apnsToken, status, body)
                    let news = [HubNotice.news(Bench.phone, "p"), .news(Bench.tablet, "t")]
                    for _ in 0..<2 { #expect(try await relay.report(news) == 204) }
                    #expect(bench.services.sent(to: Bench.apnsToken).count == 1)
                    #expect(bench.services.acceptedCount(Bench.fcmToken) == 1)
                }
                #expect(bench.log.all.contains { $0.contains("1 notifications are given up.") })
            }
        }

        @Test(arguments: [503, 429, 403])
        func `lets the hub repeat a refusal that it does not take now`(status: Int) async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    bench.services.answer(Bench.apnsToken, status)
                    for _ in 0..<2 { #expect(try await relay.report(Self.refusals) == 503) }
                    bench.services.answer(Bench.apnsToken, 200)
                    for _ in 0..<2 { #expect(try await relay.report(Self.refusals) == 204) }
                    #expect(bench.services.acceptedCount(Bench.apnsToken) == 1)
                    #expect(bench.services.sent(to: Bench.fcmToken).count == 1)
                }
            }
        }

        @Test(arguments: [
            (Bench.phone, 503, "{}", "status 503"),
            (Bench.phone, 400, #"{"reason":"BadTopic"}"#, "APNS_TOPIC"),
            (Bench.phone, 400, #"{"reason":"TopicDisallowed"}"#, "APNS_TOPIC"),
            (Bench.phone, 400, #"{"reason":"DeviceTokenNotForTopic"}"#, "APNS_TOPIC"),
            (Bench.phone, 403, #"{"reason":"InvalidProviderToken"}"#, "APNS_KEY_ID"),
            (Bench.tablet, 404, #"{"error":{"code":404}}"#, "FCM_ACCOUNT_FILE"),
            (Bench.tablet, 403, #"{"error":{"code":403}}"#, "FCM_ACCOUNT_FILE"),
        ])
        func `gives a refusal up after five tries, and says why`(
            replica: String, status: Int, body: String, reason: String
        ) async throws {
            let token = replica == Bench.phone ? Bench.apnsToken : Bench.fcmToken
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    bench.services.answer(token, status, body)
                    let notices = [HubNotice.refused(replica, "1")]
                    for _ in 1..<5 { #expect(try await relay.report(notices) == 503) }
                    for _ in 0..<2 { #expect(try await relay.report(notices) == 204) }
                    #expect(bench.services.sent(to: token).count == 5)
                }
                for text in ["notifications wait.", "notifications are given up."] {
                    #expect(bench.log.all.contains { $0.contains(text) && $0.contains(reason) })
                }
            }
        }

        @Test func `lets the hub repeat news while nothing can be sent`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    bench.services.answer(Bench.apnsToken, 400, #"{"reason":"BadTopic"}"#)
                    #expect(try await relay.report([.news(Bench.phone)]) == 503)
                    bench.services.answer(Bench.apnsToken, 200)
                    #expect(try await relay.report([.news(Bench.phone)]) == 204)
                    #expect(bench.services.acceptedCount(Bench.apnsToken) == 1)
                }
            }
        }

        @Test func `gets from a hub again what a service did not take`() async throws {
            let central = try await WebhookHub()
            try await Bench.run { bench in
                bench.services.answer(Bench.apnsToken, 503)
                try await bench.relaying { relay in
                    try await central.reporting(to: "\(relay.url)/hook", [.refused]) {
                        try await central.waitUntilMarked()
                        let phone = try await PushDevice(central.hub)
                        #expect(
                            try await relay.register(phone.id(), "apns", Bench.apnsToken) == 204)
                        try await phone.beRefused()
                        try await eventually("the service is asked") {
                            !bench.services.sent.isEmpty
                        }
                        bench.services.answer(Bench.apnsToken, 200)
                        try await eventually("the refusal is shown") {
                            bench.services.acceptedCount(Bench.apnsToken) == 1
                        }
                    }
                }
                #expect(bench.services.acceptedCount(Bench.apnsToken) == 1)
            }
        }

        @Test func `gets another access token when FCM does not accept its own`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    bench.services.answer(Bench.fcmToken, 401)
                    #expect(try await relay.report([.news(Bench.tablet)]) == 503)
                    bench.services.answer(Bench.fcmToken, 200)
                    #expect(try await relay.report([.news(Bench.tablet)]) == 204)
                }
                let last = bench.services.sent(to: Bench.fcmToken).last
                #expect(last?.headers["authorization"] == "Bearer access-2")
            }
        }

        @Test(arguments: [Int.min, -1, 0, Int.max])
        func `bears any life of an access token`(seconds: Int) async throws {
            try await Bench.run { bench in
                bench.services.setGrantLife(seconds)
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    #expect(try await relay.report([.news(Bench.tablet)]) == 204)
                }
                #expect(bench.services.acceptedCount(Bench.fcmToken) == 1)
            }
        }

        // MARK: Answers without an end

        @Test func `has sent what a service accepts, whatever follows`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    bench.services.answer(Bench.apnsToken, 200, isEndless: true)
                    #expect(try await relay.report(Self.refusals) == 204)
                    #expect(bench.services.sent(to: Bench.apnsToken).count == 1)
                }
            }
        }

        @Test func `waits for the rest of an answer until its deadline`() async throws {
            try await Bench.run { bench in
                bench.services.answer(Bench.apnsToken, 503, isEndless: true)
                try await bench.services.run { url in
                    var request = HTTPClientRequest(url: "\(url)/3/device/\(Bench.apnsToken)")
                    request.method = .POST
                    let client = PushClient()
                    await #expect(throws: PushFailure.self) {
                        _ = try await client.answer(
                            to: request, by: .now() + .milliseconds(500), readsBody: false)
                    }
                    try await client.shutdown()
                }
                #expect(bench.services.sent.count == 1)
            }
        }
    }
#endif
