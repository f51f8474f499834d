#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageHub
    import MoorageSQLite
    import MoorageSupport
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `A server with live streams` {
        @Test(arguments: Client.allCases)
        func `brings one device's commit to another one`(client: Client) async throws {
            let bench = try await LiveServerBench()
            // Live streams do not count as running exchanges, and keep nothing of their requests.
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
                    try await eventually("it is live") { replica.status.isLive }
                    devices.append((replica, file))
                }
                // A stream may end while others open, and comes back.
                try await eventually("all are live") { bench.hub.liveFigures.streams == 4 }
                for (number, device) in devices.enumerated() {
                    try await device.1.write {
                        try $0.execute(sql: "INSERT INTO note VALUES (\(number), 'n')")
                    }
                    for (_, file) in devices {
                        try await eventually("commit \(number) is everywhere") {
                            try await file.read {
                                try Int.fetchOne($0, sql: "SELECT count(*) FROM note")
                            } == number + 1
                        }
                    }
                }
                #expect(devices.allSatisfy { $0.0.status.lastError == nil })
                for (replica, _) in devices { await replica.stop() }
            }
        }

        @Test func `ends all of them when it stops, each to come back at another moment`()
            async throws
        {
            let bench = try await LiveServerBench()
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
            let bench = try await LiveServerBench { $0.heartbeat = .milliseconds(100) }
            let limits = HubServer.Limits(idleTimeout: .seconds(5))
            try await RunningServer.run(bench.hub, limits: limits) { server in
                let connection = try await bench.open(server, 1)
                // 6 s at least: longer than the time-out.
                for _ in 0..<60 {
                    _ = try #require(await connection.read(through: #"{"alive":{"time":"#))
                }
                try bench.central.execute("INSERT INTO note VALUES (1, 'after a while')")
                #expect(await connection.read(through: "after a while") != nil)
            }
        }

        /// The leeway for clocks accepts a token that has expired, but its stream has no time left.
        @Test func `ends one whose token has expired, and no other`() async throws {
            let bench = try await LiveServerBench()
            let key = try await TestKeys.signing(.es256)
            let issuer = TokenIssuer(key: key, issuer: "i", audience: "a")
            let rules = TokenRules(
                issuer: "i", audience: "a", keys: [try await TestKeys.checking(.es256)],
                leeway: TokenLimits.maximumLeeway)
            let now = Int64(Date().timeIntervalSince1970)
            let expired = try issuer.token(subject: "ada", now: now - 2, life: 1)
            let good = try issuer.token(subject: "bob", now: now, life: 3_600)
            try await RunningServer.run(bench.hub, signIn: SignIn(tokens: rules)) { server in
                let bob = try await bench.open(server, 1, secret: good)
                let ada = try await bench.open(server, 2, secret: expired)
                let rest = Locked<String?>(nil)
                let reading = Task {
                    let text = await ada.readToEnd()
                    rest.withLock { $0 = text }
                }
                try await eventually("the stream of ada has ended") { rest.withLock { $0 != nil } }
                await reading.value
                let text = try #require(rest.withLock { $0 })
                #expect(text.contains(#"{"end":{"more":false}}"#))
                try bench.central.execute("INSERT INTO note VALUES (1, 'for bob')")
                #expect(await bob.read(through: "for bob") != nil)
            }
        }

        @Test func `grants no more than it may have, and ends the others as ever`() async throws {
            let bench = try await LiveServerBench()
            let limits = HubServer.Limits(maximumStreams: 1)
            try await RunningServer.run(bench.hub, limits: limits) { server in
                let first = try await bench.open(server, 1)
                let other = try await server.ask(
                    "POST", "/v1/exchange", body: LiveServerBench.body(2))
                #expect(other.status == 200)
                #expect(other.lines.first?.contains(#""live""#) == false)
                #expect(other.lines.last == #"{"end":{"more":false}}"#)
                // Its place is free again when the server finds it gone.
                _ = first
            }
        }
    }
#endif
