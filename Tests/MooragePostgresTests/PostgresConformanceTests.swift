import MoorageHub
import MooragePostgres
import MoorageTesting
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable)) struct `The PostgreSQL connector` {
    @Test(arguments: ConnectorConformance.checks)
    func `honours the connector contract`(check: ConnectorConformance.Check) throws {
        try PostgresServer.withDatabase { url in
            try check.run(against: PostgresSubject(url: url))
        }
    }
}

/// A database of its own, and other programs that write to it.
struct PostgresSubject: ConformanceSubject {
    let url: String
    let database: any CentralDatabase

    init(url: String) throws {
        self.url = url
        database = try PostgresDatabase(url: url)
    }

    func openSession() throws -> any OwnerSession { try PostgresSession(url: url) }
}
