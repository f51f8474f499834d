import GRDB
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `A failing call of the simulated disk` {
    struct Kind: CustomTestStringConvertible, Sendable {
        let calls: SimulatedDisk.Calls
        let code: ResultCode
        var testDescription: String { "\(calls.rawValue) \(code)" }
    }

    static let kinds = [
        Kind(calls: .write, code: .SQLITE_FULL),
        Kind(calls: .write, code: .SQLITE_IOERR_WRITE),
        Kind(calls: .read, code: .SQLITE_IOERR_READ),
        Kind(calls: .sync, code: .SQLITE_IOERR_FSYNC),
        Kind(calls: .truncate, code: .SQLITE_IOERR_TRUNCATE),
        Kind(calls: .lock, code: .SQLITE_IOERR_LOCK),
        Kind(calls: .lock, code: .SQLITE_BUSY),
        Kind(calls: .delete, code: .SQLITE_IOERR_DELETE),
        Kind(calls: .open, code: .SQLITE_CANTOPEN),
        Kind(calls: .sharedMemory, code: .SQLITE_IOERR_SHMMAP),
    ]

    static func entries(_ queue: DatabaseQueue) throws -> [Int] {
        try queue.read { try Int.fetchAll($0, sql: "SELECT length(filler) FROM entry ORDER BY n") }
    }

    /// Opens the database and changes all of it, in one transaction.
    static func work(_ disk: SimulatedDisk, _ durability: Durability) throws {
        try disk.open(durability).write { db in
            try db.execute(sql: "UPDATE entry SET filler = zeroblob(4000)")
            try db.execute(sql: "DELETE FROM entry WHERE n % 3 = 0")
        }
    }

    static func filled(_ durability: Durability) throws -> (SimulatedDisk, SimulatedDisk.Snapshot) {
        let disk = try SimulatedDisk(seed: 1)
        try disk.open(durability).write { db in
            try db.execute(sql: "CREATE TABLE entry(n INTEGER PRIMARY KEY, filler BLOB)")
            for n in 0..<12 {
                try db.execute(sql: "INSERT INTO entry VALUES(\(n), randomblob(2000))")
            }
        }
        return (disk, disk.snapshot())
    }

    @Test(arguments: Durability.every, kinds)
    func `leaves the old or the new state`(durability: Durability, kind: Kind) throws {
        let (disk, before) = try Self.filled(durability)
        let old = [Int](repeating: 2000, count: 12)
        let new = [Int](repeating: 4000, count: 8)
        let count = try disk.count(kind.calls) { try Self.work(disk, durability) }
        var failures = 0
        for (number, duration) in (1..<(count + 1)).flatMap({
            [($0, SimulatedDisk.Duration.once), ($0, .lasting)]
        }) {
            try disk.restore(before)
            try disk.fail(kind.calls, number: number, with: kind.code, duration)
            var failure: DatabaseError?
            do { try Self.work(disk, durability) } catch let error as DatabaseError {
                failure = error
                failures += 1
            }
            disk.heal()
            let queue = try disk.open(durability)
            #expect(try queue.isWhole(), "call \(number), \(duration)")
            let found = try Self.entries(queue)
            #expect(found == new || (found == old && failure != nil), "call \(number), \(duration)")
            try Self.work(disk, durability)
            #expect(try Self.entries(disk.open(durability)) == new)
        }
        // Whoever deletes no journal and shares no memory cannot fail at it.
        let isNeeded = kind.calls.isDisjoint(with: [.delete, .sharedMemory, .truncate])
        #expect(failures > 0 || !isNeeded)
    }

    @Test func `that reads short is taken for a spoilt file, and spoils none`() throws {
        let durability = Durability(journal: .delete, synchronous: "FULL")
        let (disk, before) = try Self.filled(durability)
        let read = {
            let queue = try disk.open(durability)
            #expect(try queue.isWhole())
        }
        let count = try disk.count(.read, during: read)
        var noticed = 0
        for number in 1..<(count + 1) {
            try disk.restore(before)
            try disk.fail(.read, number: number, with: .SQLITE_IOERR_SHORT_READ)
            do {
                noticed += try disk.open(durability).isWhole() ? 0 : 1
            } catch let error as DatabaseError {
                #expect([.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode))
                noticed += 1
            }
            disk.heal()
            #expect(disk.snapshot() == before)
        }
        #expect(noticed > 3)
    }

    @Test func `comes once, or until it is healed`() throws {
        let disk = try SimulatedDisk(seed: 1)
        let queue = try disk.open(Durability(journal: .delete, synchronous: "FULL"))
        let insert = { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES(1)") } }
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        try disk.fail(.write, with: .SQLITE_FULL)
        #expect(throws: DatabaseError.self, performing: insert)
        try insert()
        try disk.fail(.write, with: .SQLITE_FULL, .lasting)
        #expect(throws: DatabaseError.self, performing: insert)
        #expect(throws: DatabaseError.self, performing: insert)
        disk.heal()
        try insert()
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 2)
    }
}
