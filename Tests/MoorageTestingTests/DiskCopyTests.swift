import GRDB
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `Copies of the simulated disk` {
    static let wal = Durability(journal: .wal, synchronous: "FULL")

    static func values(_ queue: DatabaseQueue) throws -> [Int] {
        try queue.read { try Int.fetchAll($0, sql: "SELECT x FROM t") }
    }

    static func filled() throws -> (SimulatedDisk, DatabaseQueue) {
        let disk = try SimulatedDisk(seed: 1)
        let queue = try disk.open(wal)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES(1)") }
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES(2)") }
        return (disk, queue)
    }

    @Test func `are put back as often as one likes, on another disk too`() throws {
        let (disk, queue) = try Self.filled()
        let snapshot = disk.snapshot()
        try queue.write { try $0.execute(sql: "DELETE FROM t") }
        let other = try SimulatedDisk(seed: 2)
        for disk in [disk, other, disk] {
            try disk.restore(snapshot)
            let queue = try disk.open(Self.wal)
            #expect(try Self.values(queue) == [1, 2])
            try queue.write { try $0.execute(sql: "INSERT INTO t VALUES(3)") }
            #expect(try queue.isWhole())
        }
        #expect(throws: DatabaseError.self) { try Self.values(queue) }
    }

    @Test func `without the log hold an older state`() throws {
        let (disk, queue) = try Self.filled()
        let snapshot = disk.snapshot()
        #expect(snapshot.files.keys.sorted() == ["app.sqlite", "app.sqlite-wal"])
        #expect(try Self.values(queue) == [1, 2])
        try disk.restore(snapshot.mainFileOnly("app.sqlite"))
        #expect(try Self.values(disk.open(Self.wal)) == [1])
    }

    @Test func `survive a crash, as what they replaced does not`() throws {
        let (disk, queue) = try Self.filled()
        let snapshot = disk.snapshot()
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES(3)") }
        try disk.restore(snapshot)
        try disk.crash(seed: 1)
        #expect(disk.snapshot() == snapshot)
    }

    @Test func `can have a bad byte, which SQLite notices where it matters to it`() throws {
        let (disk, queue) = try Self.filled()
        try queue.close()
        let snapshot = disk.snapshot()
        #expect(disk.flip("app.sqlite", at: 3))
        let error = #expect(throws: DatabaseError.self) { try disk.open(Self.wal) }
        #expect(error?.resultCode == .SQLITE_NOTADB)
        #expect(disk.flip("app.sqlite", at: 3))
        #expect(disk.snapshot() == snapshot)
        #expect(!disk.flip("app.sqlite", at: 1 << 30))
        #expect(!disk.flip("no such file", at: 0))
    }
}
