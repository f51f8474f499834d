#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageSupport
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `A server with live streams` {
        private struct Bench: Sendable {
            let central: SQLiteDatabase
            let hub: Hub

            init(_ change: (inout LivePolicy) -> Void = { _ in }) async throws {
                central = try SQLiteDatabase()
                try central.execute(
                    "CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT)")
                var configuration = HubConfiguration()
                configuration.live.interval = .milliseconds(5)
                change(&configuration.live)
                hub = Hub(database: central, configuration: configuration)
                _ = try await hub.attach()
            }

            static func body(_ number: Int, cursor: SyncCursor = .start) -> [UInt8] {
                let digits = String(String(1_000_000_000_000 + number).dropFirst())
                return ExchangeRequest(
                    replica: "00000000-0000-4000-8000-" + digits, hub: nil, sentAt: 0,
                    tables: [TableColumns(name: "note", columns: ["id", "text"])], cursor: cursor,
                    schemaVersion: nil, batch: nil, limits: PageLimits(maximumPages: 100),
                    isLive: true
                ).encoded()
            }

            /// Opens an answer on a connection of its own, and reads until it is open.
            func open(
                _ server: RunningServer, _ number: Int, cursor: SyncCursor = .start,
                secret: String = Sample.secret, receiveBuffer: Int32? = nil
            ) async throws -> RawConnection {
                let connection = try server.connect(receiveBuffer: receiveBuffer)
                await connection.send(
                    RunningServer.request(
                        "POST", "/v1/exchange", secret: secret,
                        fields: ["Connection: close", "Accept-Encoding: gzip"],
                        body: Self.body(number, cursor: cursor)))
                let head = try #require(await connection.read(through: "\r\n\r\n"))
                #expect(!head.lowercased().contains("content-encoding"))
                #expect(head.lowercased().contains("x-accel-buffering: no"))
                _ = try #require(await connection.read(through: #""caughtUp":true"#))
                return connection
            }

            func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
                for _ in 0..<5_000 {
                    if try await isSo() { return }
                    try await Task.sleep(for: .milliseconds(3))
                }
                Issue.record("It never came: \(what)")
                throw CancellationError()
            }
        }

        @Test(arguments: Client.allCases)
        func `brings one device's commit to another one`(client: Client) async throws {
            let bench = try await Bench()
            // Live streams are no exchanges at work, and hold nothing of their requests.
            let limits = HubServer.Limits(maximumBufferedBytes: 100_000_000, maximumExchanges: 2)
            try await RunningServer.run(bench.hub, limits: limits) { server in
                var devices: [(Replica, DatabaseQueue)] = []
                for _ in 0..<4 {
                    let file = try DatabaseQueue()
                    var options = ReplicaOptions()
                    options.pullInterval = .seconds(3_600)
                    let replica = try await Replica.clone(
                        into: file, from: try client.hub(server.port), tables: ["note"],
                        options: options)
                    await replica.start()
                    try await bench.until("it is live") { replica.currentStatus.isLive }
                    devices.append((replica, file))
                }
                #expect(bench.hub.liveFigures.streams == 4)
                for (number, device) in devices.enumerated() {
                    try await device.1.write {
                        try $0.execute(sql: "INSERT INTO note VALUES (\(number), 'n')")
                    }
                    for (_, file) in devices {
                        try await bench.until("commit \(number) everywhere") {
                            try await file.read {
                                try Int.fetchOne($0, sql: "SELECT count(*) FROM note")
                            } == number + 1
                        }
                    }
                }
                #expect(devices.allSatisfy { $0.0.currentStatus.lastError == nil })
                for (replica, _) in devices { await replica.stop() }
            }
        }

        @Test func `ends all of them when it stops, each to come back at another moment`()
            async throws
        {
            let bench = try await Bench()
            let answers = try await RunningServer.run(bench.hub) { server in
                var connections: [RawConnection] = []
                for number in 1...20 { connections.append(try await bench.open(server, number)) }
                await server.stop()
                var answers: [String] = []
                for connection in connections { answers.append(await connection.readToEnd()) }
                return answers
            }
            #expect(answers.allSatisfy { $0.contains(#"{"end":{"more":false,"wait":"#) })
            #expect(Set(answers.map { $0.suffix(40) }).count > 10)
            #expect(bench.hub.liveFigures.streams == 0)
        }

        @Test func `keeps one whose client is silent, and says that it is there`() async throws {
            let bench = try await Bench { $0.heartbeat = .milliseconds(20) }
            let limits = HubServer.Limits(idleTimeout: .milliseconds(200))
            try await RunningServer.run(bench.hub, limits: limits) { server in
                let connection = try await bench.open(server, 1)
                for _ in 0..<40 {
                    _ = try #require(await connection.read(through: #"{"alive":{"time":"#))
                }
                try bench.central.execute("INSERT INTO note VALUES (1, 'after a while')")
                #expect(await connection.read(through: "after a while") != nil)
            }
        }

        @Test func `drops one who takes nothing, who misses nothing when it comes back`()
            async throws
        {
            let bench = try await Bench { $0.heartbeat = .milliseconds(20) }
            let limits = HubServer.Limits(idleTimeout: .milliseconds(300))
            try await RunningServer.run(bench.hub, limits: limits) { server in
                let pages = Locked<[Page]>([])
                let first = try ExchangeRequest(decoding: Bench.body(1)).ending
                try await bench.hub.exchange(first) { frame in
                    if case .page(let page) = frame { pages.withLock { $0.append(page) } }
                }
                let cursor = try #require(pages.withLock { $0.last?.cursor })
                let connection = try await bench.open(
                    server, 1, cursor: cursor, receiveBuffer: 4_096)
                try await bench.until("it waits") { bench.hub.liveFigures.waiting == 1 }
                // More than all buffers on the way hold.
                for number in 1...10 {
                    try bench.central.execute(
                        "INSERT INTO note VALUES (\(number), hex(zeroblob(500000)))")
                }
                try await bench.until("it was dropped") { bench.hub.liveFigures.streams == 0 }
                _ = await connection.readToEnd()
                // By the cursor that it had.
                let request = try ExchangeRequest(decoding: Bench.body(1, cursor: cursor)).ending
                let rows = Locked<[Value]>([])
                try await bench.hub.exchange(request) { frame in
                    guard case .page(let page) = frame else { return }
                    rows.withLock { $0 += page.tables.flatMap(\.rows).map { $0[0] } }
                }
                #expect(rows.withLock { $0 } == (1...10).map { .integer($0) })
            }
        }

        @Test func `ends one whose token is over`() async throws {
            let bench = try await Bench()
            let key = try await TestKeys.signing(.es256)
            let issuer = TokenIssuer(key: key, issuer: "i", audience: "a")
            let signIn = SignIn(
                tokens: TokenRules(
                    issuer: "i", audience: "a", keys: [try await TestKeys.checking(.es256)]))
            // The leeway for clocks lets a token in that is over; its answer is not kept open.
            let now = Int64(Date().timeIntervalSince1970)
            let short = try issuer.token(subject: "ada", now: now, life: 1)
            let long = try issuer.token(subject: "bob", now: now, life: 3_600)
            try await RunningServer.run(bench.hub, signIn: signIn) { server in
                let ada = try await bench.open(server, 1, secret: short)
                let bob = try await bench.open(server, 2, secret: long)
                try await bench.until("hers is over") { bench.hub.liveFigures.streams == 1 }
                #expect(await ada.readToEnd().contains(#"{"end":{"more":false}}"#))
                try bench.central.execute("INSERT INTO note VALUES (1, 'for bob')")
                #expect(await bob.read(through: "for bob") != nil)
            }
        }

        @Test func `grants no more than it may have, and ends the others as ever`() async throws {
            let bench = try await Bench()
            let limits = HubServer.Limits(maximumStreams: 1)
            try await RunningServer.run(bench.hub, limits: limits) { server in
                let first = try await bench.open(server, 1)
                let other = try await server.ask("POST", "/v1/exchange", body: Bench.body(2))
                #expect(other.status == 200)
                #expect(other.lines.first?.contains(#""live""#) == false)
                #expect(other.lines.last == #"{"end":{"more":false}}"#)
                // Its place is free again when the server finds it gone.
                _ = first
            }
        }
    }
#endif
