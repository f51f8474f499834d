import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `The PostgreSQL connector` {
    @Test(arguments: ConnectorConformance.checks)
    func `honours the connector contract`(check: ConnectorConformance.Check) throws {
        try PostgresServer.withDatabase { try check.run(against: $0) }
    }

    @Test(arguments: ConnectorConformance.sample(every: 4))
    func `honours it in a schema of any name`(check: ConnectorConformance.Check) throws {
        try PostgresServer.withDatabase(schema: SchemaTests.nasty) { try check.run(against: $0) }
    }
}
