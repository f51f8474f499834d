import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `The MySQL connector` {
    @Test(arguments: MySQLServer.all, ConnectorConformance.checks)
    func `honours the connector contract`(
        server: MySQLServer, check: ConnectorConformance.Check
    ) throws {
        try server.withDatabase { try check.run(against: $0) }
    }
}
