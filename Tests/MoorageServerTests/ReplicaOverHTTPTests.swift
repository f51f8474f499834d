#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageAsyncHTTP
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    /// What carries a replica's requests.
    enum Client: CaseIterable {
        case urlSession, asyncHTTPClient

        func hub(_ port: Int, secret: String = Sample.secret) throws -> ReplicaHub {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
            return switch self {
            case .urlSession: .http(url, secret: secret)
            case .asyncHTTPClient:
                .direct(
                    HTTPHubConnection(url: url, secret: secret, transport: AsyncHTTPTransport()))
            }
        }
    }

    private final class ToldProgress: @unchecked Sendable {
        // `@unchecked`: the list is used inside the lock.
        private let lock = NSLock()
        private var list: [CloneProgress] = []

        func add(_ progress: CloneProgress) { lock.withLock { list.append(progress) } }

        var all: [CloneProgress] { lock.withLock { list } }
    }

    /// The real client, the real server and the real hub, over a real socket.
    @Suite(.ownThreads) struct `A replica over HTTP` {
        private struct Bench: Sendable {
            let central: SQLiteDatabase
            let hub: Hub

            init() async throws {
                central = try SQLiteDatabase()
                try central.execute(
                    """
                    CREATE TABLE customers(id TEXT PRIMARY KEY NOT NULL, city TEXT);
                    CREATE TABLE orders(
                      id INTEGER PRIMARY KEY, customer TEXT REFERENCES customers(id),
                      freight DECIMAL(10, 2), note TEXT);
                    INSERT INTO customers VALUES ('A', 'Århus'), ('B', NULL);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                    INSERT INTO orders SELECT i, iif(i % 2, 'A', 'B'), i * 1.5, 'note ' || i FROM n;
                    """)
                hub = Hub(database: central)
                _ = try await hub.attach()
            }

            func clone(
                _ server: RunningServer, _ client: Client, pageRows: Int = 5_000
            ) async throws -> (Replica, DatabaseQueue) {
                let queue = try DatabaseQueue()
                var options = ReplicaOptions()
                options.pageLimits = PageLimits(maximumRows: pageRows, maximumPages: 4)
                let replica = try await Replica.clone(
                    into: queue, from: try client.hub(server.port),
                    tables: ["customers", "orders"], options: options)
                return (replica, queue)
            }
        }

        private func notes(_ queue: DatabaseQueue) async throws -> [String] {
            try await queue.read {
                try String.fetchAll($0, sql: "SELECT coalesce(note, '') FROM orders ORDER BY id")
            }
        }

        @Test(arguments: Client.allCases)
        func `tells how far a clone is, in rows and in bytes`(client: Client) async throws {
            let bench = try await Bench()
            let told = ToldProgress()
            try await RunningServer.run(bench.hub) { server in
                var options = ReplicaOptions()
                options.pageLimits = PageLimits(maximumRows: 20, maximumPages: 2)
                _ = try await Replica.clone(
                    into: try DatabaseQueue(), from: try client.hub(server.port),
                    tables: ["customers", "orders"], options: options
                ) { told.add($0) }
                // In this process nothing travels.
                _ = try await Replica.clone(
                    into: try DatabaseQueue(), from: .direct(bench.hub),
                    tables: ["customers", "orders"], options: options
                ) { #expect($0.bytes == nil) }
            }
            let all = told.all
            let bytes = all.map { $0.bytes ?? 0 }
            #expect(all.count >= 6)
            #expect(bytes.first.map { $0 > 0 } == true)
            // Each page costs some; several exchanges are counted together.
            #expect(zip(bytes, bytes.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(Set(bytes).count >= 3)
            #expect(all.first?.expectedRows == 102)
            #expect(all.map(\.rows).max() == 102)
        }

        @Test(arguments: [1, 10, 5_000], Client.allCases)
        func `clones, pushes and pulls, whatever the page`(
            pageRows: Int, client: Client
        ) async throws {
            let bench = try await Bench()
            try await RunningServer.run(bench.hub) { server in
                let (a, fileA) = try await bench.clone(server, client, pageRows: pageRows)
                let (b, fileB) = try await bench.clone(server, client, pageRows: pageRows)
                try await fileA.write { db in
                    try db.execute(sql: "UPDATE orders SET note = 'A' WHERE id <= 20")
                    try db.execute(
                        sql: "INSERT INTO orders VALUES (1000, 'A', '9.80', 'new \u{1F600}')")
                }
                try await fileB.write { db in
                    try db.execute(sql: "DELETE FROM orders WHERE id > 90 AND id < 1000")
                    try db.execute(sql: "UPDATE orders SET freight = 7 WHERE id = 1")
                }
                #expect(try await a.sync().changesPushed == 21)
                #expect(try await b.sync().changesPushed == 11)
                try await a.sync()
                #expect(try await a.verify().isEmpty)
                #expect(try await b.verify().isEmpty)
                let notesA = try await notes(fileA)
                #expect(notesA.count == 91)
                #expect(try await notes(fileB) == notesA)
            }
        }

        @Test(arguments: Client.allCases)
        func `is told that its secret is wrong, and keeps its changes`(client: Client) async throws
        {
            let bench = try await Bench()
            try await RunningServer.run(bench.hub) { server in
                let (_, file) = try await bench.clone(server, client)
                let other = try await Replica(
                    database: file,
                    hub: try client.hub(server.port, secret: "not the right secret"),
                    tables: [.table("customers"), .table("orders")])
                try await file.write {
                    try $0.execute(sql: "UPDATE orders SET note = 'kept' WHERE id = 1")
                }
                let error = await #expect(throws: ReplicaError.self) { try await other.sync() }
                #expect(error?.recovery == .signIn)
                #expect(try await other.pendingChanges.fetch().count == 1)
            }
        }

        @Test(arguments: Client.allCases)
        func `goes on with another server on the same database`(client: Client) async throws {
            let bench = try await Bench()
            let file = try await RunningServer.run(bench.hub) { server in
                try await bench.clone(server, client).1
            }
            try await file.write {
                try $0.execute(sql: "UPDATE orders SET note = 'later' WHERE id = 2")
            }
            try await RunningServer.run(bench.hub) { server in
                let replica = try await Replica(
                    database: file, hub: try client.hub(server.port),
                    tables: [.table("customers"), .table("orders")])
                #expect(try await replica.sync().isCaughtUp)
                #expect(try await replica.verify().isEmpty)
            }
        }

        @Test(arguments: Client.allCases)
        func `says that nobody answers`(client: Client) async throws {
            let bench = try await Bench()
            let file = try await RunningServer.run(bench.hub) { server in
                try await bench.clone(server, client).1
            }
            let nobody = try ClosedPort()
            let replica = try await Replica(
                database: file, hub: try client.hub(nobody.number),
                tables: [.table("customers"), .table("orders")])
            let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
            #expect(error?.code == .hub(.unreachable))
            withExtendedLifetime(nobody) {}
        }

        @Test(arguments: Client.allCases)
        func `is refused by a server of another hub`(client: Client) async throws {
            let bench = try await Bench()
            let file = try await RunningServer.run(bench.hub) { server in
                try await bench.clone(server, client).1
            }
            let other = try await Bench()
            try await RunningServer.run(other.hub) { server in
                let replica = try await Replica(
                    database: file, hub: try client.hub(server.port),
                    tables: [.table("customers"), .table("orders")])
                let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
                #expect(error?.code == .differentHub || error?.code == .hub(.differentHub))
            }
            #expect(try await notes(file).count == 100)
        }

        @Test(arguments: Client.allCases)
        func `pushes once what the server took and could not answer`(client: Client) async throws {
            let bench = try await Bench()
            let isCut = Flag()
            // The hub takes the batch; the answer is lost before its outcomes.
            let hub = ScriptedHub(
                onExchange: { request, receive in
                    try await bench.hub.exchange(request) { frame in
                        if case .outcomes = frame, await isCut.cutOnce() {
                            throw HubError(.busy, "The line is cut.", retryAfter: .seconds(1))
                        }
                        try await receive(frame)
                    }
                },
                onSchema: { try await bench.hub.schema() },
                onCompare: { try await bench.hub.compare($0) })
            try await RunningServer.run(hub) { server in
                let (replica, file) = try await bench.clone(server, client)
                try await file.write {
                    try $0.execute(sql: "INSERT INTO orders VALUES (500, 'A', 1, 'once')")
                }
                await isCut.arm()
                await #expect(throws: ReplicaError.self) { try await replica.sync() }
                #expect(try await replica.sync().isCaughtUp)
                #expect(try await replica.refusedChanges.fetch().isEmpty)
                #expect(try await replica.verify().isEmpty)
            }
            #expect(try await bench.hub.conflicts().isEmpty)
        }
    }

    private actor Flag {
        private var isArmed = false
        func arm() { isArmed = true }
        func cutOnce() -> Bool {
            defer { isArmed = false }
            return isArmed
        }
    }
#endif
