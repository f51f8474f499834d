import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// A device whose triggers go while it reads, one row a page.
@Suite(.ownThreads) struct `Triggers lost in mid-scan` {
    private let bench: HubBench
    private let file: DatabaseQueue
    private let replica: ReplicaFile
    private let now: DeviceTime = 1_700_000_000_000

    init() throws {
        bench = try HubBench()
        try bench.sql(
            "INSERT INTO customer (id, name) VALUES ('a', 'A'), ('b', 'B'), ('c', 'C'), ('d', 'D')")
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        file = try DatabaseQueue(configuration: configuration)
        try file.write { try $0.execute(sql: HubBench.schema) }
        replica = ReplicaFile(tables: [.table("customer"), .table("purchase"), .table("line")])
        try work { try replica.open($0, newID: "device") }
    }

    private func work<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try file.writeWithoutTransaction(body)
    }

    /// - Returns: Whether the replica has caught up.
    private func exchange(rows: Int, nonce: String) throws -> Bool {
        var options = ReplicaOptions()
        options.pageLimits = PageLimits(maximumRows: rows, maximumPages: 1)
        var sync = replica.sync(options)
        var event = SyncMachine.Event.begin
        while true {
            switch try work({ try sync.proceed(event, $0, at: now, newID: { nonce }) }) {
            case .meet: event = .schema(try bench.hub.currentSchema())
            case .compare(let request):
                do {
                    event = .compared(try bench.hub.comparison(request))
                } catch let error as HubError {
                    event = .notCompared(error)
                }
            case .send(let request, _):
                var isCaughtUp = false
                try bench.hub.exchange(request) { (frame: Frame) in
                    let received = try work {
                        try sync.receive(frame, $0, at: now, newID: { "other" })
                    }
                    if case .applied(let result) = received { isCaughtUp = result.isCaughtUp }
                }
                return isCaughtUp
            case .done, .needsSync: return false
            }
        }
    }

    private func catchUp() throws {
        for round in 0..<20 where try exchange(rows: 100, nonce: "catch up \(round)") { return }
        Issue.record("it never catches up")
    }

    private func loseTriggers(_ edits: String) throws {
        try work { db in
            try db.execute(
                sql: """
                    DROP TRIGGER _moorage_update_customer; DROP TRIGGER _moorage_insert_customer;
                    DROP TRIGGER _moorage_delete_customer; \(edits)
                    """)
        }
    }

    private func names() throws -> [String] {
        try bench.rows("SELECT name FROM customer ORDER BY id").compactMap {
            if case .text(let name) = $0[0] { name } else { nil }
        }
    }

    private func local() throws -> [String] {
        try work { try String.fetchAll($0, sql: "SELECT name FROM customer ORDER BY id") }
    }

    private func recovered() throws -> [String] {
        try work {
            try String.fetchAll(
                $0, sql: "SELECT after FROM _moorage_refused WHERE code = 'recovered'")
        }
    }

    @Test func `rows that the first copy has yet to bring are no deletions`() throws {
        #expect(try !exchange(rows: 2, nonce: "1"))
        try loseTriggers("")
        try catchUp()
        #expect(try names() == ["A", "B", "C", "D"])
        #expect(try local() == ["A", "B", "C", "D"])
        #expect(try recovered() == [])
    }

    @Test func `an edit of a row of the first copy is listed, never lost`() throws {
        #expect(try !exchange(rows: 2, nonce: "1"))
        try loseTriggers("UPDATE customer SET name = 'mine' WHERE id = 'a'")
        try catchUp()
        #expect(try names() == ["A", "B", "C", "D"])
        #expect(try local() == ["A", "B", "C", "D"])
        #expect(try recovered().contains { $0.contains("mine") })
    }

    @Test func `a later scan begins again: what it passed is compared too`() throws {
        try catchUp()
        try bench.sql("UPDATE customer SET name = name || '2'")
        #expect(try !exchange(rows: 2, nonce: "1"))
        #expect(try local() == ["A2", "B2", "C", "D"])
        try loseTriggers("UPDATE customer SET name = 'mine' WHERE id = 'a'")
        try catchUp()
        #expect(try local() == ["A2", "B2", "C2", "D2"])
        #expect(try names() == ["A2", "B2", "C2", "D2"])
        #expect(try recovered().contains { $0.contains("mine") })
    }

    @Test func `what changed at the hub in no way is an edit made here`() throws {
        try catchUp()
        try bench.sql("UPDATE customer SET name = name || '2' WHERE id < 'd'")
        #expect(try !exchange(rows: 2, nonce: "1"))
        try loseTriggers("UPDATE customer SET name = 'mine' WHERE id = 'd'")
        try catchUp()
        #expect(try names() == ["A2", "B2", "C2", "mine"])
        #expect(try local() == ["A2", "B2", "C2", "mine"])
    }

    @Test func `a column that came meanwhile says nothing: it is read, not pushed`() throws {
        try catchUp()
        try bench.sql("ALTER TABLE customer ADD COLUMN later TEXT; UPDATE customer SET later = 'L'")
        try bench.attach()
        try loseTriggers(
            "ALTER TABLE customer ADD COLUMN later TEXT; UPDATE customer SET name = 'mine' WHERE id = 'a'"
        )
        try catchUp()
        try catchUp()
        #expect(try bench.rows("SELECT DISTINCT later FROM customer") == [[.text("L")]])
        #expect(
            try work { try String.fetchAll($0, sql: "SELECT DISTINCT later FROM customer") }
                == ["L"])
    }
}
