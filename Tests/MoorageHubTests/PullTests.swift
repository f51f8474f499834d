import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Pulling` {
    @Test func `a first copy comes in pages, and ends caught up`() throws {
        let bench = try HubBench()
        for number in 1...25 {
            try bench.sql("INSERT INTO customer (id, name) VALUES ('\(number)', 'N')")
            try bench.sql("INSERT INTO purchase VALUES (\(number), '\(number)', NULL)")
        }
        let replica = try ScriptedReplica(bench, 1)
        let pages = replica.pages(
            try replica.exchange(limits: PageLimits(maximumRows: 4, maximumPages: 100)))
        #expect(pages.count > 12)
        #expect(pages.first?.expectedRows == 50)
        let expected = pages.first?.expectedTables.map { [$0.table: $0.rows] }
        #expect(expected == [["customer": 25], ["purchase": 25]])
        #expect(pages.dropFirst().allSatisfy { $0.expectedTables.isEmpty })
        #expect(pages.last?.isCaughtUp == true)
        #expect(pages.dropLast().allSatisfy { !$0.isCaughtUp })
        #expect(try replica.isEqual())
    }

    @Test func `a scan goes on where it broke off, and meets what changed meanwhile`() throws {
        let bench = try HubBench()
        for number in 1...20 {
            try bench.sql("INSERT INTO customer (id, name) VALUES ('c\(number)', 'N')")
        }
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange(limits: PageLimits(maximumRows: 3, maximumPages: 2))
        try bench.sql("UPDATE customer SET city = 'X' WHERE id IN ('c1', 'c20')")
        try bench.sql("DELETE FROM customer WHERE id IN ('c10', 'c9')")
        try bench.sql("INSERT INTO customer (id, name) VALUES ('c00', 'new')")
        for _ in 0..<10 {
            try replica.exchange(limits: PageLimits(maximumRows: 3, maximumPages: 2))
        }
        #expect(try replica.isEqual())
    }

    @Test func `a row of a scan that was broken off is removed by the scan that follows`() throws {
        let bench = try HubBench()
        for number in 10..<30 {
            try bench.sql("INSERT INTO customer (id, name) VALUES ('c\(number)', 'N')")
        }
        let replica = try ScriptedReplica(bench, 1)
        let small = PageLimits(maximumRows: 3, maximumPages: 2)
        try replica.exchange(limits: small)
        #expect(replica.rows["customer"]?.count == 6)
        try bench.sql("DELETE FROM customer WHERE id = 'c11'")
        // Another table: the order of the scan changes, and it begins again.
        try bench.sql("CREATE TABLE aaa (id TEXT NOT NULL PRIMARY KEY)")
        try bench.attach()
        for _ in 0..<10 { try replica.exchange(limits: small) }
        #expect(replica.removed.map(\.key) == [replica.table("customer").key([.text("c11")])])
        #expect(try replica.isEqual())
    }

    @Test func `nothing changed, nothing sent`() throws {
        let bench = try HubBench()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('a', 'A')")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let cursor = replica.cursor
        let pages = replica.pages(try replica.exchange())
        #expect(pages.count == 1)
        #expect(pages[0].tables.isEmpty && pages[0].removals.isEmpty && pages[0].isCaughtUp)
        #expect(replica.cursor == cursor)
    }

    @Test func `the key of a row that came and went is never told`() throws {
        let bench = try HubBench()
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.sql("INSERT INTO customer (id, name) VALUES ('secret', 'S')")
        let other = try ScriptedReplica(bench, 2)
        try other.exchange()
        try bench.sql("DELETE FROM customer")
        try replica.exchange()
        try other.exchange()
        #expect(replica.removed.isEmpty)
        #expect(other.removed.count == 1)
        let late = try ScriptedReplica(bench, 3)
        try late.exchange()
        #expect(late.removed.isEmpty)
    }

    @Test func `a row pushed in the middle of a scan is still removed later`() throws {
        let bench = try HubBench()
        for number in 1...20 {
            try bench.sql("INSERT INTO customer (id, name) VALUES ('c\(number)', 'N')")
        }
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.sql("UPDATE customer SET city = 'X'")
        let small = PageLimits(maximumRows: 3, maximumPages: 1)
        try replica.exchange(limits: small)
        let row: [Value] = [.text("mine"), .text("M"), .null, .null, .null]
        try replica.exchange(replica.batch([replica.insert("customer", row)]), limits: small)
        replica.rows["customer", default: [:]][replica.table("customer").key(of: row)] = row
        try bench.sql("DELETE FROM customer WHERE id = 'mine'")
        for _ in 0..<20 { try replica.exchange(limits: small) }
        #expect(try replica.isEqual())
    }

    @Test func `rows that REPLACE removed are removed everywhere`() throws {
        let bench = try HubBench()
        try bench.sql(
            "INSERT INTO customer (id, name, code) VALUES ('a', 'A', 1), ('b', 'B', 2), ('c', 'C', 3)"
        )
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        try bench.sql("INSERT OR REPLACE INTO customer (id, name, code) VALUES ('d', 'D', 1)")
        try bench.sql("UPDATE OR REPLACE customer SET code = 3 WHERE id = 'b'")
        try bench.sql("REPLACE INTO customer (id, name, code) VALUES ('d', 'DD', 1)")
        try replica.exchange()
        #expect(
            try bench.rows("SELECT id FROM customer ORDER BY id") == [[.text("b")], [.text("d")]])
        #expect(try replica.isEqual())
    }

    @Test func `a value that no device can hold withholds its row by name`() throws {
        let bench = try HubBench(
            schema: "CREATE TABLE m (id INTEGER PRIMARY KEY, r REAL, d DATE, ok TEXT)")
        try bench.sql(
            "INSERT INTO m VALUES (1, 9e999, NULL, 'x'), (2, 1.5, '12000-01-01', 'y'), (3, 1, NULL, 'z')"
        )
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        #expect(replica.withheld.map(\.column).sorted() == ["d", "r"])
        #expect(replica.rows["m"]?.count == 1)
    }

    @Test func `an added table is read from nothing, and nothing else again`() throws {
        let bench = try HubBench()
        try bench.sql(
            "INSERT INTO customer (id, name) VALUES ('a', 'A'); INSERT INTO purchase VALUES (1, 'a', NULL)"
        )
        let replica = try ScriptedReplica(bench, 1, tables: ["customer"])
        try replica.exchange()
        let wider = try ScriptedReplica(bench, 1)
        wider.cursor = replica.cursor
        wider.rows = replica.rows
        let pages = wider.pages(try wider.exchange())
        #expect(pages.flatMap(\.tables).map(\.table) == ["purchase"])
        #expect(try wider.isEqual())
    }

    @Test func `random histories converge`() throws {
        for seed in lawSeeds(8, nightly: 300) {
            var random = SeededGenerator(seed: seed)
            let bench = try HubBench()
            let replicas = try (1...2).map { try ScriptedReplica(bench, $0) }
            for _ in 0..<60 {
                let id = "k\(Int.random(in: 0..<12, using: &random))"
                let code = Int.random(in: 0..<8, using: &random)
                let statement =
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0:
                        "INSERT OR IGNORE INTO customer (id, name, code) VALUES ('\(id)', 'N', \(code))"
                    case 1:
                        "INSERT OR REPLACE INTO customer (id, name, code) VALUES ('\(id)', 'R', \(code))"
                    case 2: "UPDATE OR IGNORE customer SET code = \(code) WHERE id = '\(id)'"
                    case 3:
                        "UPDATE OR REPLACE customer SET id = 'k\(code)', name = 'moved' WHERE id = '\(id)'"
                    case 4: "DELETE FROM customer WHERE id = '\(id)'"
                    default: "UPDATE customer SET city = '\(code)' WHERE id = '\(id)'"
                    }
                try bench.sql(statement)
                if random.chance(40), let replica = random.pick(replicas) {
                    try replica.exchange(
                        limits: PageLimits(
                            maximumRows: Int.random(in: 1...5, using: &random),
                            maximumPages: Int.random(in: 1...3, using: &random)))
                }
            }
            for replica in replicas {
                for _ in 0..<40 {
                    try replica.exchange(limits: PageLimits(maximumRows: 3, maximumPages: 2))
                }
                #expect(try replica.isEqual(), "seed \(seed)")
            }
        }
    }
}
