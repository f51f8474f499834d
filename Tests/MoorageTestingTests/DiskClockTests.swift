import GRDB
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `Clock and randomness of the simulated disk` {
    static let schema = """
        CREATE TABLE t(
          x, at INTEGER DEFAULT (CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)));
        CREATE TABLE log(at TEXT, id BLOB, number INTEGER);
        CREATE TRIGGER t_log AFTER INSERT ON t BEGIN
          INSERT INTO log VALUES(strftime('%Y-%m-%d %H:%M:%f', 'now'), randomblob(16), random());
        END;
        """

    static func open(_ disk: SimulatedDisk, _ isInMemory: Bool) throws -> DatabaseQueue {
        let queue = try isInMemory ? disk.memory() : disk.queue("app.sqlite")
        try queue.write { try $0.execute(sql: schema) }
        return queue
    }

    @Test(arguments: [true, false])
    func `reach defaults and triggers`(isInMemory: Bool) throws {
        let disk = try SimulatedDisk(seed: 1)
        let queue = try Self.open(disk, isInMemory)
        for time in [0, 1_700_000_000_123, -62_135_596_800_000] as [Int64] {
            disk.clock = time
            try queue.write { try $0.execute(sql: "INSERT INTO t(x) VALUES(1)") }
        }
        try queue.read { (db: Database) throws in
            #expect(
                try Int64.fetchAll(db, sql: "SELECT at FROM t")
                    == [0, 1_700_000_000_123, -62_135_596_800_000])
            #expect(
                try String.fetchAll(db, sql: "SELECT at FROM log") == [
                    "1970-01-01 00:00:00.000", "2023-11-14 22:13:20.123",
                    "0001-01-01 00:00:00.000",
                ])
        }
    }

    @Test(arguments: [true, false])
    func `are the same for the same seed`(isInMemory: Bool) throws {
        func run(_ seed: UInt64) throws -> [Row] {
            let disk = try SimulatedDisk(seed: seed)
            let queue = try Self.open(disk, isInMemory)
            for step in 0..<50 {
                disk.clock += Int64(step)
                try queue.write { try $0.execute(sql: "INSERT INTO t(x) VALUES(random())") }
            }
            return try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM t, log") }
        }
        let first = try run(1)
        #expect(try first == run(1))
        #expect(try first != run(2))
    }

    @Test func `make files that are the same byte for byte`() throws {
        func run(_ seed: UInt64) throws -> [UInt8]? {
            let disk = try SimulatedDisk(seed: seed)
            let queue = try Self.open(disk, false)
            for _ in 0..<50 {
                try queue.write { try $0.execute(sql: "INSERT INTO t(x) VALUES(randomblob(99))") }
            }
            return disk.snapshot().files["app.sqlite"]
        }
        #expect(try run(1) == run(1))
        #expect(try run(1) != run(2))
    }

    @Test func `answer what SQLite's own functions answer`() throws {
        let queue = try SimulatedDisk(seed: 1).memory()
        try queue.read { (db: Database) throws in
            #expect(try String.fetchOne(db, sql: "SELECT typeof(random())") == "integer")
            #expect(
                try [-3, 0, 1, 70_000].map {
                    try Int.fetchOne(db, sql: "SELECT length(randomblob(\($0)))")
                } == [1, 1, 1, 70_000])
            let error = #expect(throws: DatabaseError.self) {
                try Row.fetchOne(db, sql: "SELECT randomblob(1 << 40)")
            }
            #expect(error?.resultCode == .SQLITE_TOOBIG)
            #expect(
                try Int.fetchOne(
                    db, sql: "SELECT count(DISTINCT random()) FROM pragma_function_list")
                    ?? 0 > 50)
        }
    }

    @Test func `moves while SQLite waits for a lock`() throws {
        let disk = try SimulatedDisk(seed: 1)
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        let one = try disk.queue("app.sqlite")
        let two = try disk.queue("app.sqlite", configuration: configuration)
        try one.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        try one.inTransaction(.immediate) { _ in
            #expect(throws: DatabaseError.self) {
                try two.write { try $0.execute(sql: "INSERT INTO t VALUES(1)") }
            }
            return .commit
        }
        #expect(disk.clock == 2000)
    }
}
