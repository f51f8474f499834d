#if Server
    import Foundation
    import Logging
    import MoorageCore
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    @Suite(.ownThreads) struct `A server at its limits` {
        @Test func `refuses exchanges beyond the limit, and takes them again later`() async throws {
            let begun = Gate()
            let gate = Gate()
            let hub = ScriptedHub(onExchange: { _, receive in
                try await receive(Sample.welcome)
                await begun.open()
                await gate.wait()
                try await receive(.end(End(hasMore: false)))
            })
            try await RunningServer.run(hub, limits: HubServer.Limits(maximumExchanges: 1)) {
                server in
                async let first = server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                await begun.wait()
                let second = try await server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                #expect(second.status == 503)
                #expect(try HubError(decoding: Array(second.body.utf8)).code == .busy)
                #expect(second.fields["retry-after"] != nil)
                #expect(try await server.ask("GET", "/health", secret: nil).status == 200)
                await gate.open()
                let taken = try await first.status
                #expect(taken == 200)
                let third = try await server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                #expect(third.status == 200)
            }
        }

        @Test func `refuses what would fill its memory`() async throws {
            let limits = HubServer.Limits(maximumBufferedBytes: 10)
            try await RunningServer.run(limits: limits) { server in
                for _ in 0..<3 {
                    let answer = try await server.ask(
                        "POST", "/v1/exchange", body: Sample.request.encoded())
                    #expect(answer.status == 503)
                }
            }
        }

        @Test(arguments: ["/v1/exchange", "/v1/compare"])
        func `counts what is made of a body, before it is made`(path: String) async throws {
            let limits = HubServer.Limits(maximumBufferedBytes: 1_000_000)
            try await RunningServer.run(limits: limits) { server in
                let body =
                    [UInt8](repeating: UInt8(ascii: "["), count: 1)
                    + Array(repeatElement(Array("0,".utf8), count: 50_000).joined())
                for _ in 0..<3 {
                    let packed = try GzipWriter().write(body, isLast: true)
                    let answer = try await server.ask(
                        "POST", path, fields: ["Content-Encoding: gzip"], body: packed)
                    #expect(answer.status == 503)
                }
                // The server keeps none of it any more.
                let next = try await server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                #expect(next.status == 200)
            }
        }

        private static func request(pushing bytes: Int, times: Int = 1) -> [UInt8] {
            let text = Value.text(String(repeating: "x", count: bytes))
            let batch = Batch(
                number: 1, nonce: "n", preparedAt: 0,
                tables: [TableColumns(name: "t", columns: ["id"])],
                changes: Array(
                    repeating: Change(
                        table: "t", key: RowKey([text]), operation: .refetch, editedAt: 0),
                    count: times))
            return ExchangeRequest(
                replica: Sample.replica, hub: nil, sentAt: 0, tables: [], cursor: .start,
                schemaVersion: nil, batch: batch, limits: PageLimits()
            ).encoded()
        }

        @Test func `holds no memory for a batch that was taken`() async throws {
            let paged = Gate()
            let gate = Gate()
            let hub = ScriptedHub(onExchange: { request, receive in
                try await receive(Sample.welcome)
                try await receive(
                    .outcomes(Outcomes(number: 1, status: .applied, outcomes: [])))
                try await receive(Sample.page(caughtUp: false))
                await paged.open()
                await gate.wait()
                try await receive(.end(End(hasMore: false)))
            })
            let body = Self.request(pushing: 100_000)
            // One of them, in JSON and as what is made of it.
            let limits = HubServer.Limits(maximumBufferedBytes: 250_000)
            try await RunningServer.run(hub, limits: limits) { server in
                async let first = server.ask("POST", "/v1/exchange", body: body)
                await paged.wait()
                // There is room to read another request, although this body is no valid one.
                #expect(try await server.ask("POST", "/v1/compare", body: body).status == 400)
                await gate.open()
                let taken = try await first.status
                #expect(taken == 200)
            }
        }

        @Test func `sends what it has before a long push begins`() async throws {
            let gate = Gate()
            let hub = ScriptedHub(onExchange: { _, receive in
                try await receive(Sample.welcome)
                await gate.wait()
                try await receive(.end(End(hasMore: false)))
            })
            try await RunningServer.run(hub) { server in
                let connection = try server.connect()
                await connection.send(
                    RunningServer.request(
                        "POST", "/v1/exchange", body: Self.request(pushing: 1, times: 101)))
                #expect(await connection.read(through: "\"welcome\"") != nil)
                await gate.open()
                #expect(await connection.readToEnd().contains("\"end\""))
            }
        }

        @Test func `refuses connections beyond the limit`() async throws {
            try await RunningServer.run(limits: HubServer.Limits(maximumConnections: 2)) {
                server in
                var held: [RawConnection] = []
                for _ in 0..<2 {
                    let connection = try server.connect()
                    await connection.send(
                        RunningServer.request(
                            "GET", "/v1/schema", fields: ["X-Nothing: 1"]))
                    #expect(await connection.read(through: "}") != nil)
                    held.append(connection)
                }
                let refused = RawAnswer(await (try server.connect()).readToEnd())
                #expect(refused.status == 503)
                #expect(refused.fields["retry-after"] == "5")
                #expect(try HubError(decoding: Array(refused.body.utf8)).code == .busy)
                #expect(!held.isEmpty)
            }
        }

        @Test func `serves others while many connections say nothing`() async throws {
            try await SilentConnections(count: 300, limit: 50).run()
        }

        @Test func `tells how it is without a secret and without secrets`() async throws {
            let health: @Sendable () async -> HealthReport = {
                HealthReport(
                    isReachable: true, centralConnections: 2, maximumCentralConnections: 8,
                    oldestTransaction: .seconds(3), suspendedTables: 1)
            }
            try await RunningServer.run(health: health) { server in
                let answer = try await server.ask("GET", "/health", secret: nil)
                #expect(answer.status == 200)
                #expect(
                    answer.body
                        == #"{"status":"ok","version":"\#(HubServer.version)","hub":"reachable","connections":1,"exchanges":0,"streams":0,"centralConnections":2,"maximumCentralConnections":8,"suspendedTables":1,"oldestTransactionSeconds":3}"#
                )
            }
        }

        @Test func `says so when the central database is gone`() async throws {
            try await RunningServer.run(health: { HealthReport(isReachable: false) }) { server in
                let answer = try await server.ask("GET", "/health", secret: nil)
                #expect(answer.status == 503)
                #expect(answer.body.contains(#""status":"unavailable""#))
            }
        }
    }

    @Suite(.ownThreads) struct `A server that is stopped` {
        @Test func `lets an exchange end after its page`() async throws {
            let begun = Gate()
            let hub = ScriptedHub(onExchange: { _, receive in
                try await receive(Sample.welcome)
                await begun.open()
                while true { try await receive(Sample.page(caughtUp: false)) }
            })
            try await RunningServer.run(hub) { server in
                async let answer = server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                await begun.wait()
                await server.stop()
                let lines = try await answer.lines
                #expect(lines.last == #"{"end":{"more":true}}"#)
                #expect(lines.dropLast().last?.hasPrefix(#"{"page":"#) == true)
            }
        }

        @Test func `refuses what begins afterwards`() async throws {
            let begun = Gate()
            let hub = ScriptedHub(onExchange: { _, receive in
                try await receive(Sample.welcome)
                await begun.open()
                while true { try await receive(Sample.page(caughtUp: false)) }
            })
            try await RunningServer.run(hub) { server in
                // Two requests at once on one connection: the second waits for the first.
                let connection = try server.connect()
                let body = Sample.request.encoded()
                await connection.send(
                    RunningServer.request(
                        "POST", "/v1/exchange", fields: ["X-Nothing: 1"], body: body)
                        + RunningServer.request("POST", "/v1/exchange", body: body))
                await begun.wait()
                await server.stop()
                let answers = await connection.readToEnd()
                // The connection ends with the first answer, or the server tells the second request
                // why.
                if let second = answers.range(of: "HTTP/1.1 503") {
                    let answer = RawAnswer(String(answers[second.lowerBound...]))
                    let error = try HubError(decoding: Array(answer.body.utf8))
                    #expect(error.code == .shuttingDown)
                }
                #expect(answers.contains(#"{"end":{"more":true}}"#))
            }
        }

        @Test func `lets an exchange that is nearly done end as it would`() async throws {
            let begun = Gate()
            let gate = Gate()
            let hub = ScriptedHub(onExchange: { _, receive in
                try await receive(Sample.welcome)
                await begun.open()
                await gate.wait()
                try await receive(Sample.page(caughtUp: true))
                try await receive(.end(End(hasMore: false)))
            })
            try await RunningServer.run(hub) { server in
                async let answer = server.ask(
                    "POST", "/v1/exchange", body: Sample.request.encoded())
                await begun.wait()
                await server.stop()
                await gate.open()
                let last = try await answer.lines.last
                #expect(last == #"{"end":{"more":false}}"#)
            }
        }

        @Test func `cannot take an address that is taken`() async throws {
            try await RunningServer.run { server in
                let second = try HubServer(
                    hub: ScriptedHub(), health: { HealthReport(isReachable: true) },
                    configuration: HubServer.Configuration(
                        listen: ListenAddress(host: "127.0.0.1", port: server.port),
                        secret: SharedSecret(Sample.secret)),
                    logger: Logger(label: "second"))
                await #expect {
                    try await second.run()
                } throws: { error in
                    (error as? HubError)?.code == .configuration
                }
            }
        }
    }
#endif
