import MoorageCore
import MoorageHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `A purge that fails` {
    @Test func `is told in the log, and the exchange and the next purge go on`() throws {
        let lines = LogLines()
        let bench = try HubBench(logger: lines.logger)
        let replica = try ScriptedReplica(bench, 1)
        try bench.sql(
            """
            CREATE TRIGGER full BEFORE INSERT ON moorage_checkpoint
            BEGIN SELECT RAISE(ABORT, 'no room'); END
            """)
        try replica.exchange()
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.hasPrefix("warning") == true)
        #expect(lines.all.first?.contains("no room") == true)
        try bench.sql("DROP TRIGGER full")
        try replica.exchange()
        #expect(lines.all.count == 1)
        #expect(try bench.rows("SELECT count(*) FROM moorage_checkpoint") == [[.integer(1)]])
    }
}
