import GRDB
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `A crash of the simulated disk` {
    /// Lives of each kind.
    private static let lives = trials(200, nightly: 500)

    /// The result of one life with a power cut in it.
    struct Life {
        /// The last transaction that was reported as committed, and the last one that was found.
        var committed = 0
        var found = 0
        /// Every transaction up to the one that was found is there, whole.
        var isWhole = false
    }

    static func live(_ seed: UInt64, _ durability: Durability) throws -> Life {
        var random = SeededGenerator(seed: seed)
        let disk = try SimulatedDisk(seed: seed)
        try disk.open(durability).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE entry(n INTEGER PRIMARY KEY, filler BLOB);
                    CREATE TABLE total(n INTEGER);
                    INSERT INTO total VALUES(0);
                    """)
        }
        try disk.flush()
        var life = Life()
        try disk.cutPower(number: Int.random(in: 1...150, using: &random))
        do {
            let queue = try disk.open(durability)
            for n in 1...25 {
                let size = Int.random(in: 0..<6000, using: &random)
                try queue.write { db in
                    try db.execute(
                        sql: """
                            INSERT INTO entry VALUES(\(n), randomblob(\(size)));
                            UPDATE total SET n = \(n);
                            """)
                }
                life.committed = n
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR {
            // The power went.
        }
        disk.heal()
        try disk.crash(seed: seed)
        do {
            let queue = try disk.open(durability)
            let isWhole = try queue.isWhole()
            try queue.read { db in
                life.found = try Int.fetchOne(db, sql: "SELECT n FROM total") ?? 0
                let entries = try Int.fetchAll(db, sql: "SELECT n FROM entry ORDER BY n")
                life.isWhole = isWhole && entries == Array(1..<(life.found + 1))
            }
        } catch is DatabaseError {
            life.isWhole = false
        }
        return life
    }

    @Test(arguments: [
        Durability(journal: .wal, synchronous: "FULL"),
        Durability(journal: .truncate, synchronous: "FULL"),
        Durability(journal: .persist, synchronous: "FULL"),
        // A journal that is deleted may come back; only EXTRA syncs the directory.
        Durability(journal: .delete, synchronous: "EXTRA"),
    ])
    func `takes nothing that was committed for certain`(durability: Durability) throws {
        var interrupted = 0
        for seed in 1...UInt64(Self.lives) {
            let life = try Self.live(seed, durability)
            let isKept = life.found == life.committed || life.found == life.committed + 1
            #expect(
                life.isWhole && isKept,
                "seed \(seed): committed \(life.committed), found \(life.found)")
            interrupted += life.committed < 25 ? 1 : 0
        }
        #expect(interrupted * 5 > Self.lives)
    }

    @Test(arguments: [
        Durability(journal: .wal, synchronous: "NORMAL"),
        Durability(journal: .delete, synchronous: "FULL"),
    ])
    func `may take the last commits, and leaves an older state whole`(durability: Durability) throws
    {
        var lost = 0
        for seed in 1...UInt64(Self.lives) {
            let life = try Self.live(seed, durability)
            #expect(
                life.isWhole && life.found <= life.committed + 1,
                "seed \(seed): committed \(life.committed), found \(life.found)")
            lost += life.found < life.committed ? 1 : 0
        }
        #expect(lost * 10 > Self.lives)
    }

    @Test func `spoils a database that never syncs`() throws {
        let spoilt = try (1...100 as ClosedRange<UInt64>).filter { seed in
            try !Self.live(seed, Durability(journal: .delete, synchronous: "OFF")).isWhole
        }
        #expect(spoilt.count > 10)
    }

    @Test func `keeps the same for the same seed`() throws {
        func files(_ crash: UInt64) throws -> SimulatedDisk.Snapshot {
            let disk = try SimulatedDisk(seed: 1)
            let queue = try disk.open(Durability(journal: .delete, synchronous: "OFF"))
            for n in 0..<20 {
                try queue.write { try $0.execute(sql: "CREATE TABLE t\(n)(x UNIQUE)") }
            }
            try disk.crash(seed: crash)
            return disk.snapshot()
        }
        func main(_ crash: UInt64) throws -> [UInt8]? { try files(crash).files["app.sqlite"] }
        #expect(try main(3) == main(3))
        #expect(try Set((0..<8).map(main)).count > 4)
    }

    @Test func `leaves open connections with errors for ever`() throws {
        let disk = try SimulatedDisk(seed: 1)
        let old = try disk.open(Durability(journal: .wal, synchronous: "FULL"))
        try old.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        try disk.crash(seed: 1)
        let new = try disk.open(Durability(journal: .wal, synchronous: "FULL"))
        for sql in ["INSERT INTO t VALUES(1)", "SELECT * FROM t", "PRAGMA wal_checkpoint"] {
            let error = #expect(throws: DatabaseError.self) {
                try old.writeWithoutTransaction { try $0.execute(sql: sql) }
            }
            #expect(error?.resultCode == .SQLITE_IOERR)
        }
        try old.close()
        #expect(try new.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
    }

    @Test func `comes at the call it was told`() throws {
        let disk = try SimulatedDisk(seed: 1)
        let queue = try disk.open(Durability(journal: .truncate, synchronous: "FULL"))
        let work = { try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t(x)") } }
        let changes = try disk.count(.changes, during: work)
        #expect(changes > 4)
        try disk.cutPower(number: 1)
        #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "CREATE TABLE u(x)") }
        }
        // Everything is off, opening too.
        #expect(throws: DatabaseError.self) { try disk.queue("other.sqlite").isWhole() }
        try disk.crash(seed: 1)
        #expect(try disk.queue("other.sqlite").isWhole())
    }
}
