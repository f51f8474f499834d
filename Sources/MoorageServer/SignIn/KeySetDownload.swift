#if Server
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1

    /// Reads a key set over HTTP: small, soon, and from where it was asked for and nowhere else.
    enum KeySetDownload {
        private static let maximumBytes = 1_000_000
        private static let timeout = TimeAmount.seconds(10)

        struct Failure: Error { let reason: String }

        /// The library's own time-outs end with the head of an answer.
        static func fetch(_ url: String) async throws -> [UInt8] {
            try await withThrowingTaskGroup(of: [UInt8].self) { tasks in
                tasks.addTask { try await download(url) }
                tasks.addTask {
                    try await Task.sleep(for: .nanoseconds(timeout.nanoseconds))
                    throw Failure(reason: "it took too long")
                }
                defer { tasks.cancelAll() }
                guard let bytes = try await tasks.next() else { throw CancellationError() }
                return bytes
            }
        }

        private static func download(_ url: String) async throws -> [UInt8] {
            var configuration = HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: .init(connect: timeout, read: timeout))
            configuration.httpVersion = .http1Only
            // One request every few minutes: nothing is worth keeping open.
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton, configuration: configuration)
            do {
                var request = HTTPClientRequest(url: url)
                request.headers.add(name: "Accept", value: "application/json")
                let response = try await client.execute(request, timeout: timeout)
                guard response.status == .ok else {
                    throw Failure(reason: "its server answers with status \(response.status.code)")
                }
                let body = try await response.body.collect(upTo: maximumBytes)
                try await client.shutdown()
                return Array(body.readableBytesView)
            } catch {
                try? await client.shutdown()
                throw error
            }
        }
    }
#endif
