#if Server
    import ArgumentParser
    import Foundation
    import GRDB
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageCLI
    @testable import MoorageDev
    @testable import MoorageLoad

    @Suite(.ownThreads) struct `A load run` {
        private static let secret = "0123456789abcdef0123"

        /// A table with every type and two rows of somebody's; one with a reference that must be; and a server.
        private func withServer(
            configuration: String? = nil,
            _ body: @escaping @Sendable (CommandRun, _ server: [String]) async throws -> Void
        ) async throws {
            try await CommandRun.inFolder { run in
                let database = try run.database("central.db")
                try await database.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE items(
                                id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE,
                                amount DECIMAL(10, 2), day DATE, at TIMESTAMP, t TIME, ok BOOLEAN,
                                size REAL, data BLOB, note JSON, u UUID,
                                twice INTEGER GENERATED ALWAYS AS (id * 2) VIRTUAL,
                                parent INTEGER REFERENCES items(id));
                            INSERT INTO items(id, code) VALUES (1, 'a'), (2, 'b');
                            CREATE TABLE lines(
                                id TEXT PRIMARY KEY, item INTEGER NOT NULL REFERENCES items(id));
                            """)
                }
                let secret = try run.write(Self.secret, to: "secret")
                var settings = ["--secret-file", secret]
                if let configuration {
                    settings += ["--config", try run.write(configuration, to: "moorage.yaml")]
                }
                let hub = "sqlite:" + run.path("central.db")
                _ = try await run.run(["attach", hub] + settings)
                try await serving(run, ["serve", hub, "--listen", "127.0.0.1:0"] + settings) {
                    try await body(run, [$0, "--secret-file", secret])
                }
            }
        }

        private func serving(
            _ run: CommandRun, _ arguments: [String],
            _ body: @escaping @Sendable (_ address: String) async throws -> Void
        ) async throws {
            let (lines, continuation) = AsyncStream.makeStream(of: String.self)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                defer { tasks.cancelAll() }
                tasks.addTask {
                    try await CommandRun.printing(to: { continuation.yield($0) }) {
                        var command = try #require(
                            MoorageCommand.parseAsRoot(arguments + ["--log-level", "error"])
                                as? any AsyncParsableCommand)
                        try await command.run()
                    }
                }
                tasks.addTask {
                    for await line in lines {
                        guard let address = line.split(separator: " ").last else { continue }
                        return try await body(String(address))
                    }
                }
                _ = try await tasks.next()
            }
        }

        private func bench(_ server: [String], _ options: String...) async throws -> JSON {
            // So often that nothing is waited for.
            let counted = ["--exchanges", "5", "--rate", "1000"]
            let arguments = server + ["--json", "--no-progress"] + counted + options
            let lines = PrintedLines()
            try await CommandRun.printing(to: { lines.add($0) }) {
                try await Bench.parse(arguments).measure()
            }
            return try JSON(parsing: lines.text)
        }

        private func items(_ run: CommandRun) async throws -> [String] {
            try await run.database("central.db").read {
                try Row.fetchAll($0, sql: "SELECT * FROM items ORDER BY id").map { "\($0)" }
            }
        }

        @Test func `counts what it did, and leaves nothing of its own`() async throws {
            try await withServer { run, server in
                let before = try await items(run)
                let report = try await bench(
                    server, "--table", "items", "--devices", "3", "--rows", "20")
                let changes = try report.sum("changes")
                #expect(changes > 0)
                #expect(try report.sum("outcomes") == changes)
                #expect(try report.number("outcomes", "applied") == changes)
                #expect(
                    try report.number("exchanges")
                        == report.number("latency", "withChanges", "count")
                        + report.number("latency", "withoutChanges", "count"))
                #expect(try report.sum("failures") == 0)
                // Two rows for each device, and no other's before the measurement.
                #expect(try report.number("firstCopies", "rows") == 6)
                #expect(
                    try report.number("ownRows", "deleted")
                        == 60 + report.number("changes", "inserts")
                        - report.number("changes", "deletes"))
                #expect(try report.number("ownRows", "left") == 0)
                #expect(try report.number("bytesUp") > 0 && report.number("bytesDown") > 0)
                #expect(try await items(run) == before)
            }
        }

        @Test func `that only reads writes nothing`() async throws {
            try await withServer { run, server in
                let before = try await items(run)
                let report = try await bench(
                    server, "--table", "items", "--devices", "2", "--reads-only")
                #expect(try report.sum("changes") == 0)
                #expect(try report.number("latency", "withoutChanges", "count") == 10)
                #expect(try report.number("plan", "exchanges") == 5)
                #expect(try await items(run) == before)
                let batches = try await run.database("central.db").read {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM moorage_batch")
                }
                #expect(batches == 0)
            }
        }

        @Test func `keeps its rows where it is told to`() async throws {
            try await withServer { run, server in
                let report = try await bench(
                    server, "--table", "items", "--devices", "2", "--rows", "5",
                    "--mix", "100/0/0", "--keep")
                let kept = try report.number("ownRows", "kept")
                #expect(kept >= 10)
                #expect(try await items(run).count == kept + 2)
            }
        }

        @Test func `takes keys that the hub hands out`() async throws {
            let settings = "tables:\n  items: {keyBlock: 7}\n  lines: {}\n"
            try await withServer(configuration: settings) { run, server in
                _ = try await bench(
                    server, "--table", "items", "--devices", "2", "--rows", "20", "--keep")
                let highest = try await run.database("central.db").read {
                    try Int.fetchOne($0, sql: "SELECT max(id) FROM items")
                }
                #expect((3...5_000).contains(highest ?? 0))
            }
        }

        @Test func `refuses a table whose rows nobody can make up before anything is written`()
            async throws
        {
            try await withServer { run, server in
                let failure = await #expect(throws: CommandFailure.self) {
                    _ = try await bench(server, "--table", "lines")
                }
                #expect(failure?.what.contains("item must name a row of items") == true)
                let unknown = await #expect(throws: CommandFailure.self) {
                    _ = try await bench(server, "--table", "none")
                }
                #expect(unknown?.next?.contains("items, lines") == true)
                let replicas = try await run.database("central.db").read {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM moorage_replica")
                }
                #expect(replicas == 0)
                // Without writing, any table does.
                let report = try await bench(
                    server, "--table", "lines", "--devices", "1", "--reads-only")
                #expect(try report.sum("failures") == 0)
            }
        }

        @Test func `deletes its rows when it is stopped`() async throws {
            try await withServer { run, server in
                let before = try await items(run)
                var plan = BenchPlan(table: "items")
                (plan.devices, plan.exchanges, plan.rate, plan.rows) = (2, 1_000_000, 1_000, 10)
                let access = try HubOptions.parse(Array(server.dropFirst())).server(server[0])
                let bench = BenchRun(
                    plan: plan, server: access, console: Console(showsProgress: false))
                let database = try run.database("central.db")
                let appear: @Sendable () async -> Void = {
                    // It is cancelled where the run ends before.
                    try? await eventually("the devices have inserted rows") {
                        let count = try? await database.read {
                            try Int.fetchOne($0, sql: "SELECT count(*) FROM items")
                        }
                        return (count ?? nil ?? 0) > 25
                    }
                }
                let report = try await bench.run(stop: appear)
                #expect(!report.isWhole)
                #expect(report.cleared.deleted > 0)
                #expect(try await items(run) == before)
                let failure = #expect(throws: CommandFailure.self) { try report.check() }
                #expect(failure?.exit == .temporary)
            }
        }

        /// A device on a hub of one table, by way of another one.
        private func device(
            _ run: CommandRun, by way: (Hub) -> any HubConnection
        ) async throws -> (BenchDevice, TableDescription) {
            try await run.database("central.db").write {
                try $0.execute(sql: "CREATE TABLE notes(id TEXT PRIMARY KEY, n INTEGER)")
            }
            let hub = Hub(database: try SQLiteDatabase(path: run.path("central.db")))
            _ = try await hub.attach()
            let schema = try await hub.schema()
            let table = try #require(schema.schema.table(named: "notes"))
            let device = BenchDevice(
                number: 0, hub: way(hub), schema: schema, table: table,
                plan: BenchPlan(table: "notes"), numbers: RunNumbers())
            return (device, table)
        }

        @Test func `learns what became of a batch whose answer was lost`() async throws {
            try await CommandRun.inFolder { run in
                let (device, table) = try await device(run) { ForgetfulHub(hub: $0) }
                let database = try run.database("central.db")
                let batch = await device.inserts(5, try SyntheticValues(table, .everything))
                await #expect(throws: HubError.self) { try await device.exchange(batch) }
                let count: @Sendable () async throws -> Int? = {
                    try await database.read {
                        try Int.fetchOne($0, sql: "SELECT count(*) FROM notes")
                    }
                }
                #expect(try await count() == 5)
                let cleared = await device.clear(.seconds(30))
                #expect((cleared.deleted, cleared.left) == (5, 0))
                #expect(try await count() == 0)
            }
        }

        @Test func `counts what a stalled server kept from beginning`() async throws {
            try await CommandRun.inFolder { run in
                let (device, _) = try await device(run) { StalledHub(hub: $0) }
                let tally = BenchTally()
                try await device.run(
                    Schedule(rate: 100, seconds: 0.05, delay: 0), since: .now, nil, tally)
                let counts = await tally.counts
                #expect(counts.exchanges + counts.notBegun == 5)
                #expect(counts.notBegun > 0)
                #expect(counts.devicesBehind == 1)
            }
        }

        @Test(arguments: [
            ["--devices", "0"], ["--devices", "10001"], ["--seconds", "0"], ["--exchanges", "0"],
            ["--exchanges", "1000001"], ["--rate", "0"],
            ["--rate", "nan"], ["--batch", "0"], ["--rows", "100001"], ["--mix", "50/50/50"],
            ["--mix", "50/50"], ["--mix", "-1/51/50"],
        ])
        func `names the option that is wrong`(option: [String]) {
            let error = #expect(throws: (any Error).self) {
                try DevCommand.parseAsRoot(
                    ["bench", "http://127.0.0.1:1", "--table", "t"]
                        + ["\(option[0])=\(option[1])"])
            }
            #expect(error.map { DevCommand.exitCode(for: $0).rawValue } == 64)
            #expect(error.map { DevCommand.message(for: $0) }?.contains(option[0]) == true)
        }

        @Test func `needs a server`() async throws {
            try await CommandRun.inFolder { run in
                let arguments = ["sqlite:" + run.path("a.db"), "--table", "t"]
                let failure = await #expect(throws: CommandFailure.self) {
                    try await Bench.parse(arguments).measure()
                }
                #expect(failure?.exit == .usage)
                let code = await #expect(throws: ExitCode.self) {
                    try await Bench.parse(arguments).run()
                }
                #expect(code?.rawValue == CommandExit.usage.rawValue)
            }
        }
    }

    /// Answers after what the test gives as its whole time.
    private struct StalledHub: HubConnection {
        let hub: Hub

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            try await Task.sleep(for: .milliseconds(60))
            try await hub.exchange(request, receive: receive)
        }

        func schema() async throws -> SchemaAnswer { try await hub.schema() }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }

    /// Takes each batch the first time without an answer.
    private actor ForgetfulHub: HubConnection {
        private let hub: Hub
        private var seen: Set<Int64> = []

        init(hub: Hub) { self.hub = hub }

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            let isFirst = request.batch.map { seen.insert($0.number).inserted } ?? false
            try await hub.exchange(request) { frame in
                if isFirst, case .outcomes = frame {
                    throw HubError(.unreachable, "The connection broke.")
                }
                try await receive(frame)
            }
        }

        func schema() async throws -> SchemaAnswer { try await hub.schema() }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }

    extension JSON {
        fileprivate func member(_ path: [String]) throws -> JSON {
            try path.reduce(self) { value, name in
                guard case .object(let members) = value else { return .null }
                return try #require(members.first { $0.name == name }?.value)
            }
        }

        fileprivate func number(_ path: String...) throws -> Int {
            guard case .number(let text) = try member(path) else { return 0 }
            return try #require(Int(text))
        }

        /// All members of an object in sum.
        fileprivate func sum(_ name: String) throws -> Int {
            guard case .object(let members) = try member([name]) else { return 0 }
            return try members.reduce(0) { sum, member in
                guard case .number(let text) = member.value else { return sum }
                return sum + (try #require(Int(text)))
            }
        }
    }
#endif
