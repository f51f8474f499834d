import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `The MySQL connector` {
    @Test(arguments: MySQLServer.plain, ConnectorConformance.checks)
    func `honours the connector contract`(
        server: MySQLServer, check: ConnectorConformance.Check
    ) throws {
        try server.withDatabase { try check.run(against: $0) }
    }

    @Test(arguments: MySQLServer.other, ConnectorConformance.checks.sample(every: 4))
    func `honours it with other modes and collations`(
        server: MySQLServer, check: ConnectorConformance.Check
    ) throws {
        try server.withDatabase { try check.run(against: $0) }
    }
}
