import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A request that takes the database too long` {
    private let clock = BellClock()

    private func bench() async throws -> (RESTBench, PausingDatabase) {
        let database = try SQLiteDatabase()
        let pausing = PausingDatabase(database)
        let bench = try await RESTBench(
            database: database, through: { _ in pausing }, clock: clock)
        return (bench, pausing)
    }

    @Test(arguments: [
        ("GET", "/v1/tables/purchase?filter=freight%3E1", ""), ("GET", "/v1/tables", ""),
        ("GET", "/v1/tables/purchase/1", ""), ("GET", "/v1/changes", ""),
        ("GET", "/v1/openapi.json", ""), ("POST", "/v1/manifest", "{}"),
    ])
    func `gets a problem, and the next one an answer`(
        method: String, target: String, body: String
    ) async throws {
        let (bench, database) = try await bench()
        database.pause()
        async let late = bench.send(method, target, body: body.isEmpty ? nil : body)
        for await _ in database.begun { break }
        try await clock.ring()
        let problem = try await late
        #expect(problem.status == 504 && problem.code == "tooSlow", "\(problem.text)")
        #expect(problem.json["detail"]?.string?.contains("index") == true)
        let next = try await bench.send(method, target, body: body.isEmpty ? nil : body)
        #expect(next.status == 200, "\(next.text)")
        // Nothing waits for the limit of a request that is over.
        try await eventually("nobody sleeps") { clock.sleeping == 0 }
    }

    @Test func `of a stream gets its problem before the stream begins`() async throws {
        let (bench, database) = try await bench()
        database.pause()
        async let late = bench.events("/v1/changes", until: "never")
        for await _ in database.begun { break }
        try await clock.ring()
        #expect(try await late == "504 tooSlow")
    }

    @Test func `writes nothing, and is carried out when it comes again`() async throws {
        let (database, begun) = try Endless.database()
        let bench = try await RESTBench(database: database, clock: clock)
        try bench.sql(
            """
            CREATE VIEW endless AS \(Endless.query);
            CREATE TRIGGER slow AFTER INSERT ON customer WHEN NEW.id = 'B' BEGIN
              SELECT begun();
              SELECT c FROM endless;
            END;
            """)
        let body = """
            {"operations":[{"op":"update","table":"customer","key":"VINET","row":{"city":"Metz"}},
            {"op":"insert","table":"customer","row":{"id":"A","name":"a"}},
            {"op":"insert","table":"customer","row":{"id":"B","name":"b"}}]}
            """
        let key = [("Idempotency-Key", "k 1")]
        async let late = bench.send("POST", "/v1/batch", key, body: body)
        for await _ in begun { break }
        try await clock.ring()
        let problem = try await late
        #expect(problem.status == 504 && problem.code == "tooSlow", "\(problem.text)")
        #expect(problem.json["detail"]?.string?.contains("Nothing was written") == true)
        let rows = "SELECT id, city FROM customer WHERE id IN ('A', 'B', 'VINET')"
        #expect(try bench.rows(rows) == [[.text("VINET"), .text("Reims")]])
        try bench.sql("DROP TRIGGER slow")
        let again = try await bench.send("POST", "/v1/batch", key, body: body)
        #expect(again.statuses == ["200", "201", "201"], "\(again.text)")
        #expect(try bench.rows(rows).count == 3)
    }

    @Test func `after its writes says that they are done`() async throws {
        let (bench, database) = try await bench()
        let body = """
            {"tables":{"customer":{"add":[{"id":"A","name":"a"}],"get":["VINET"]}}}
            """
        database.pause(after: 1)
        let key = [("Idempotency-Key", "k 1")]
        async let late = bench.send("POST", "/v1/synchronise", key, body: body)
        for await _ in database.begun { break }
        try await clock.ring()
        let problem = try await late
        #expect(problem.status == 504 && problem.code == "tooSlow", "\(problem.text)")
        #expect(problem.json["detail"]?.string?.contains("The writes are done") == true)
        #expect(try bench.rows("SELECT name FROM customer WHERE id = 'A'") == [[.text("a")]])
        let again = try await bench.send("POST", "/v1/synchronise", key, body: body)
        #expect(again.status == 200, "\(again.text)")
    }
}

@Suite(.ownThreads) struct `A time limit` {
    private let clock = BellClock()

    private var limit: TimeLimit { TimeLimit(.seconds(1), clock) }

    @Test func `gives what ends in time`() async throws {
        #expect(try await limit.run(orThrow: .badPath) { 1 } == 1)
        await #expect(throws: HubError.self) {
            try await limit.run(orThrow: .badPath) { throw HubError(.busy, "Later.") }
        }
    }

    @Test func `gives what comes to its end all the same`() async throws {
        let (cancelled, continuation) = AsyncStream.makeStream(of: Void.self)
        async let answer = limit.run(orThrow: .badPath) {
            await withTaskCancellationHandler {
                for await _ in cancelled {}
                // A stream ends for a task that is cancelled, whatever its source does.
                return 1
            } onCancel: {
                continuation.finish()
            }
        }
        try await clock.ring()
        #expect(try await answer == 1)
    }

    @Test func `tells its own end from that of its caller`() async throws {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [limit] in
            try await limit.run(orThrow: .badPath) {
                continuation.finish()
                try await Task.sleep(for: .seconds(86_400))
            }
        }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
