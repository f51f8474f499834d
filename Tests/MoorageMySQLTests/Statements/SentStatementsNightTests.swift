import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

extension Night {
    /// The general log slows everybody on the server down. In the gate `What MySQL 8 is sent` reads
    /// what the connector writes.
    @Suite(
        "Statements as the server got them", .ownThreads, .enabled(if: !MySQLServer.all.isEmpty),
        .night(.soak))
    struct SentStatements {
        /// One connection's statements, while all of the contract is used.
        @Test(arguments: MySQLServer.first)
        func `have no words of MariaDB's own`(server: MySQLServer) throws {
            try server.withDatabase { log in
                let watcher = try log.session()
                let before = try watcher.rows("SELECT @@GLOBAL.log_output, @@GLOBAL.general_log")[0]
                try watcher.plain("SET GLOBAL log_output = 'TABLE', GLOBAL general_log = 1")
                defer {
                    do {
                        try watcher.plain(
                            """
                            SET GLOBAL general_log = \(before[1] ?? "0"),
                              GLOBAL log_output = '\(before[0] ?? "FILE")';
                            TRUNCATE mysql.general_log
                            """)
                    } catch { Issue.record("the general log is still on: \(error)") }
                }
                var threads: Set<String> = []
                for check in ConnectorConformance.checks {
                    try server.withDatabase(
                        options: .init(maximumConnections: 1, bindsArrays: false)
                    ) { subject in
                        try subject.inConnection { connection in
                            try connection.openIfNeeded()
                            let id =
                                try connection.link.query("SELECT connection_id()").integer(0, 0)
                                ?? 0
                            threads.insert(String(id))
                        }
                        // A check that needs a second connection fails: its statements came before.
                        do { try check.run(against: subject) } catch is CentralError {}
                    }
                }
                let sent = try watcher.rows(
                    """
                    SELECT DISTINCT CONVERT(argument USING utf8mb4) FROM mysql.general_log
                    WHERE command_type IN ('Query', 'Prepare')
                      AND thread_id IN (\(threads.joined(separator: ",")))
                    """
                ).compactMap { $0[0] }
                #expect(sent.count > 200)
                for statement in sent where !Self.isForMariaDB(statement) {
                    #expect(`What MySQL 8 is sent`.problems(statement) == [], "\(statement)")
                }
                NightPlan.figures(
                    "statements as \(server) got them: \(sent.count) different ones")
            }
        }

        /// What is sent to MariaDB alone: its form for MySQL is read in the gate.
        private static func isForMariaDB(_ sql: String) -> Bool {
            sql.contains("CREATE OR REPLACE TRIGGER") || sql.contains("utf8mb4_nopad_bin")
                || sql.contains("in_predicate_conversion_threshold")
                || sql.contains("'server_uid'")
                || sql.contains("information_schema.check_constraints")
                || sql.contains("check_constraint_checks")
        }
    }
}
