#if Server
    import Foundation
    import GRDB
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageSupport
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `Events of a server` {
        /// A hub with orders, each in the scope of its owner.
        private struct Bench: Sendable {
            static let key = "0123456789abcdef-ann"

            let database: SQLiteDatabase
            let hub: Hub

            init(_ change: (inout LivePolicy) -> Void = { _ in }) async throws {
                database = SQLiteDatabase(queue: try DatabaseQueue())
                try database.execute(
                    """
                    CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, owner TEXT, note TEXT);
                    INSERT INTO orders VALUES (1, 'ann', 'one'), (2, 'bob', 'two');
                    """)
                var configuration = HubConfiguration()
                configuration.scopes = ScopeSettings(
                    rules: ["orders": [ScopeRule(.column(kind: "owner", "owner"))]],
                    holdings: ["owner": .claim("sub")])
                configuration.live.interval = .milliseconds(5)
                change(&configuration.live)
                hub = Hub(database: database, configuration: configuration)
                _ = try await hub.attach()
            }

            func run<Result: Sendable>(
                limits: HubServer.Limits = .init(),
                _ test: @Sendable (RunningServer) async throws -> Result
            ) async throws -> Result {
                try await RunningServer.run(
                    hub, limits: limits,
                    signIn: SignIn(
                        secret: SharedSecret(Sample.secret),
                        apiKeys: [
                            APIKey(name: "ann", key: try SharedSecret(Self.key), subject: "ann")
                        ]), answersREST: true, test)
            }

            /// Asks for events on a connection of its own.
            func open(
                _ server: RunningServer, _ query: String = "", _ fields: [String] = [],
                receiveBuffer: Int32? = nil
            ) async throws -> RawConnection {
                let connection = try server.connect(receiveBuffer: receiveBuffer)
                await connection.send(
                    RunningServer.request(
                        "GET", "/v1/changes\(query)", secret: Self.key,
                        fields: ["Connection: close", "Accept: text/event-stream"] + fields))
                return connection
            }
        }

        /// The value of the last `id` in events.
        private func id(_ events: String) throws -> String {
            let line = events.split(whereSeparator: \.isNewline).last { $0.hasPrefix("id: ") }
            return String(try #require(line).dropFirst(4))
        }

        @Test func `come as they are committed, and go on behind an id`() async throws {
            let bench = try await Bench()
            try await bench.run { server in
                let first = try await bench.open(server)
                let head = try #require(await first.read(through: "\r\n\r\n"))
                #expect(head.hasPrefix("HTTP/1.1 200"))
                #expect(head.lowercased().contains("content-type: text/event-stream"))
                #expect(head.lowercased().contains("x-accel-buffering: no"))
                #expect(head.lowercased().contains("cache-control: no-store"))
                #expect(!head.lowercased().contains("content-length"))
                let start = try #require(await first.read(through: "data: {}\n\n"))
                #expect(start.contains("retry: 3000\n\n"))
                #expect(start.contains(#"data: {"table":"orders","op":"insert","key":[1]"#))
                #expect(!start.contains("two"))
                try bench.database.execute("UPDATE orders SET note = 'new'")
                let change = try #require(await first.read(through: "data: {}\n\n"))
                #expect(change.contains(#""op":"update","key":[1]"#) && !change.contains("[2]"))
                try bench.database.execute("INSERT INTO orders VALUES (3, 'ann', 'three')")
                let second = try await bench.open(
                    server, "?since=now", ["Last-Event-ID: \(try id(change))"])
                let rest = try #require(await second.read(through: "data: {}\n\n"))
                #expect(rest.contains(#""op":"insert","key":[3]"#))
                #expect(!rest.contains("[1]"))
            }
        }

        @Test func `have heartbeats while nothing happens`() async throws {
            let bench = try await Bench { $0.heartbeat = .milliseconds(100) }
            let limits = HubServer.Limits(idleTimeout: .seconds(5))
            try await bench.run(limits: limits) { server in
                let connection = try await bench.open(server, "?since=now")
                // 6 s at least: longer than the time-out.
                for _ in 0..<60 { _ = try #require(await connection.read(through: ":\nid: ")) }
                try bench.database.execute("INSERT INTO orders VALUES (3, 'ann', 'a while')")
                #expect(await connection.read(through: "a while") != nil)
            }
        }

        @Test func `end after their time, and when the server stops`() async throws {
            let short = try await Bench { $0.maximumLife = .milliseconds(300) }
            try await short.run { server in
                let connection = try await short.open(server, "?since=now")
                let text = await connection.readToEnd()
                #expect(text.contains("event: caughtUp"))
                #expect(text.hasSuffix("0\r\n\r\n"))
            }
            let bench = try await Bench()
            let answers = try await bench.run { server in
                var connections: [RawConnection] = []
                for _ in 0..<5 {
                    let connection = try await bench.open(server, "?since=now")
                    _ = await connection.read(through: "event: caughtUp")
                    connections.append(connection)
                }
                await server.stop()
                var answers: [String] = []
                for connection in connections { answers.append(await connection.readToEnd()) }
                return answers
            }
            // Each comes back at another moment.
            #expect(answers.allSatisfy { $0.contains("retry: ") })
            #expect(Set(answers).count > 1)
        }

        @Test func `are refused as any request is`() async throws {
            let bench = try await Bench()
            let limits = HubServer.Limits(maximumStreams: 1)
            try await bench.run(limits: limits) { server in
                let fields = ["Accept: text/event-stream"]
                let unsigned = try await server.ask(
                    "GET", "/v1/changes", secret: nil, fields: fields)
                #expect(unsigned.status == 401)
                #expect(unsigned.fields["content-type"] == "application/problem+json")
                let expired = try await server.ask(
                    "GET", "/v1/changes?since=x", secret: Bench.key, fields: fields)
                #expect(expired.status == 410)
                #expect(expired.fields["content-type"] == "application/problem+json")
                let method = try await server.ask("POST", "/v1/changes", secret: Bench.key)
                #expect(method.status == 405 && method.fields["allow"] == "GET")
                // A refusal takes no place.
                let first = try await bench.open(server)
                _ = try #require(await first.read(through: "event: caughtUp"))
                let other = try await server.ask(
                    "GET", "/v1/changes", secret: Bench.key, fields: fields)
                #expect(other.status == 503 && other.fields["retry-after"] != nil)
                let page = try await server.ask("GET", "/v1/changes", secret: Bench.key)
                #expect(page.status == 200 && page.body.contains(#""more":false"#))
            }
        }

        /// It has no connection to the database while it waits for its client. A database in memory
        /// has only one.
        @Test func `wait for a slow client, and keep nobody from the database`() async throws {
            let bench = try await Bench()
            let note = String(repeating: "x", count: 4_000)
            try bench.database.execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 4009)
                INSERT INTO orders SELECT i, 'ann', '\(note)' FROM n
                """)
            try await bench.run { server in
                let slow = try await bench.open(server, receiveBuffer: 4_096)
                _ = try #require(await slow.read(through: #""key":[1]"#))
                for _ in 0..<5 {
                    let page = try await server.ask(
                        "GET", "/v1/changes?since=now", secret: Bench.key)
                    #expect(page.status == 200)
                }
                withExtendedLifetime(slow) {}
            }
        }
    }
#endif
