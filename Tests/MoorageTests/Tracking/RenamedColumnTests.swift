import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

/// Which renames the replica finds in the file, and what it keeps of the columns.
@Suite(.ownThreads) struct `A column that its app renames` {
    private static func schema(_ columns: [ColumnDescription]) -> SchemaDescription {
        SchemaDescription(tables: [
            TableDescription(name: "t", columns: columns, primaryKey: [0])
        ])
    }

    private static let before = schema([
        .column("id", .text), .column("a", .text), .column("b", .integer),
    ])

    /// A device with one row of the hub's.
    private func device(
        _ table: ReplicaTable = .table("t"), hub: FakeHub = FakeHub(Self.before)
    ) throws -> Device {
        let device = try Device(
            "CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT, b INTEGER)", tables: [table])
        try device.adopt(Self.before)
        hub.put("t", [.text("x"), .text("A"), .integer(1)])
        try device.exchange(hub)
        return device
    }

    static func rebuild(_ columns: String) -> String {
        """
        CREATE TABLE new(\(columns)); INSERT INTO new SELECT * FROM t; DROP TABLE t;
        ALTER TABLE new RENAME TO t
        """
    }

    private func places(_ device: Device) throws -> [String] {
        try device.texts("SELECT places FROM _moorage_table")
    }

    private func repair(_ device: Device) throws -> [String] {
        try device.texts("SELECT repair FROM _moorage_table")
    }

    // MARK: What is found

    static let renames: [(sql: String, places: String)] = [
        ("ALTER TABLE t RENAME COLUMN a TO x", #"["x","b"]"#),
        ("ALTER TABLE t RENAME COLUMN a TO x; ALTER TABLE t RENAME x TO y", #"["y","b"]"#),
        ("ALTER TABLE t RENAME COLUMN a TO x; ALTER TABLE t RENAME b TO y", #"["x","y"]"#),
        ("ALTER TABLE t RENAME COLUMN a TO t; ALTER TABLE t ADD COLUMN c", #"["t","b","c"]"#),
        ("ALTER TABLE t DROP COLUMN b; ALTER TABLE t RENAME COLUMN a TO x", #"["x","b"]"#),
    ]

    @Test(arguments: renames.indices)
    func `keeps its place in the log, and needs no repair`(index: Int) throws {
        let device = try device()
        try device.run(Self.renames[index].sql)
        try device.open()
        #expect(try places(device) == [Self.renames[index].places])
        #expect(try repair(device) == ["0"])
    }

    static let rebuilds: [(columns: String, places: String)] = [
        ("id TEXT PRIMARY KEY, x text NOT NULL DEFAULT '', b INTEGER", #"["x","b"]"#),
        ("id TEXT PRIMARY KEY, x INTEGER, b INTEGER", #"["a","b","x"]"#),
        ("id TEXT PRIMARY KEY, x TEXT, y INTEGER", #"["a","b","x","y"]"#),
    ]

    @Test(arguments: rebuilds.indices)
    func `in a table made again, is found if it is alone and of its type`(index: Int) throws {
        let device = try device()
        try device.run(Self.rebuild(Self.rebuilds[index].columns))
        try device.open()
        #expect(try places(device) == [Self.rebuilds[index].places])
        #expect(try repair(device) == ["1"])
    }

    static let others = [
        "ALTER TABLE t DROP COLUMN b; ALTER TABLE t ADD COLUMN x INTEGER",
        "ALTER TABLE t DROP COLUMN a; ALTER TABLE t ADD COLUMN x TEXT",
    ]

    /// The triggers still have the old name, so SQLite renamed nothing.
    @Test(arguments: others)
    func `is not one that is dropped where another is added`(sql: String) throws {
        let device = try device()
        try device.run(sql)
        try device.open()
        #expect(try places(device) == [#"["a","b","x"]"#])
        #expect(
            try device.texts("SELECT suspended_code FROM _moorage_table") == ["tableSuspended"])
    }

    @Test func `is the same if only the case of its letters differs`() throws {
        let device = try device()
        try device.run("ALTER TABLE t RENAME COLUMN a TO A; UPDATE t SET A = 'new'")
        try device.open()
        #expect(try places(device) == [#"["a","b"]"#])
        #expect(try repair(device) == ["0"])
        #expect(try device.localChanges() == ["t x update 1:A>new"])
    }

    /// What the new column has is no edit of the hub's.
    @Test func `is stale if the app gives its old name to another one`() throws {
        let device = try device()
        try device.run("ALTER TABLE t RENAME COLUMN a TO x; ALTER TABLE t ADD COLUMN a TEXT")
        try device.open()
        #expect(try repair(device) == ["2"])
    }

    @Test func `is another one if the hub has both names`() throws {
        let both = Self.schema([
            .column("id", .text), .column("a", .text), .column("x", .text),
            .column("b", .integer),
        ])
        for told in [[:], ["a": "x"]] {
            let device = try device(.table("t", renamed: told))
            try device.adopt(both)
            try device.run("ALTER TABLE t RENAME COLUMN a TO x")
            try device.open()
            let state = try device.texts("SELECT places, suspended_code FROM _moorage_table")
            // What the app says counts more.
            #expect(
                state
                    == (told.isEmpty
                        ? [#"["a","b","x"]|tableSuspended"#] : [#"["x","b"]|∅"#]))
        }
    }

    // MARK: What the app says

    static let told: [(renamed: [String: String], columns: String, places: String)] = [
        (["a": "x", "B": "Y"], "id TEXT PRIMARY KEY, x, y", #"["x","y"]"#),
        // A device that skipped a version.
        (["a": "x", "x": "y", "b": "z"], "id TEXT PRIMARY KEY, y, z", #"["y","z"]"#),
        // Entries remain while the old column exists, and later.
        (["a": "x"], "id TEXT PRIMARY KEY, a TEXT, b INTEGER", #"["a","b"]"#),
        (["q": "a"], "id TEXT PRIMARY KEY, a TEXT, b INTEGER", #"["a","b"]"#),
        (["a": "x", "x": "a"], "id TEXT PRIMARY KEY, y TEXT, b INTEGER", #"["y","b"]"#),
        (["a": "b"], "id TEXT PRIMARY KEY, x INTEGER, b INTEGER", #"["a","b","x"]"#),
    ]

    @Test(arguments: told.indices)
    func `is found by what the app says`(index: Int) throws {
        let (renamed, columns, expected) = Self.told[index]
        let device = try device(.table("t", renamed: renamed))
        try device.run(Self.rebuild(columns))
        try device.open()
        #expect(try places(device) == [expected])
    }

    @Test func `to the name of another renamed one, is not carried over`() throws {
        let device = try device(.table("t", renamed: ["a": "x", "b": "x"]))
        try device.run(
            """
            CREATE TABLE new(id TEXT PRIMARY KEY, x TEXT); INSERT INTO new SELECT id, a FROM t;
            DROP TABLE t; ALTER TABLE new RENAME TO t
            """)
        try device.open()
        #expect(try places(device) == [#"["a","b","x"]"#])
    }

    // MARK: What is kept

    private static let after = schema([
        .column("id", .text), .column("x", .text), .column("b", .integer),
    ])

    @Test func `keeps its pending edit`() throws {
        let device = try device()
        try device.run("UPDATE t SET a = 'new'; ALTER TABLE t RENAME COLUMN a TO x")
        try device.open()
        let state = "SELECT suspended_code FROM _moorage_table"
        #expect(try device.texts(state) == ["tableSuspended"])
        try device.adopt(Self.after)
        #expect(try device.texts(state) == ["∅"])
        #expect(try device.localChanges() == ["t x update 1:A>new"])
    }

    @Test func `of the key keeps its row's pending edit`() throws {
        let device = try device()
        try device.run("UPDATE t SET a = 'new'; ALTER TABLE t RENAME COLUMN id TO number")
        try device.open()
        let state = "SELECT keys, suspended_code FROM _moorage_table"
        #expect(try device.texts(state) == [#"["number"]|keyMismatch"#])
        try device.adopt(
            Self.schema([
                .column("number", .text), .column("a", .text), .column("b", .integer),
            ]))
        #expect(try device.texts(state) == [#"["number"]|∅"#])
        #expect(try device.localChanges() == ["t x update 1:A>new"])
    }

    @Test func `keeps an edit in a batch that the hub does not accept`() throws {
        let device = try device()
        try device.run("UPDATE t SET a = 'new'")
        #expect(try device.prepare() != nil)
        try device.run("ALTER TABLE t RENAME COLUMN a TO x")
        try device.adopt(Self.after)
        try device.queue.writeWithoutTransaction { try device.store.unprepare($0, halving: true) }
        #expect(try device.localChanges() == ["t x update 1:A>new"])
    }

    @Test func `keeps an edit that was refused and is retried`() throws {
        let hub = FakeHub(Self.before)
        let device = try device(hub: hub)
        hub.refusing = { _ in Refusal(code: .permission, message: "No.") }
        try device.run("UPDATE t SET a = 'new'")
        try device.exchange(hub)
        try device.run("ALTER TABLE t RENAME COLUMN a TO x")
        try device.adopt(Self.after)
        try device.queue.writeWithoutTransaction { db in
            let refused = try #require(try device.store.refused(db, limit: 1).first)
            try device.store.resubmit(db, refused)
        }
        #expect(try device.localChanges() == ["t x update 1:A>new"])
    }

    @Test func `for the time of a change gets the time all the same`() throws {
        let device = try device(.table("t", updatedAt: "b"))
        try device.run("ALTER TABLE t RENAME COLUMN b TO y")
        let store = ReplicaStore(tables: [.table("t", updatedAt: "y")])
        try device.queue.writeWithoutTransaction {
            try store.open($0, newID: "00000000-0000-4000-8000-000000000002")
        }
        try device.run("UPDATE t SET a = 'new'")
        #expect(try device.texts("SELECT y > 1 FROM t") == ["1"])
        #expect(try repair(device) == ["0"])
    }

    @Test func `that is not synced changes nothing else`() throws {
        let device = try device()
        try device.run("ALTER TABLE t ADD COLUMN draft TEXT")
        try device.open()
        try device.run("UPDATE t SET draft = 'own'; ALTER TABLE t RENAME COLUMN draft TO sketch")
        try device.open()
        let state = "SELECT places, repair, suspended FROM _moorage_table"
        #expect(try device.texts(state) == [#"["a","b","sketch"]|0|∅"#])
    }

    @Test func `in a file of an earlier build is found by its triggers`() throws {
        let device = try device()
        try device.run("ALTER TABLE _moorage_table DROP COLUMN layout")
        try device.run("UPDATE t SET a = 'new'; ALTER TABLE t RENAME COLUMN a TO x")
        try device.open()
        try device.adopt(Self.after)
        #expect(try device.localChanges() == ["t x update 1:A>new"])
    }
}
