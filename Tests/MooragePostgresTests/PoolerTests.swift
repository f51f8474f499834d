import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MooragePostgres

/// A pooler in transaction mode gives each transaction another session. The settings and prepared
/// statements of a session then belong to somebody else (docs/decisions/0039).
@Suite("Behind PgBouncer", .ownThreads, .enabled(if: PostgresServer.isAvailable), .pgBouncer)
struct PoolerTests {
    /// A connector behind the pooler; the owner's programs go to the server itself.
    private struct PooledSubject: ConformanceSubject {
        let direct: PostgresSubject
        let postgres: PostgresDatabase
        var database: any CentralDatabase { postgres }
        func openSession() throws -> any OwnerSession { try direct.session() }
    }

    /// What a neighbour may have left in a session that is lent to us next.
    private static let litter = """
        SET search_path TO nowhere; SET DateStyle TO 'German'; SET TimeZone TO 'Asia/Tokyo';
        SET IntervalStyle TO 'iso_8601'; SET bytea_output TO 'escape'; SET extra_float_digits TO 0;
        SET default_transaction_read_only TO on; SET default_transaction_isolation TO 'serializable';
        SET standard_conforming_strings TO off; SET lc_monetary TO 'C'; SET statement_timeout TO '20s'
        """

    private func litter(_ bouncer: PgBouncer, _ database: String) throws {
        let neighbours = try (0..<2).map { _ in try bouncer.session(database) }
        // Both sessions of the pool: a transaction keeps each of them busy meanwhile.
        for neighbour in neighbours { try neighbour.execute("BEGIN") }
        for neighbour in neighbours { try neighbour.execute("\(Self.litter); COMMIT") }
    }

    private func run(
        _ check: ConnectorConformance.Check, schema: String? = nil, litters: Bool,
        url: (_ database: String) throws -> String
    ) throws {
        try PostgresServer.withDatabase(schema: schema) { subject in
            if litters { try litter(try #require(PgBouncer.current), subject.name) }
            let postgres = try PostgresDatabase(url: url(subject.name))
            defer { postgres.close() }
            try check.run(against: PooledSubject(direct: subject, postgres: postgres))
        }
    }

    @Test(arguments: ConnectorConformance.sample(every: 2))
    func `in transaction mode the connector honours its contract among rough neighbours`(
        check: ConnectorConformance.Check
    ) throws {
        let bouncer = try #require(PgBouncer.current)
        try run(check, litters: true) { try bouncer.url(database: $0) }
    }

    @Test(arguments: ConnectorConformance.sample(every: 8, from: 4))
    func `in transaction mode it works on another schema`(
        check: ConnectorConformance.Check
    ) throws {
        let bouncer = try #require(PgBouncer.current)
        try run(check, schema: "other", litters: true) {
            try bouncer.url(database: $0, "schema=other")
        }
    }

    @Test(arguments: ConnectorConformance.sample(every: 8, from: 2))
    func `without a pooler it works as it would behind one, when it is told so`(
        check: ConnectorConformance.Check
    ) throws {
        try run(check, litters: false) {
            try PostgresServer.url(database: $0) + "?pooling=transaction"
        }
    }

    @Test(arguments: ["", "pooling=session", "pooling=transaction"])
    func `in session mode it works, however it is told`(options: String) async throws {
        let bouncer = try await PgBouncer.start(mode: "session")
        defer { bouncer.end() }
        for check in ConnectorConformance.sample(every: 40) {
            try run(check, litters: false) { try bouncer.url(database: $0, options) }
        }
    }

    @Test func `it leaves nothing in the sessions that it is lent`() async throws {
        let bouncer = try #require(PgBouncer.current)
        try await PostgresServer.withDatabase { (subject: PostgresSubject) async throws in
            try subject.session().execute(
                "CREATE TABLE item (id int PRIMARY KEY, b bytea); INSERT INTO item VALUES (1, '\\x00')"
            )
            let postgres = try PostgresDatabase(url: bouncer.url(database: subject.name))
            defer { postgres.close() }
            let hub = Hub(database: postgres)
            _ = try await hub.attach()
            let request = ExchangeRequest(
                replica: "00000000-0000-4000-8000-000000000001", hub: nil, sentAt: 0,
                tables: [TableColumns(name: "item", columns: ["id", "b"])], cursor: .start,
                schemaVersion: nil, batch: nil, limits: PageLimits(), isLive: false)
            for _ in 0..<4 { try await hub.exchange(request) { _ in } }
            let fresh = try subject.session()
            let names = [
                "search_path", "DateStyle", "lock_timeout", "jit", "bytea_output", "xmloption",
            ]
            let neighbours = try (0..<2).map { _ in try bouncer.session(subject.name) }
            for neighbour in neighbours { try neighbour.execute("BEGIN") }
            for neighbour in neighbours {
                for name in names {
                    #expect(
                        try neighbour.cell("SHOW \(name)") == fresh.cell("SHOW \(name)"), "\(name)")
                }
                #expect(try neighbour.cell("SELECT count(*) FROM pg_prepared_statements") == "0")
                try neighbour.execute("COMMIT")
            }
        }
    }

    @Test func `a statement that fails by itself leaves the connection usable`() throws {
        let bouncer = try #require(PgBouncer.current)
        try PostgresServer.withDatabase { subject in
            let postgres = try PostgresDatabase(url: bouncer.url(database: subject.name))
            defer { postgres.close() }
            let rows = try postgres.perform { connection in
                #expect(throws: CentralError.self) { _ = try connection.run("SELECT 1 / 0", []) }
                return try connection.run("SELECT ?::text", [.text("x")])
                    + connection.run("SHOW bytea_output", [])
            }
            #expect(rows == [[.text("x")], [.text("hex")]])
        }
    }

    @Test func `in statement mode there are no transactions, and it says so`() async throws {
        let bouncer = try await PgBouncer.start(mode: "statement")
        defer { bouncer.end() }
        try await PostgresServer.withDatabase { (subject: PostgresSubject) async throws in
            let postgres = try PostgresDatabase(url: bouncer.url(database: subject.name))
            defer { postgres.close() }
            let error = #expect(throws: CentralError.self) {
                try postgres.perform { _ = try $0.now() }
            }
            #expect(error?.message.contains("pooler") == true, "\(error?.message ?? "")")
        }
    }
}
