#if Server
    import MoorageHub
    import MoorageServer
    import TestSupport
    import Testing

    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The configuration of a webhook` {
        private func parse(_ text: String) throws(CommandFailure) -> MoorageConfiguration {
            try .parse(
                text, file: "moorage.yaml",
                environment: ["KEY": "a secret of thirty-two bytes or more", "PATH": "sesame"])
        }

        @Test func `is none by default, and reports everything if nothing else is said`() throws {
            #expect(try parse("").webhook == nil)
            #expect(try parse("").hub.news == nil)
            let settings = try parse("webhook: {url: \"https://x/y\", secret: \"${KEY}\"}")
            let webhook = try #require(settings.webhook?.webhook)
            #expect(webhook.url == "https://x/y" && webhook.requestsPerMinute == 60)
            #expect(webhook.kinds == Set(HubNotice.Kind.allCases))
            #expect(webhook.newsInterval == .seconds(60))
            #expect(settings.hub.news == NewsPolicy())
        }

        @Test func `says what is reported, and prints itself without secrets`() throws {
            let settings = try parse(
                """
                webhook:
                  url: https://x/${PATH}
                  secret: ${KEY}
                  events: [conflict, refused]
                  requestsPerMinute: 10
                  newsInterval: 5m
                """)
            #expect(settings.hub.news == nil, "nobody wants to know of news")
            let printed = settings.yaml
            #expect(!printed.contains("thirty-two") && !printed.contains("sesame"))
            let back = try parse(
                printed.replacing("<secret>", with: "another secret of thirty-two bytes or more"))
            #expect(back.webhook?.webhook.kinds == [.refused, .conflict])
            #expect(back.webhook?.webhook.requestsPerMinute == 10)
            #expect(back.webhook?.webhook.newsInterval == .seconds(300))
            #expect(back.webhook?.webhook.url == "https://x/sesame")
        }

        @Test(arguments: [
            "{}", "{url: \"https://x/\"}", "{secret: \"${KEY}\"}",
            "{url: \"http://x/\", secret: \"${KEY}\"}", "{url: \"https://x/\", secret: short}",
            "{url: \"https://x/\", secret: \"${KEY}\", events: []}",
            "{url: \"https://x/\", secret: \"${KEY}\", events: [old]}",
            "{url: \"https://x/\", secret: \"${KEY}\", requestsPerMinute: 0}",
            "{url: \"https://x/\", secret: \"${KEY}\", often: 1}",
        ])
        func `names every mistake with its place`(text: String) throws {
            let failure = try #require(throws: CommandFailure.self) {
                try parse("webhook: \(text)")
            }
            #expect(failure.place?.hasPrefix("moorage.yaml") == true)
            #expect(failure.exit == .configuration)
            #expect(!failure.description.contains("thirty-two"))
        }
    }
#endif
