#if Server
    import MoorageHub
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    /// A hub whose reads have no end, and end when their task is cancelled.
    private struct EndlessHub: HubConnection, RowHub, ChangeHub {
        let begun: AsyncStream<Void>
        let ended: AsyncStream<Void>
        private let begin: AsyncStream<Void>.Continuation
        private let end: AsyncStream<Void>.Continuation

        init() {
            (begun, begin) = AsyncStream.makeStream(of: Void.self)
            (ended, end) = AsyncStream.makeStream(of: Void.self)
        }

        private func wait() async throws -> Never {
            begin.finish()
            defer { end.finish() }
            while true { try await Task.sleep(for: .seconds(86_400)) }
        }

        func readRows<Answer: Sendable>(
            for principal: Principal?, isOneStatement: Bool,
            _ work: @escaping @Sendable (RowReader) throws -> Answer
        ) async throws -> Answer {
            try await wait()
        }

        func writeRows(
            for principal: Principal?, once name: RequestName?,
            _ work: @escaping @Sendable (RowSchema) throws -> RowBatch,
            answer: @escaping @Sendable (RowSchema, [RowResult]) throws -> [UInt8]
        ) async throws -> [UInt8] {
            try await wait()
        }

        var offersChangeStreams: Bool { true }

        func changes(
            for principal: Principal?, _ request: ChangeRequest
        ) async throws -> ChangePage {
            try await wait()
        }

        func followChanges(
            for principal: Principal?, _ request: ChangeRequest, life: Duration?
        ) async throws -> ChangeStream {
            try await wait()
        }

        func exchange(
            _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            throw HubError.onlyREST
        }

        func schema() async throws -> SchemaAnswer { throw HubError.onlyREST }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            throw HubError.onlyREST
        }
    }

    extension HubError {
        fileprivate static let onlyREST = HubError(.internalError, "This hub has rows alone.")
    }

    @Suite(.ownThreads) struct `A client of REST that goes` {
        @Test(arguments: [
            ("/v1/tables/orders", []), ("/v1/changes", []),
            ("/v1/changes", ["Accept: text/event-stream"]),
        ])
        func `ends its read`(path: String, fields: [String]) async throws {
            let hub = EndlessHub()
            try await RunningServer.run(hub, answersREST: true) { server in
                do {
                    let connection = try server.connect()
                    await connection.send(
                        RunningServer.request("GET", path, fields: fields))
                    for await _ in hub.begun {}
                }
                // The connection is closed by now.
                for await _ in hub.ended {}
            }
        }

        @Test func `may say so without closing the connection`() async throws {
            let hub = EndlessHub()
            try await RunningServer.run(hub, answersREST: true) { server in
                let connection = try server.connect()
                await connection.send(RunningServer.request("GET", "/v1/tables/orders"))
                for await _ in hub.begun {}
                connection.finishSending()
                for await _ in hub.ended {}
                #expect(await connection.readToEnd() == "")
            }
        }
    }

    @Suite(.ownThreads) struct `A server's limit of time for REST` {
        @Test(arguments: [("GET", "/v1/tables/orders"), ("DELETE", "/v1/tables/orders/1")])
        func `answers with a problem`(method: String, path: String) async throws {
            let hub = EndlessHub()
            let limits = HubServer.Limits(restTimeout: .milliseconds(1))
            try await RunningServer.run(hub, limits: limits, answersREST: true) { server in
                let answer = try await server.ask(method, path)
                #expect(answer.status == 504)
                #expect(answer.fields["content-type"] == "application/problem+json")
                #expect(answer.body.contains(#""code":"tooSlow""#))
                #expect(server.log.all.contains { $0.contains("restTimeout") })
            }
        }
    }
#endif
