#if Server
    import MoorageHub
    package import MoorageServer
    import MoorageWire

    /// What `moorage.yaml` says of a webhook.
    extension MoorageConfiguration {
        package struct WebhookSettings: Sendable {
            package let webhook: Webhook
            /// The address as it was written: a variable in it may contain a secret.
            let written: String
        }

        /// `{url: https://…, secret: "${…}", events: [news, refused, conflict]}`.
        static func readWebhook(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> WebhookSettings {
            let members = try reading.members([
                "url", "secret", "events", "requestsPerMinute", "newsInterval",
            ])
            guard let url = members["url"], let secret = members["secret"] else {
                throw reading.failure(
                    "A webhook needs a `url` and a `secret`.",
                    next: "Write `webhook: {url: https://…, secret: \"${WEBHOOK_SECRET}\"}`.")
            }
            let address = try url.substitutedText()
            let key = try secret.text()
            var webhook: Webhook
            do {
                webhook = try Webhook(url: address.text, secret: key)
            } catch {
                throw reading.failure(error.message)
            }
            if let events = members["events"] { webhook.kinds = try readKinds(events) }
            if let count = members["requestsPerMinute"] {
                webhook.requestsPerMinute = try count.integer(in: 1...60)
            }
            if let interval = members["newsInterval"] {
                webhook.newsInterval = try interval.duration()
            }
            return WebhookSettings(webhook: webhook, written: address.written(hiding: []))
        }

        private static func readKinds(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> Set<HubNotice.Kind> {
            var kinds: Set<HubNotice.Kind> = []
            for element in try reading.elements() {
                guard let kind = HubNotice.Kind(rawValue: try element.text()) else {
                    let known = HubNotice.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw element.failure(
                        "This is no event that is reported.", next: "Events are: \(known).")
                }
                kinds.insert(kind)
            }
            guard !kinds.isEmpty else {
                throw reading.failure("The webhook reports nothing.", next: "Name an event.")
            }
            return kinds
        }

        var webhookLines: [String] {
            guard let webhook else { return ["# webhook: none"] }
            let kinds = HubNotice.Kind.allCases.filter(webhook.webhook.kinds.contains)
            return [
                "webhook:", "  url: \(Self.quoted(webhook.written))", "  secret: <secret>",
                "  events: [\(kinds.map(\.rawValue).joined(separator: ", "))]",
                "  requestsPerMinute: \(webhook.webhook.requestsPerMinute)",
                "  newsInterval: \(Self.text(webhook.webhook.newsInterval))",
            ]
        }
    }
#endif
