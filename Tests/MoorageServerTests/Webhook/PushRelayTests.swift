#if Server
    import Foundation
    import MoorageHub
    import MoorageSQLite
    import TestSupport
    import Testing

    @testable import MoorageServer
    @testable import PushRelay

    private typealias Bench = PushRelayBench

    @Suite(.ownThreads) struct `A push relay` {
        private static let both = [
            HubNotice.news(PushRelayBench.phone, "phone-1"),
            HubNotice.news(PushRelayBench.tablet, "tablet-1"),
        ]

        @Test func `sends the news and refusals of a hub to its devices`() async throws {
            let central = try await WebhookHub()
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await central.reporting(to: "\(relay.url)/hook") {
                        try await central.waitUntilMarked()
                        let phone = try await PushDevice(central.hub)
                        let tablet = try await PushDevice(central.hub)
                        #expect(
                            try await relay.register(phone.id(), "apns", Bench.apnsToken) == 204)
                        #expect(try await relay.register(tablet.id(), "fcm", Bench.fcmToken) == 204)
                        try await phone.beRefused()
                        try await eventually("the refusal is shown") {
                            bench.services.sent(to: Bench.apnsToken).count == 1
                        }
                        try central.database.execute("INSERT INTO note VALUES (9, 'news')")
                        try await eventually("both devices are woken") {
                            bench.services.sent(to: Bench.apnsToken).count == 2
                                && bench.services.sent(to: Bench.fcmToken).count == 1
                        }
                    }
                }
                let apns = bench.services.sent(to: Bench.apnsToken)
                #expect(apns.map { $0.headers["apns-push-type"] } == ["alert", "background"])
                let grants = bench.services.grants.count
                #expect(grants == 1, "one access token is enough")
            }
        }

        @Test func `sends silent notifications for news`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    #expect(try await relay.report(Self.both) == 204)
                }
                let apns = try #require(bench.services.sent(to: Bench.apnsToken).first)
                #expect(apns.body == #"{"aps":{"content-available":1}}"#)
                #expect(apns.headers["apns-push-type"] == "background")
                #expect(apns.headers["apns-priority"] == "5")
                #expect(apns.headers["apns-topic"] == "example.shop")
                try await PushChecks.checkProviderToken(try #require(apns.headers["authorization"]))
                let fcm = try #require(bench.services.sent(to: Bench.fcmToken).first)
                let message = try FCMSent(fcm.body).message
                #expect(message.data == ["moorage": "news"] && message.notification == nil)
                #expect(message.android.priority == "NORMAL")
                #expect(fcm.headers["authorization"] == "Bearer access-1")
                try await PushChecks.checkAssertion(try #require(bench.services.grants.first))
            }
        }

        @Test func `shows one text for all refusals of a request`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    let notices = (1...40).flatMap {
                        [
                            HubNotice.refused(Bench.phone, "p\($0)"),
                            HubNotice.refused(Bench.tablet, "t\($0)"),
                        ]
                    }
                    #expect(try await relay.report(notices) == 204)
                }
                #expect(bench.services.sent.count == 2)
                let apns = try #require(bench.services.sent(to: Bench.apnsToken).first)
                let aps = try APNsSent(apns.body).aps
                let body = "Open the app to see why."
                #expect(aps.alert == ["title": "Not accepted", "body": body])
                #expect(apns.headers["apns-push-type"] == "alert")
                #expect(apns.headers["apns-priority"] == "10")
                #expect(apns.headers["apns-collapse-id"] == "refused")
                let fcm = try #require(bench.services.sent(to: Bench.fcmToken).first)
                let message = try FCMSent(fcm.body).message
                #expect(message.notification == ["title": "Not accepted", "body": body])
                #expect(message.android.priority == "HIGH")
            }
        }

        @Test func `sends nothing for a conflict, and for a replica that nobody registered`()
            async throws
        {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    let conflict = HubNotice(id: "c", kind: .conflict, replica: Bench.phone)
                    let stranger = HubNotice.news("00000000-0000-4000-8000-00000000000c")
                    #expect(try await relay.report([conflict, stranger]) == 204)
                    #expect(try await relay.unregister(Bench.phone) == 204)
                    #expect(try await relay.report([.news(Bench.phone, "later")]) == 204)
                }
                #expect(bench.services.sent.isEmpty)
            }
        }

        @Test func `sends a notice that comes again only once`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    for _ in 0..<3 { #expect(try await relay.report(Self.both) == 204) }
                    #expect(bench.services.sent.count == 2)
                    #expect(try await relay.report([.news(Bench.phone, "phone-2")]) == 204)
                    #expect(bench.services.sent(to: Bench.apnsToken).count == 2)
                }
            }
        }

        @Test func `uses one authorization for several requests`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    for number in 1...2 {
                        let news = [Bench.phone, Bench.tablet].map {
                            HubNotice.news($0, "\($0)-\(number)")
                        }
                        #expect(try await relay.report(news) == 204)
                    }
                }
                for token in [Bench.apnsToken, Bench.fcmToken] {
                    let sent = bench.services.sent(to: token).map { $0.headers["authorization"] }
                    #expect(sent.count == 2 && Set(sent).count == 1)
                }
                #expect(bench.services.grants.count == 1)
            }
        }

        @Test func `takes nothing that the hub has not signed just now`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    let news = Self.both
                    let other = "another secret of thirty-two bytes or more"
                    #expect(try await relay.report(news, secret: other) == 401)
                    #expect(try await relay.report(news, at: Date() - 400) == 401)
                    #expect(try await relay.report(news, at: Date() + 400) == 401)
                    let message = WebhookMessage(news, secret: WebhookHub.secret, at: Date())
                    #expect(try await relay.hook(message.body, nil) == 401)
                    #expect(try await relay.hook(message.body + [0x20], message.signature) == 401)
                    #expect(bench.services.sent.isEmpty)
                    #expect(try await relay.hook(message.body, message.signature) == 204)
                    #expect(bench.services.sent.count == 2)
                }
            }
        }

        @Test(arguments: [
            (Bench.phone, Bench.apnsToken, 410, #"{"reason":"Unregistered"}"#),
            (
                Bench.tablet, Bench.fcmToken, 404,
                #"{"error":{"code":404,"details":[{"errorCode":"UNREGISTERED"}]}}"#
            ),
        ])
        func `forgets a token that is gone`(
            replica: String, token: String, status: Int, body: String
        ) async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    try await relay.registerBoth()
                    bench.services.answer(token, status, body)
                    #expect(try await relay.report([.news(replica, "1")]) == 204)
                    #expect(try await relay.report([.news(replica, "2")]) == 204)
                    #expect(bench.services.sent(to: token).count == 1)
                    let file = bench.folder.appending(path: "tokens.json").path
                    #expect(try await PushTokens(file: file)[replica] == nil)
                    bench.services.answer(token, 200)
                    try await relay.registerBoth()
                    #expect(try await relay.report([.news(replica, "3")]) == 204)
                    #expect(bench.services.acceptedCount(token) == 1)
                }
            }
        }

        @Test func `has its tokens again after a restart`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { try await $0.registerBoth() }
                try await bench.relaying { relay in
                    let status = try await relay.report(Self.both)
                    #expect(status == 204)
                }
                #expect(bench.services.acceptedCount(Bench.apnsToken) == 1)
                #expect(bench.services.acceptedCount(Bench.fcmToken) == 1)
            }
        }

        @Test func `sends nothing by a service that is not set`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { try await $0.registerBoth() }
                try await bench.relaying(without: "FCM_ACCOUNT_FILE") { relay in
                    let status = try await relay.report(Self.both)
                    #expect(status == 204)
                    #expect(
                        try await relay.register(Bench.tablet, "fcm", Bench.fcmToken) == 422)
                }
                #expect(bench.services.sent.map(\.pushToken) == [Bench.apnsToken])
            }
        }

        @Test func `names the variable of an address that it cannot listen on`() async throws {
            for (name, isPort) in [("PUSH_PORT", true), ("PUSH_HOST", false)] {
                try await Bench.run { bench in
                    let error = await #expect(throws: SettingsError.self) {
                        try await bench.relaying(changes: { url in
                            // The services use the port. No machine has the address.
                            isPort
                                ? ["PUSH_PORT": String(url.split(separator: ":").last ?? "")]
                                : ["PUSH_HOST": "192.0.2.1"]
                        }) { _ in
                            Issue.record("it listens")
                        }
                    }
                    #expect(error?.variable == name)
                }
            }
        }

        @Test func `limits what it reads`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    let large = [UInt8](repeating: 0x20, count: RelayRoutes.maximumHookBytes + 1)
                    let tooLarge = try await relay.hook(large, "t=0,v1=00")
                    #expect(tooLarge == 413)
                    let token = String(repeating: "a", count: RelayRoutes.maximumTokenBytes)
                    #expect(try await relay.register(Bench.phone, "fcm", token) == 413)
                    #expect(try await relay.report([]) == 204)
                }
            }
        }

        @Test func `registers tokens for the app alone`() async throws {
            try await Bench.run { bench in
                try await bench.relaying { relay in
                    let token = Bench.apnsToken
                    let other = "another secret of the same length here"
                    let status = try await relay.register(
                        Bench.phone, "apns", token, secret: other)
                    #expect(status == 401)
                    for (replica, service, token) in [
                        ("phone", "apns", token), (Bench.phone.uppercased(), "apns", token),
                        (Bench.phone, "apns", "80fa%2F.."), (Bench.phone, "apns", ""),
                        (Bench.phone, "sms", token),
                    ] {
                        #expect(try await relay.register(replica, service, token) == 400)
                    }
                    #expect(try await relay.report([.news(Bench.phone)]) == 204)
                    #expect(bench.services.sent.isEmpty)
                }
            }
        }
    }
#endif
