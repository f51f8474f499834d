import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Which migrations leave a table to be compared with the hub, and which do not.
@Suite(.ownThreads) struct `Triggers after a migration` {
    private static let schema = SchemaDescription(tables: [
        TableDescription(
            name: "t", columns: [.column("id", .text), .column("a", .text)], primaryKey: [0])
    ])

    private func device(
        _ table: ReplicaTable = .table("t"), values: [String] = ["A", "B"]
    ) throws -> Device {
        let device = try Device(
            "CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT, own TEXT)", tables: [table])
        try device.adopt(Self.schema)
        let hub = FakeHub(Self.schema)
        hub.put("t", [.text("x"), .text(values[0])], [.text("y"), .text(values[1])])
        try device.exchange(hub)
        return device
    }

    /// The hub's schema once it has the app's other column in place of that one.
    private static let other = SchemaDescription(tables: [
        TableDescription(
            name: "t", columns: [.column("id", .text), .column("own", .text)], primaryKey: [0])
    ])

    private static func migrator(_ sql: String) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v2") { try $0.execute(sql: sql) }
        return migrator
    }

    private static func rebuild(_ columns: String, _ rows: String) -> String {
        "CREATE TABLE new(\(columns)); INSERT INTO new \(rows); DROP TABLE t; ALTER TABLE new RENAME TO t"
    }

    private static let columns = "id TEXT PRIMARY KEY, a TEXT, own TEXT"
    private static let needsRepair = "SELECT repair <> 0, suspended FROM _moorage_table"
    private static let triggers =
        "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 't'"

    static let harmless = [
        rebuild(columns, "SELECT * FROM t"),
        rebuild("id TEXT PRIMARY KEY, a TEXT", "SELECT id, a FROM t"),
        rebuild(columns, "SELECT id, a, 'other' FROM t"),
        "ALTER TABLE t RENAME COLUMN own TO mine",
        "DROP TRIGGER _moorage_delete_t; DROP TRIGGER _moorage_insert_t",
    ]

    @Test(arguments: harmless)
    func `are as before where no synced column changed`(sql: String) throws {
        let device = try device()
        try device.run("UPDATE t SET a = 'AA' WHERE id = 'x'")
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        try device.run("DELETE FROM t WHERE id = 'y'")
        try device.open()
        #expect(try device.texts(Self.needsRepair) == ["0|∅"])
        #expect(try device.localChanges().sorted() == ["t x update 1:A>AA", "t y delete y,B"])
    }

    /// Each makes the column again with a type of its own: its declaration, what the hub has, and
    /// what the log says then of an edit from '7' to '8'.
    static let retyped = [
        ("a INTEGER", "CAST(a AS INTEGER)", "integer|7"),
        ("a REAL", "a", "real|7.0"), ("a NUMERIC", "a", "integer|7"), ("a BLOB", "a", "text|7"),
    ]

    @Test(arguments: retyped.indices)
    func `are as before where a column has another type and the same values`(index: Int) throws {
        let (column, value, logged) = Self.retyped[index]
        let device = try device(values: ["7", "9"])
        try device.run("UPDATE t SET a = '8' WHERE id = 'x'")
        let sql = Self.rebuild(
            "id TEXT PRIMARY KEY, \(column), own TEXT", "SELECT id, \(value), own FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        #expect(try device.texts(Self.triggers) != ["0"])
        try device.open()
        #expect(try device.texts("SELECT repair FROM _moorage_table") == ["0"])
        #expect(try device.texts("SELECT typeof(o0), o0 FROM _moorage_log_t") == [logged])
    }

    /// Text that is no number in its own form may be changed by its user, too.
    @Test(arguments: ["7.5", "x", " ", "07", "7.0 ", "9007199254740993.0"])
    func `leave the table to be compared where another type changed a value`(value: String) throws {
        let device = try device(values: [value, "9"])
        let sql = Self.rebuild(
            "id TEXT PRIMARY KEY, a INTEGER, own TEXT", "SELECT id, CAST(a AS INTEGER), own FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        #expect(try device.texts(Self.triggers) == ["0"])
    }

    /// The edit was sent, and no answer came before the app got its new version.
    @Test func `give an edit that comes back the new type, too`() throws {
        let device = try device(values: ["7", "9"])
        try device.run("UPDATE t SET a = '8' WHERE id = 'x'; DELETE FROM t WHERE id = 'y'")
        #expect(try device.prepare()?.batch.changes.count == 2)
        let sql = Self.rebuild(
            "id TEXT PRIMARY KEY, a INTEGER, own TEXT", "SELECT id, CAST(a AS INTEGER), own FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        try device.open()
        #expect(try request(of: device) == Self.schema.version)
        try device.adopt(Self.numbers)
        // The hub says whether a batch still fits that was cut for another schema.
        #expect(try request(of: device) == Self.schema.version)
        try device.queue.writeWithoutTransaction { try device.store.unprepare($0, halving: false) }
        let logged = "SELECT DISTINCT typeof(o0) FROM _moorage_log_t"
        #expect(try device.texts(logged) == ["integer"])
        #expect(try device.localChanges().sorted() == ["t x update 1:7>8", "t y delete y,9"])
        #expect(try request(of: device) == Self.numbers.version)
    }

    private static let numbers = SchemaDescription(tables: [
        TableDescription(
            name: "t", columns: [.column("id", .text), .column("a", .integer)], primaryKey: [0])
    ])

    private func request(of device: Device) throws -> String? {
        try device.queue.writeWithoutTransaction { db in
            try device.store.request(db, now: 1, limits: PageLimits()).request.schemaVersion
        }
    }

    static let harmful = [
        rebuild(columns, "SELECT id, lower(a), own FROM t"),
        rebuild(columns, "SELECT * FROM t WHERE id = 'x'"),
        rebuild(columns, "SELECT * FROM t UNION ALL SELECT 'z', 'C', NULL"),
        rebuild(columns, "SELECT CASE id WHEN 'x' THEN 'y' ELSE 'x' END, a, own FROM t"),
        "DROP TRIGGER _moorage_delete_t; DELETE FROM t WHERE id = 'x'",
    ]

    @Test(arguments: harmful)
    func `leave the table to be compared where a row changed`(sql: String) throws {
        let device = try device()
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        try device.open()
        #expect(try device.texts(Self.needsRepair) == ["1|∅"])
    }

    @Test func `that were lost before the migration are no excuse`() throws {
        let device = try device()
        try device.run("DROP TRIGGER _moorage_update_t; UPDATE t SET a = 'lost' WHERE id = 'x'")
        try Replica.migrate(device.queue, with: Self.migrator(Self.harmless[0]))
        try device.open()
        #expect(try device.texts(Self.needsRepair) == ["1|∅"])
    }

    /// The old triggers would hide the rename.
    @Test func `stay away where a column has another name`() throws {
        let device = try device()
        let sql = Self.rebuild("id TEXT PRIMARY KEY, b TEXT, own TEXT", "SELECT * FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        #expect(try device.texts(Self.triggers) == ["0"])
    }

    /// The hub still has the first name.
    @Test func `stay away where a column has yet another name`() throws {
        let device = try device()
        try device.run("ALTER TABLE t RENAME COLUMN a TO b")
        try device.open()
        let sql = Self.rebuild("id TEXT PRIMARY KEY, c TEXT, own TEXT", "SELECT * FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        #expect(try device.texts(Self.triggers) == ["0"])
        try device.open()
        #expect(try device.texts("SELECT places FROM _moorage_table") == [#"["c","own"]"#])
    }

    /// The hub has renamed the column already, so it is not synced under its old name.
    @Test func `stay away where a column that is not synced any more has another name`() throws {
        let device = try device()
        try device.adopt(Self.other)
        let renamed = Self.rebuild("id TEXT PRIMARY KEY, b TEXT, own TEXT", "SELECT * FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(renamed))
        #expect(try device.texts(Self.triggers) == ["0"])
    }

    @Test func `are as before where a column is gone that is not synced any more`() throws {
        let device = try device()
        try device.adopt(Self.other)
        let dropped = Self.rebuild("id TEXT PRIMARY KEY, own TEXT", "SELECT id, own FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(dropped))
        #expect(try device.texts(Self.triggers) == ["6"])
    }

    @Test func `keep the new name that SQLite wrote into them`() throws {
        let device = try device()
        try device.run("UPDATE t SET a = 'AA' WHERE id = 'x'")
        let sql = "ALTER TABLE t RENAME COLUMN a TO b"
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        try device.run("UPDATE t SET b = 'BB' WHERE id = 'y'")
        try device.open()
        #expect(try device.texts("SELECT repair FROM _moorage_table") == ["0"])
        #expect(try device.texts("SELECT places FROM _moorage_table") == [#"["b","own"]"#])
        #expect(try device.texts("SELECT o0 FROM _moorage_log_t ORDER BY seq") == ["A", "B"])
    }

    @Test func `stay away from a table with another key`() throws {
        let device = try device()
        let sql = Self.rebuild("id TEXT, a TEXT PRIMARY KEY, own TEXT", "SELECT * FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        #expect(try device.texts(Self.triggers) == ["0"])
    }

    /// The trigger that keeps the time would write a column that is gone.
    @Test func `stay away where they would break the app's writes`() throws {
        let device = try device(.table("t", updatedAt: "own"))
        let sql = Self.rebuild("id TEXT PRIMARY KEY, a TEXT", "SELECT id, a FROM t")
        try Replica.migrate(device.queue, with: Self.migrator(sql))
        #expect(try device.texts(Self.triggers) == ["0"])
        #expect(throws: Never.self) { try device.run("UPDATE t SET a = 'new'") }
    }

    @Test func `are as before in a file of an earlier build`() throws {
        let device = try device()
        try device.run("ALTER TABLE _moorage_table DROP COLUMN copied")
        try Replica.migrate(device.queue, with: Self.migrator(Self.harmless[0]))
        try device.open()
        #expect(try device.texts(Self.needsRepair) == ["0|∅"])
    }

    @Test func `cost nothing without a migration to run`() throws {
        func steps(_ rows: Int) throws -> Int {
            let device = try device()
            try device.run(
                """
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                INSERT INTO t SELECT i, i, NULL FROM n
                """, [rows])
            let migrator = Self.migrator("SELECT 1")
            try Replica.migrate(device.queue, with: migrator)
            return try StepCounter.steps(of: device.queue) {
                try Replica.migrate(device.queue, with: migrator)
            }
        }
        #expect(try steps(1_000) < steps(10) + 100)
    }
}

@Suite(.ownThreads) struct `The digest of a table` {
    private func digest(_ sql: String) throws -> TableDigest {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(k, l, a, b); \(sql)")
            return try TableDigest(db, of: "t", keys: ["k", "l"], columns: ["a", "b"])
        }
    }

    private static let rows = "INSERT INTO t VALUES('x', '', 1, x'41'), ('y', '', 2, 'A');"
    private static let sameRows = "INSERT INTO t VALUES('y', '', 2, 'A'), ('x', '', 1, x'41');"

    @Test func `does not depend on the order of the rows`() throws {
        #expect(try digest(Self.rows) == digest(Self.sameRows))
    }

    @Test(arguments: [
        "DELETE FROM t WHERE k = 'x'", "INSERT INTO t VALUES('z', '', NULL, NULL)",
        "UPDATE t SET k = '', l = 'x' WHERE k = 'x'", "UPDATE t SET a = 3 - a",
        "UPDATE t SET a = 1.0 WHERE k = 'x'", "UPDATE t SET b = 'A' WHERE k = 'x'",
        "UPDATE t SET b = NULL WHERE k = 'x'", "UPDATE t SET b = '' WHERE k = 'y'",
    ])
    func `differs with the rows`(sql: String) throws {
        #expect(try digest(Self.rows) != digest(Self.rows + sql))
    }

    @Test(arguments: ["1.0", "'1'", "'1.0'"])
    func `is the same where a retyped column says the same`(value: String) throws {
        let other = try digest(Self.rows + "UPDATE t SET a = \(value) WHERE k = 'x'")
        #expect(try other.equals(digest(Self.rows), retyped: [0]))
        #expect(try !other.equals(digest(Self.rows), retyped: [1]))
    }

    @Test(arguments: [
        "a = 1.5", "a = '01'", "a = '+1'", "a = x'31'", "a = NULL", "b = 'A'", "l = '0'",
        "a = CASE k WHEN 'x' THEN 2 ELSE 1 END", "k = k || ' '",
    ])
    func `differs where a value says something else`(change: String) throws {
        let other = try digest(Self.rows + "UPDATE t SET \(change)")
        #expect(try !other.equals(digest(Self.rows), retyped: [0]))
    }

    /// Texts with more digits than a number has are not one number.
    @Test(arguments: [
        ("12345678901234567890.12", "12345678901234567890.99"),
        ("9007199254740993.0", "9007199254740992"), ("1e400", "9e999"),
    ])
    func `differs in the last digit`(one: String, other: String) throws {
        func rows(_ text: String) -> String { "INSERT INTO t VALUES('x', '', '\(text)', NULL)" }
        #expect(try !digest(rows(one)).equals(digest(rows(other)), retyped: [0]))
    }
}
