#if Server
    import GRDB
    import Moorage
    import MoorageHub
    import MoorageSQLite
    import MoorageWire
    import TestSupport
    import Testing

    /// The function that docs/guides/getting-started.md gives to every app.
    @Suite(.ownThreads) struct `Opening or cloning` {
        private let hub: Hub
        private let file: DatabaseQueue

        init() async throws {
            let central = try SQLiteDatabase()
            try central.execute(
                """
                CREATE TABLE customers(id TEXT PRIMARY KEY NOT NULL, city TEXT);
                CREATE TABLE orders(
                  id INTEGER PRIMARY KEY, customer TEXT REFERENCES customers(id));
                INSERT INTO customers VALUES ('A', 'Århus'), ('B', NULL);
                INSERT INTO orders VALUES (1, 'A'), (2, 'B');
                """)
            hub = Hub(database: central)
            _ = try await hub.attach()
            file = try DatabaseQueue()
        }

        private func open(_ hub: any HubConnection) async throws -> Replica {
            try await openOrClone(file, from: .direct(hub), tables: ["customers", "orders"])
        }

        private func orders() async throws -> Int? {
            try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM orders") }
        }

        @Test func `clones into a new file`() async throws {
            #expect(try await open(hub).status.isCaughtUp)
            #expect(try await orders() == 2)
        }

        @Test func `leaves a new file empty without the hub`() async throws {
            await #expect(throws: ReplicaError.self) {
                _ = try await open(BrokenWay(hub: hub, answersSchema: false))
            }
            let tables = try await file.read {
                try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema")
            }
            #expect(tables == [])
            #expect(try await open(hub).status.isCaughtUp)
        }

        /// The tables are there, and no row is.
        @Test(arguments: 1...3)
        func `finishes a clone that broke off, however often`(breaks: Int) async throws {
            for _ in 1...breaks {
                await #expect(throws: ReplicaError.self) {
                    _ = try await open(BrokenWay(hub: hub))
                }
            }
            #expect(try await orders() == 0)
            let replica = try await open(hub)
            #expect(replica.status.isCaughtUp)
            #expect(try await replica.verify() == [])
            #expect(try await orders() == 2)
        }

        @Test func `finishes a clone whose last page arrived`() async throws {
            await #expect(throws: ReplicaError.self) {
                _ = try await open(BrokenWay(hub: hub, passesPages: true))
            }
            #expect(try await orders() == 2)
            let replica = try await open(hub)
            try await file.write { try $0.execute(sql: "DELETE FROM orders WHERE id = 1") }
            #expect(try await replica.sync().changesPushed == 1)
        }

        @Test func `opens a finished clone without the hub, with its changes`() async throws {
            _ = try await open(hub)
            try await file.write { try $0.execute(sql: "UPDATE customers SET city = 'Lindvik'") }
            let replica = try await open(BrokenWay(hub: hub, answersSchema: false))
            #expect(replica.status.pendingCount == 2)
            #expect(try await orders() == 2)
        }
    }

    /// A way to the hub that breaks within each exchange.
    private struct BrokenWay: HubConnection {
        let hub: Hub
        var answersSchema = true
        /// Whether the way breaks only at the end of the answer.
        var passesPages = false

        private static let failure = HubError(.unreachable, "The connection broke.")

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            try await hub.exchange(request) { frame in
                if !passesPages { throw Self.failure }
                if case .end = frame { throw Self.failure }
                try await receive(frame)
            }
        }

        func schema() async throws -> SchemaAnswer {
            guard answersSchema else { throw Self.failure }
            return try await hub.schema()
        }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }
#endif
