#if Server
    import MoorageCore
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    @Suite(.ownThreads) struct `An exchange over HTTP` {
        @Test func `is answered with its frames, one a line`() async throws {
            try await RunningServer.run { server in
                let answer = try await server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                #expect(answer.status == 200)
                #expect(answer.fields["content-type"] == "application/x-ndjson")
                #expect(answer.fields["cache-control"] == "no-store")
                let frames = try answer.lines.map { try Frame(decoding: Array($0.utf8)) }
                #expect(
                    frames == [
                        Sample.welcome, Sample.page(caughtUp: true), .end(End(hasMore: false)),
                    ])
            }
        }

        @Test func `reaches the hub as it was sent`() async throws {
            let (requests, continuation) = AsyncStream.makeStream(of: ExchangeRequest.self)
            let hub = ScriptedHub(onExchange: { request, receive in
                continuation.yield(request)
                try await receive(.end(End(hasMore: false)))
            })
            try await RunningServer.run(hub) { server in
                _ = try await server.ask("POST", "/v1/exchange", body: Sample.request.encoded())
            }
            var iterator = requests.makeAsyncIterator()
            #expect(await iterator.next() == Sample.request)
        }

        /// The first 1,024 bytes go together.
        @Test func `hands on each frame before the hub makes the next`() async throws {
            let gate = Gate()
            let text = String(repeating: "x", count: 1_024)
            let hub = ScriptedHub(onExchange: { _, receive in
                try await receive(Sample.welcome)
                try await receive(Sample.page(caughtUp: false, text: text))
                await gate.wait()
                try await receive(.end(End(hasMore: false)))
            })
            try await RunningServer.run(hub) { server in
                let connection = try server.connect()
                await connection.send(
                    RunningServer.request(
                        "POST", "/v1/exchange", body: Sample.request.encoded()))
                #expect(await connection.read(through: "\"page\"") != nil)
                await gate.open()
                #expect(await connection.read(through: "\"end\"") != nil)
            }
        }

        @Test func `asks the hub for no more than the client takes`() async throws {
            let asked = Counter()
            let ended = Gate()
            let hub = ScriptedHub.endless(asked, ended)
            // The client reads nothing: the server gives up on it, and tells the hub.
            let limits = HubServer.Limits(idleTimeout: .seconds(1))
            try await RunningServer.run(hub, limits: limits) { server in
                let connection = try server.connect(receiveBuffer: 4_096)
                await connection.send(
                    RunningServer.request(
                        "POST", "/v1/exchange", body: Sample.request.encoded()))
                await ended.wait()
            }
            #expect(await asked.count < 100)
        }

        @Test func `that fails after its first frame ends with an error frame`() async throws {
            let hub = ScriptedHub(onExchange: { _, receive in
                try await receive(Sample.welcome)
                throw HubError(.unknownTable, "There is no table `o`.")
            })
            try await RunningServer.run(hub) { server in
                let answer = try await server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                #expect(answer.status == 200)
                let last = try Frame(decoding: Array((answer.lines.last ?? "").utf8))
                #expect(last == .error(HubError(.unknownTable, "There is no table `o`.")))
            }
        }

        @Test func `that fails before its first frame is answered with a status`() async throws {
            let hub = ScriptedHub(onExchange: { _, _ in
                throw HubError(.differentHub, "The file belongs to another hub.")
            })
            try await RunningServer.run(hub) { server in
                let answer = try await server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                #expect(answer.status == 409)
                #expect(
                    try HubError(decoding: Array(answer.body.utf8))
                        == HubError(.differentHub, "The file belongs to another hub."))
            }
        }

        @Test(arguments: [
            (HubError.Code.malformed, 400), (.unauthorized, 401), (.notFound, 404),
            (.unknownTable, 404), (.differentHub, 409), (.tooLarge, 413), (.protocolTooOld, 426),
            (.databaseError, 500), (.internalError, 500), (.busy, 503),
            (.databaseUnavailable, 503), (.shuttingDown, 503),
        ])
        func `has one status for each code`(code: HubError.Code, status: Int) async throws {
            let hub = ScriptedHub(onExchange: { _, _ in throw HubError(code, "Why.") })
            try await RunningServer.run(hub) { server in
                let answer = try await server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                #expect(answer.status == status)
                #expect(try HubError(decoding: Array(answer.body.utf8)).code == code)
                #expect((answer.fields["retry-after"] != nil) == (status == 503))
            }
        }

        @Test func `tells what the database said to the log alone`() async throws {
            struct DatabaseFault: Error { let words = "constraint customers_secret_key" }
            for error: any Error in [
                DatabaseFault(), HubError(.databaseError, "constraint customers_secret_key"),
                HubError(.databaseUnavailable, "host 10.0.0.1, customers_secret_key"),
            ] {
                let hub = ScriptedHub(onExchange: { _, _ in throw error })
                try await RunningServer.run(hub) { server in
                    let answer = try await server.ask(
                        "POST", "/v1/exchange", body: Sample.request.encoded())
                    #expect(answer.status >= 500)
                    #expect(!answer.body.contains("customers_secret_key"))
                    let id = try #require(answer.fields["x-request-id"])
                    #expect(answer.body.contains(id))
                    let line = try await server.log.first(containing: "customers_secret_key")
                    #expect(line.contains(id))
                }
            }
        }

        @Test func `of another protocol version is told to update`() async throws {
            let body = String(decoding: Sample.request.encoded(), as: UTF8.self)
                .replacing("\"protocol\":3", with: "\"protocol\":0")
            try await RunningServer.run { server in
                let answer = try await server.ask("POST", "/v1/exchange", body: Array(body.utf8))
                #expect(answer.status == 426)
                #expect(try HubError(decoding: Array(answer.body.utf8)).code == .protocolTooOld)
            }
        }

        @Test func `serves the schema and comparisons`() async throws {
            try await RunningServer.run { server in
                let schema = try await server.ask("GET", "/v1/schema")
                #expect(schema.status == 200)
                #expect(try SchemaAnswer(decoding: Array(schema.body.utf8)).hub == "h")
                let compare = try await server.ask(
                    "POST", "/v1/compare", body: Sample.compare.encoded())
                #expect(compare.status == 200)
                #expect(try CompareAnswer(decoding: Array(compare.body.utf8)).rows.isEmpty)
            }
        }

        @Test func `keeps its connection for the next`() async throws {
            try await RunningServer.run { server in
                let connection = try server.connect()
                for _ in 0..<3 {
                    await connection.send(
                        RunningServer.request(
                            "POST", "/v1/exchange", fields: ["X-Nothing: 1"],
                            body: Sample.request.encoded()))
                    #expect(await connection.read(through: "{\"end\":{\"more\":false}}\n") != nil)
                }
            }
        }
    }
#endif
