import Dispatch
import GRDB
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `A database on the simulated disk` {
    static let schema = """
        CREATE TABLE entry(n INTEGER PRIMARY KEY, kind TEXT, filler BLOB);
        CREATE INDEX kinds ON entry(kind, n);
        """

    /// Transactions at random, some of them rolled back.
    static func work(on queue: DatabaseQueue, seed: UInt64, transactions: Int) throws -> [Row] {
        var random = SeededGenerator(seed: seed)
        try queue.write { try $0.execute(sql: schema) }
        for _ in 0..<transactions {
            try queue.inTransaction { db in
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let n = Int.random(in: 0..<300, using: &random)
                    let size = Int.random(in: 0..<2500, using: &random)
                    let sql =
                        switch Int.random(in: 0..<5, using: &random) {
                        case 0: "DELETE FROM entry WHERE n = \(n)"
                        case 1: "UPDATE entry SET filler = zeroblob(\(size)) WHERE n > \(n)"
                        default: "REPLACE INTO entry VALUES(\(n), 'k\(n % 7)', zeroblob(\(size)))"
                        }
                    try db.execute(sql: sql)
                }
                return random.chance(15) ? .rollback : .commit
            }
        }
        return try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM entry ORDER BY n") }
    }

    @Test(arguments: Durability.every)
    func `stays whole, and holds what one in memory holds`(durability: Durability) throws {
        let disk = try SimulatedDisk(seed: 1)
        let here = try Self.work(on: disk.open(durability), seed: 7, transactions: 1500)
        let there = try Self.work(on: DatabaseQueue(), seed: 7, transactions: 1500)
        #expect(here == there && here.count > 100)
        let again = try disk.open(durability)
        #expect(try again.isWhole())
        #expect(
            try again.read { try Row.fetchAll($0, sql: "SELECT * FROM entry ORDER BY n") } == there)
    }

    @Test func `lets one write and tells the other that it is busy`() throws {
        let disk = try SimulatedDisk(seed: 1)
        let durability = Durability(journal: .delete, synchronous: "FULL")
        let one = try disk.open(durability)
        let two = try disk.open(durability)
        try one.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES(1)") }
        try one.inTransaction(.immediate) { db in
            try db.execute(sql: "INSERT INTO t VALUES(2)")
            let error = #expect(throws: DatabaseError.self) {
                try two.inTransaction(.immediate) { _ in .commit }
            }
            #expect(error?.resultCode == .SQLITE_BUSY)
            // It reads what was committed.
            #expect(try two.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
            return .commit
        }
        #expect(try two.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 2)
    }

    @Test func `does not commit while another reads, but in a write-ahead log`() throws {
        for journal in Durability.Journal.allCases {
            let disk = try SimulatedDisk(seed: 1)
            let durability = Durability(journal: journal, synchronous: "FULL")
            let one = try disk.open(durability)
            let two = try disk.open(durability)
            try one.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES(1)") }
            var refusal: ResultCode?
            try two.inTransaction(.deferred) { db in
                _ = try Int.fetchOne(db, sql: "SELECT x FROM t")
                do {
                    try one.write { try $0.execute(sql: "UPDATE t SET x = 2") }
                } catch let error as DatabaseError {
                    refusal = error.resultCode
                }
                #expect(try Int.fetchOne(db, sql: "SELECT x FROM t") == 1)
                return .commit
            }
            #expect(refusal == (journal == .wal ? nil : .SQLITE_BUSY))
        }
    }

    @Test(arguments: Durability.every)
    func `serves several threads`(durability: Durability) throws {
        let disk = try SimulatedDisk(seed: 1)
        try disk.open(durability).write { try $0.execute(sql: "CREATE TABLE t(x)") }
        let queues = try (0..<4).map { _ in
            var configuration = Configuration()
            configuration.busyMode = .callback { _ in true }
            return try disk.queue("app.sqlite", configuration: configuration)
        }
        DispatchQueue.concurrentPerform(iterations: queues.count) { index in
            for number in 0..<100 {
                do {
                    try queues[index].inTransaction(.immediate) { db in
                        try db.execute(sql: "INSERT INTO t VALUES(\(index * 100 + number))")
                        return .commit
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        let sum = try queues[0].read { try Int.fetchOne($0, sql: "SELECT sum(x) FROM t") }
        #expect(sum == (0..<400).reduce(0, +))
        #expect(try queues[0].isWhole())
    }

    @Test func `opens as a pool whose readers see the last commit`() throws {
        let disk = try SimulatedDisk(seed: 1)
        let pool = try disk.pool("a b%?.sqlite")
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES(1)") }
        try pool.read { (db: Database) throws in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 1)
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES(2)") }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 1)
        }
        #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 2)
        #expect(disk.snapshot().files.keys.contains("a b%?.sqlite"))
    }

    @Test func `outlives its disk while it is open, and is not opened again`() throws {
        var disk: SimulatedDisk? = try SimulatedDisk(seed: 1)
        let path = try #require(disk?.path("app.sqlite"))
        let queue = try #require(try disk?.queue("app.sqlite"))
        disk = nil
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES(random())") }
        #expect(try queue.isWhole())
        #expect(throws: DatabaseError.self) { try DatabaseQueue(path: path) }
    }

    @Test func `refuses a connection that is elsewhere`() throws {
        let disk = try SimulatedDisk(seed: 1)
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseQueue(configuration: disk.configuration())
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }
}
