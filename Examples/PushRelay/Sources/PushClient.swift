#if Server
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1

    /// Sends requests to the services. It keeps connections open, and speaks HTTP/2 where the
    /// service does, as APNs requires.
    struct PushClient: Sendable {
        private static let timeout = TimeAmount.seconds(5)

        private let client: HTTPClient

        init() {
            let configuration = HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: .init(connect: Self.timeout, read: Self.timeout))
            client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }

        /// - Parameters:
        ///   - deadline: When the answer must be there with its body; five seconds from now at most.
        ///   - readsBody: Whether the body of an answer with status 200 is read. Otherwise it is
        ///     left out, so a service that has a notification cannot fail after that.
        /// - Throws: If there is no whole answer in time, or if it is longer than
        ///   ``PushAnswer/maximumBytes``.
        func answer(
            to request: HTTPClientRequest, by deadline: NIODeadline, readsBody: Bool
        ) async throws -> PushAnswer {
            let deadline = min(deadline, .now() + Self.timeout)
            return try await withThrowingTaskGroup(of: PushAnswer?.self) { group in
                group.addTask { [client] in
                    let response = try await client.execute(request, deadline: deadline)
                    let status = response.status.code
                    if status == 200, !readsBody { return PushAnswer(status: status, body: []) }
                    let body = try await response.body.collect(upTo: PushAnswer.maximumBytes)
                    return PushAnswer(status: status, body: Array(body.readableBytesView))
                }
                // The client's own deadline ends with the answer's head.
                group.addTask {
                    let rest = (deadline - .now()).nanoseconds
                    try await Task.sleep(for: .nanoseconds(max(0, rest)))
                    return nil
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next() ?? nil else {
                    throw PushFailure(description: "no whole answer in time")
                }
                return answer
            }
        }

        func shutdown() async throws { try await client.shutdown() }
    }
#endif
