import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `A suspended table` {
    private let lines = LogLines()

    private func told() -> [String] { lines.all.filter { $0.contains("table") } }

    @Test func `is told in the log once, with its reason, and again when it goes on`() throws {
        let bench = try HubBench(logger: lines.logger)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        #expect(told().isEmpty)
        try bench.sql("ALTER TABLE purchase DROP COLUMN note")
        for _ in 0..<3 { try replica.exchange() }
        #expect(told().count == 1)
        let line = try #require(told().first)
        for word in ["warning", "purchase", "note is gone", "moorage attach"] {
            #expect(line.contains(word))
        }
        // The schema changes, but this table does not.
        try bench.sql("CREATE TABLE other (id INTEGER PRIMARY KEY)")
        try replica.exchange()
        #expect(told().count == 1)
        // The hub logs a new reason.
        try bench.sql("DROP TABLE line; DROP TABLE purchase")
        try replica.exchange()
        #expect(told().filter { $0.contains("warning") }.count == 3)
        try bench.attach()
        try replica.exchange()
        let again = told().filter { $0.hasPrefix("notice") }
        #expect(again.count == 2)
        #expect(again.contains { $0.contains("purchase") })
    }

    @Test func `is read from the beginning by a replica that came while it was suspended`() throws {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A'), ('b', 'B')")
        let known = try ScriptedReplica(bench, 1)
        try known.exchange()
        try bench.sql("DROP TRIGGER moorage_delete_1_customer")
        let new = try ScriptedReplica(bench, 2)
        for replica in [known, new] { for _ in 0..<2 { try replica.exchange() } }
        #expect(new.rows["customer"] == nil)
        try bench.attach()
        for replica in [known, new] {
            try replica.exchange()
            #expect(replica.rows["customer"]?.count == 2)
        }
    }
}
