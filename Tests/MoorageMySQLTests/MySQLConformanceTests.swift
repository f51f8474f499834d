import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `The MySQL connector` {
    /// Every check, and by day every second one on the server with other modes and collations.
    private static let cases = MySQLServer.all.flatMap { server in
        ConnectorConformance.sample(every: server.name == "MARIADB_OTHER" ? 2 : 1)
            .map { (server, $0) }
    }

    @Test(arguments: cases)
    func `honours the connector contract`(
        server: MySQLServer, check: ConnectorConformance.Check
    ) throws {
        try server.withDatabase { try check.run(against: $0) }
    }
}
