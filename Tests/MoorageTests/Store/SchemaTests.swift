import GRDB
import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `The local schema` {
    static func description(
        _ columns: [ColumnDescription], key: [Int] = [0], unique: [[Int]] = []
    ) -> SchemaDescription {
        SchemaDescription(tables: [
            TableDescription(name: "t", columns: columns, primaryKey: key, uniqueKeys: unique)
        ])
    }

    static let two = description([.column("id", .text), .column("a", .text)])

    static let refusals: [(sql: String, schema: SchemaDescription, code: ReplicaError.Code)] = [
        ("CREATE TABLE u(id TEXT PRIMARY KEY)", two, .noSuchTable),
        ("CREATE VIEW t AS SELECT 1 AS id", two, .notATable),
        ("CREATE TABLE t(id TEXT, a TEXT)", two, .keyMismatch),
        ("CREATE TABLE t(id TEXT, a TEXT PRIMARY KEY)", two, .keyMismatch),
        ("CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT, b TEXT NOT NULL)", two, .missingColumn),
        (
            "CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT)",
            description([.column("id", .text), .column("c", .text, notNull: true)]), .missingColumn
        ),
        ("CREATE TABLE t(id TEXT PRIMARY KEY, a STRING)", two, .typeMismatch),
        (
            "CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT)",
            description([.column("id", .text), .column("a", .integer)]), .typeMismatch
        ),
        (
            "CREATE TABLE t(id TEXT PRIMARY KEY, a DATE) STRICT".replacing("DATE", with: "INTEGER"),
            description([.column("id", .text), .column("a", .date)]), .typeMismatch
        ),
        ("CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT UNIQUE)", two, .uniqueIndexUnknown),
        (
            "CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT); CREATE UNIQUE INDEX i ON t(a) WHERE a > ''",
            description([.column("id", .text), .column("a", .text)], unique: [[1]]),
            .uniqueIndexUnknown
        ),
        (
            "CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT); CREATE UNIQUE INDEX i ON t(lower(a))",
            description([.column("id", .text), .column("a", .text)], unique: [[1]]),
            .uniqueIndexUnknown
        ),
        (
            "CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT REFERENCES t(id))", two, .foreignKeyUnknown
        ),
        (
            """
            CREATE TABLE parent(id TEXT PRIMARY KEY);
            CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT REFERENCES parent(id))
            """, two, .foreignKeyUnknown
        ),
        (
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)",
            description([.column("id", .uuid), .column("a", .text)]), .typeMismatch
        ),
        (
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)",
            description([.column("id", .date), .column("a", .text)]), .typeMismatch
        ),
        (
            """
            CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT);
            CREATE TRIGGER own AFTER INSERT ON t BEGIN UPDATE t SET a = 'x' WHERE id = NEW.id; END
            """, two, .unguardedTrigger
        ),
        (
            """
            CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT); CREATE TABLE u(x);
            CREATE TRIGGER one AFTER INSERT ON t BEGIN INSERT INTO u VALUES(1); END;
            CREATE TRIGGER two AFTER INSERT ON u BEGIN DELETE FROM "t" WHERE a = 'x'; END
            """, two, .unguardedTrigger
        ),
    ]

    @Test(arguments: refusals.indices)
    func `a difference that stands in the way is a typed error`(index: Int) throws {
        let one = Self.refusals[index]
        let error = #expect(throws: ReplicaError.self) {
            let device = try Device(one.sql, tables: [.table("t")])
            try device.adopt(one.schema)
        }
        #expect(error?.code == one.code)
        #expect(error?.message.isEmpty == false)
    }

    @Test func `a guarded trigger, and one that writes elsewhere, are fine`() throws {
        let device = try Device(
            """
            CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT); CREATE TABLE u(x);
            CREATE TRIGGER own AFTER INSERT ON t WHEN NOT EXISTS (SELECT 1 FROM _moorage_applying)
            BEGIN UPDATE t SET a = 'x' WHERE id = NEW.id; END;
            CREATE TRIGGER two AFTER INSERT ON t
            BEGIN INSERT INTO u VALUES('update t set') ON CONFLICT DO UPDATE SET x = 1; END
            """, tables: [.table("t")])
        try device.adopt(Self.two)
        try device.run("INSERT INTO t VALUES('n', 'a')")
        #expect(try device.localChanges() == ["t n insert n,x"])
    }

    @Test func `a foreign key of a column that is not synced is the app's own`() throws {
        let device = try Device(
            """
            CREATE TABLE draft(id TEXT PRIMARY KEY);
            CREATE TABLE t(id TEXT PRIMARY KEY, a TEXT, draft TEXT REFERENCES draft(id))
            """, tables: [.table("t")])
        #expect(throws: Never.self) { try device.adopt(Self.two) }
    }

    @Test func `names that need quotes, and other letters, work`() throws {
        let name = "o\"rd er's Ü"
        let schema = SchemaDescription(tables: [
            TableDescription(
                name: name,
                columns: [.column("select", .text), .column("a\"b", .text), .column("c d", .blob)],
                primaryKey: [0], uniqueKeys: [[1]])
        ])
        let device = try Device(
            #"CREATE TABLE "o""RD er's Ü"("Select" TEXT PRIMARY KEY, "a""b" TEXT UNIQUE, "c d" BLOB, plain)"#,
            tables: [.table(name)])
        try device.adopt(schema)
        let table = #""o""rd er's Ü""#
        try device.run(
            "INSERT INTO \(table) VALUES('k', 'v', x'0102', 1); UPDATE \(table) SET plain = 2")
        #expect(try device.localChanges() == ["\(name) k insert k,v,x2"])
        try device.exchange(FakeHub(schema))
        try device.run("UPDATE \(table) SET plain = 3")
        #expect(try device.localChanges() == [])
        try device.run("REPLACE INTO \(table) VALUES('l', 'v', NULL, 1)")
        #expect(try device.localChanges() == ["\(name) l insert l,v,∅", "\(name) k delete k,v,x2"])
    }

    @Test func `a table of 200 columns keeps every mask apart`() throws {
        let columns = (0..<200).map { "c\($0)" }
        let schema = Self.description(
            [.column("id", .integer)] + columns.map { .column($0, .integer) })
        let device = try Device(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns.map { $0 + " INTEGER" }.joined(separator: ", ")))",
            tables: [.table("t")])
        try device.adopt(schema)
        try device.run("INSERT INTO t(id) VALUES(1)")
        let hub = FakeHub(schema)
        try device.exchange(hub)
        try device.run("UPDATE t SET c0 = 1, c61 = 1, c62 = 1, c123 = 1, c124 = 1, c199 = 1")
        #expect(
            try device.localChanges() == ["t 1 update 1:∅>1,62:∅>1,63:∅>1,124:∅>1,125:∅>1,200:∅>1"])
    }

    @Test func `uuids, decimals and dates take the local form`() throws {
        let schema = Self.description([
            .column("id", .uuid), .column("price", .decimal), .column("exact", .decimal),
            .column("day", .date), .column("flag", .boolean), .column("doc", .json),
        ])
        let device = try Device(
            "CREATE TABLE t(id BLOB PRIMARY KEY, price NUMERIC, exact TEXT, day DATE, flag BOOLEAN, doc JSON)",
            tables: [.table("t")])
        try device.adopt(schema)
        let hub = FakeHub(schema)
        let id = "00112233-4455-6677-8899-aabbccddeeff"
        hub.put(
            "t",
            [
                .text(id), .text("12.50"), .text("12.50"), .text("2024-02-29"), .integer(1),
                .text("{\"a\": 1}"),
            ])
        try device.exchange(hub)
        #expect(
            try device.texts("SELECT hex(id), price, exact, day, flag, doc FROM t")
                == ["00112233445566778899AABBCCDDEEFF|12.5|12.50|2024-02-29|1|{\"a\": 1}"])
        try device.run("UPDATE t SET price = 9.8")
        #expect(try device.localChanges() == ["t \(id) update 1:12.5>9.8"])
        hub.remove("t", .text(id))
        try device.run("DELETE FROM _moorage_inflight")
        try device.exchange(hub)
        #expect(try device.texts("SELECT price FROM t") == [])
    }

    // MARK: A schema that moves

    @Test func `an added column is taken up`() throws {
        let device = try Shop.device()
        let hub = Shop.hub()
        try device.exchange(hub)
        try device.run("ALTER TABLE line ADD COLUMN price INTEGER; UPDATE line SET quantity = 11")
        try device.exchange(hub)
        try device.run("UPDATE line SET price = 3")
        #expect(try device.texts("SELECT op, o1 FROM _moorage_log_line") == ["U|∅"])
        #expect(try device.localChanges() == [])
        let grown = SchemaDescription(
            tables: Shop.schema.tables.map { table in
                guard table.name == "line" else { return table }
                return TableDescription(
                    name: "line", columns: table.columns + [.column("price", .integer)],
                    primaryKey: table.primaryKey, foreignKeys: table.foreignKeys)
            })
        try device.adopt(grown)
        // The hub never had the value from before it had the column.
        try device.run("UPDATE line SET price = 4")
        #expect(try device.localChanges() == ["line 1,1 update 3:∅>4"])
    }

    @Test func `a table that lost its key stops alone, and goes on when it has it again`() throws {
        let device = try Shop.device()
        let hub = Shop.hub()
        try device.exchange(hub)
        try device.run(
            "UPDATE line SET quantity = 11; DROP TABLE line; CREATE TABLE line(orders, number, quantity)"
        )
        hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        try device.exchange(hub)
        #expect(try device.texts("SELECT id FROM customer") == ["a", "b", "c"])
        let counts = try device.queue.write { try device.store.counts($0) }
        #expect(counts.suspended.map(\.name) == ["line"])
        #expect(try device.texts("SELECT op FROM _moorage_log_line") == ["U"])
    }

    @Test func `lost triggers are made again, and what changed meanwhile is found`() throws {
        let device = try Shop.device()
        let hub = Shop.hub()
        hub.put(
            "line", [.integer(1), .integer(2), .integer(20)],
            [.integer(1), .integer(3), .integer(30)])
        hub.put("line", [.integer(1), .integer(4), .integer(40)])
        try device.exchange(hub)
        try device.run(
            """
            CREATE TABLE line2(orders INTEGER REFERENCES orders(id) ON DELETE CASCADE, number INTEGER,
              quantity INTEGER, PRIMARY KEY(orders, number));
            INSERT INTO line2 SELECT * FROM line; DROP TABLE line; ALTER TABLE line2 RENAME TO line;
            UPDATE line SET quantity = 11 WHERE number = 1; DELETE FROM line WHERE number = 2;
            INSERT INTO line VALUES(1, 5, 50); UPDATE line SET quantity = 41 WHERE number = 4;
            """)
        hub.put("line", [.integer(1), .integer(4), .integer(42)])
        try device.queue.writeWithoutTransaction { db in
            let names = try device.store.transaction(db) { $0.tables.toRepair }
            #expect(names.map(\.text) == ["line"])
            let table = try #require(try device.store.load(db).table(named: "line"))
            try device.store.beginComparing(db, table: table)
            var after: RowKey?
            repeat {
                let request = try device.store.compareRequest(
                    db, table: table, after: after, rows: 2, withValues: true)
                let answer = hub.comparing(request)
                try device.store.repair(db, table: table, answer, now: 5)
                after = answer.next
            } while after != nil
        }
        // The device refetches the row that the hub changed too, because it may be gone before the
        // page.
        #expect(
            try device.localChanges() == [
                "line 1,1 update 2:10>11", "line 1,4 update ", "line 1,5 insert 1,5,50",
                "line 1,2 delete 1,2,20",
            ])
        #expect(
            try device.texts("SELECT key, code, after FROM _moorage_refused") == [
                "[1,4]|recovered|[1,4,41]"
            ])
        try device.exchange(hub)
        #expect(try device.texts("SELECT quantity FROM line WHERE number = 4") == ["42"])
    }
}
