#if Server
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    @Suite(.ownThreads) struct `A server that is sent nonsense` {
        @Test(arguments: [
            "", "{", "[]", "null", "{\"protocol\":3}", "{\"protocol\":\"1\"}", "\u{0}",
            String(repeating: "[", count: 100_000), "{\"protocol\":1,\"protocol\":1}",
        ])
        func `answers 400 and names the place, never the text`(body: String) async throws {
            try await RunningServer.run { server in
                for path in ["/v1/exchange", "/v1/compare"] {
                    let answer = try await server.ask("POST", path, body: Array(body.utf8))
                    #expect(answer.status == 400)
                    #expect(try HubError(decoding: Array(answer.body.utf8)).code == .malformed)
                }
                let next = try await server.ask("GET", "/v1/schema")
                #expect(next.status == 200)
            }
        }

        @Test(arguments: [
            "GARBAGE\r\n\r\n", "\u{1}\u{2}\u{3}\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
            "POST /v1/exchange HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
            "POST /v1/exchange HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        ])
        func `answers what is not HTTP with 400 or a closed connection`(
            text: String
        ) async throws {
            try await RunningServer.run { server in
                let connection = try server.connect()
                await connection.send(text)
                connection.finishSending()
                let answer = await connection.readToEnd()
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
                #expect(try await server.ask("GET", "/v1/schema").status == 200)
            }
        }

        @Test func `does nothing with a body that ends too early`() async throws {
            let asked = Counter()
            let hub = ScriptedHub(onExchange: { _, _ in await asked.add() })
            try await RunningServer.run(hub) { server in
                let whole = RunningServer.request(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                for missing in [1, 20, Sample.request.encoded().count] {
                    let connection = try server.connect()
                    await connection.send(Array(whole.dropLast(missing)))
                    connection.finishSending()
                    let answer = await connection.readToEnd()
                    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"))
                }
            }
            #expect(await asked.count == 0)
        }

        @Test func `refuses a body that says it is too large before reading it`() async throws {
            try await RunningServer.run(limits: HubServer.Limits(maximumBodyBytes: 1_000)) {
                server in
                let connection = try server.connect()
                await connection.send(
                    """
                    POST /v1/exchange HTTP/1.1\r
                    Host: hub\r
                    Authorization: Bearer \(Sample.secret)\r
                    Content-Length: 10000000000\r
                    \r\n
                    """)
                let answer = RawAnswer(await connection.readToEnd())
                #expect(answer.status == 413)
                #expect(try HubError(decoding: Array(answer.body.utf8)).code == .tooLarge)
                #expect(answer.fields["connection"] == "close")
            }
        }

        @Test func `cuts off a body without end at the limit`() async throws {
            try await RunningServer.run(limits: HubServer.Limits(maximumBodyBytes: 100_000)) {
                server in
                let connection = try server.connect()
                await connection.send(
                    RunningServer.request(
                        "POST", "/v1/exchange", fields: ["Transfer-Encoding: chunked"]))
                let chunk = "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n"
                while await connection.send(chunk) {}
                // The connection is closed sooner or later; others are served.
                #expect(try await server.ask("GET", "/v1/schema").status == 200)
            }
        }

        @Test func `answers a body without end with 413`() async throws {
            try await RunningServer.run(limits: HubServer.Limits(maximumBodyBytes: 20_000)) {
                server in
                let connection = try server.connect()
                await connection.send(
                    RunningServer.request(
                        "POST", "/v1/exchange", fields: ["Transfer-Encoding: chunked"]))
                let chunk = "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n"
                await connection.send(chunk + chunk)
                let answer = RawAnswer(await connection.readToEnd())
                #expect(answer.status == 413)
            }
        }

        private static func packed(_ text: String) -> [UInt8] {
            (try? GzipWriter().write(Array(text.utf8), isLast: true)) ?? []
        }

        @Test(
            arguments: [
                ("deflate", [0x78, 0x9C, 0x03, 0x00], 415), ("br", [0x0B], 415),
                ("gzip, gzip", [31, 139, 8, 0], 415), ("gzip", [31, 139, 8, 0], 400),
                ("gzip", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 400),
                ("gzip", Self.packed("{}") + [0], 400),
                ("gzip", Self.packed("{}").dropLast(), 400),
            ] as [(String, [UInt8], Int)])
        func `refuses what is compressed otherwise, or damaged`(
            encoding: String, body: [UInt8], status: Int
        ) async throws {
            try await RunningServer.run { server in
                let answer = try await server.ask(
                    "POST", "/v1/exchange", fields: ["Content-Encoding: \(encoding)"], body: body)
                #expect(answer.status == status)
                #expect(try await server.ask("GET", "/v1/schema").status == 200)
            }
        }

        @Test func `unpacks no more than a body may have`() async throws {
            var limits = HubServer.Limits()
            limits.maximumBodyBytes = 1_000_000
            try await RunningServer.run(limits: limits) { server in
                let bomb = try GzipWriter(level: 9).write(
                    [UInt8](repeating: 32, count: 100_000_000), isLast: true)
                #expect(bomb.count < 200_000)
                let answer = try await server.ask(
                    "POST", "/v1/exchange", fields: ["Content-Encoding: gzip"], body: bomb)
                #expect(answer.status == 413)
            }
        }

        @Test func `refuses headers beyond the limit`() async throws {
            try await RunningServer.run { server in
                for fields in [
                    ["X-Long: " + String(repeating: "x", count: 1_000_000)],
                    (0..<10_000).map { "X-\($0): y" },
                ] {
                    let connection = try server.connect()
                    await connection.send(
                        RunningServer.request("GET", "/v1/schema", fields: fields))
                    let answer = await connection.readToEnd()
                    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
                }
                #expect(try await server.ask("GET", "/v1/schema").status == 200)
            }
        }

        @Test(arguments: [
            "", "POST /v1/exch", "POST /v1/exchange HTTP/1.1\r\nHost: hub\r\n",
        ])
        func `closes a connection that sends nothing more`(text: String) async throws {
            let limits = HubServer.Limits(idleTimeout: .milliseconds(200))
            try await RunningServer.run(limits: limits) { server in
                let connection = try server.connect()
                await connection.send(text)
                #expect(await connection.readToEnd().isEmpty)
            }
        }

        @Test func `closes a connection whose body stops`() async throws {
            let limits = HubServer.Limits(idleTimeout: .milliseconds(200))
            try await RunningServer.run(limits: limits) { server in
                let connection = try server.connect()
                await connection.send(
                    Array(
                        RunningServer.request(
                            "POST", "/v1/exchange", body: Sample.request.encoded()
                        ).dropLast(10)))
                #expect(await connection.readToEnd().isEmpty)
            }
        }
    }
#endif
