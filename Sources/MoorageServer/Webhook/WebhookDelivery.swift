#if Server
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1

    /// Sends a request to a webhook.
    enum WebhookDelivery {
        private static let timeout = TimeAmount.seconds(10)

        /// - Returns: Why the receiver does not have it, without the address; `nil` if it has it.
        static func send(_ message: WebhookMessage, to url: String) async throws -> String? {
            var configuration = HTTPClient.Configuration(
                redirectConfiguration: .disallow, timeout: .init(connect: timeout, read: timeout))
            configuration.httpVersion = .http1Only
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton, configuration: configuration)
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.headers.add(name: "User-Agent", value: "moorage/\(HubServer.version)")
            request.headers.add(name: "Moorage-Signature", value: message.signature)
            request.body = .bytes(message.body)
            let failure: String?
            do {
                // What it says beyond its status is of no use, and may have no end.
                let status = try await client.execute(request, timeout: timeout).status.code
                failure = (200..<300).contains(status) ? nil : "it answers with status \(status)"
            } catch {
                failure = "it cannot be reached (\(type(of: error)))"
            }
            try? await client.shutdown()
            try Task.checkCancellation()
            return failure
        }
    }
#endif
