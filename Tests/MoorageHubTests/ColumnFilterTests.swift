import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Columns that do not travel like the others` {
    private static let schema = """
        CREATE TABLE parent (id TEXT NOT NULL PRIMARY KEY, name TEXT);
        CREATE TABLE item (
          id TEXT NOT NULL PRIMARY KEY, name TEXT, salary INTEGER DEFAULT 7, grade INTEGER DEFAULT 3,
          parent TEXT REFERENCES parent(id), secret_code TEXT UNIQUE);
        INSERT INTO item (id, name, salary, grade, secret_code) VALUES ('a', 'A', 313131, 5, 'x');
        """

    private func bench() throws -> HubBench {
        try HubBench(
            schema: Self.schema,
            columns: [
                "item": ColumnSettings(hidden: ["salary", "secret_code"], downOnly: ["grade"])
            ])
    }

    private func texts(_ json: [Frame]) -> String {
        json.map { String(decoding: $0.encoded(), as: UTF8.self) }.joined()
    }

    @Test func `are left out of schema and rows`() throws {
        let bench = try bench()
        let replica = try ScriptedReplica(bench, 1, hidden: ["salary", "secret_code"])
        let text = texts(try replica.exchange())
        #expect(!text.contains("salary") && !text.contains("secret_code"))
        #expect(replica.rows["item"]?.count == 1)
        // A replica that asks for them gets no rows of the table.
        let curious = try ScriptedReplica(bench, 2)
        let answer = texts(try curious.exchange())
        #expect(curious.rows["item"] == nil && !answer.contains("313131"))
    }

    @Test func `are left to the database by an insert`() throws {
        let bench = try bench()
        let replica = try ScriptedReplica(bench, 1, hidden: ["salary", "secret_code"])
        try replica.exchange()
        let row: [Value] = [.text("b"), .text("B"), .integer(99), .null]
        #expect(try replica.push(replica.insert("item", row)) == [.applied])
        #expect(
            try bench.rows("SELECT salary, grade FROM item WHERE id = 'b'")
                == [[.integer(7), .integer(3)]])
        // The hub sends the device the value that the database stored.
        #expect(replica.rows["item"]?[RowKey([.text("b")])]?[2] == .integer(3))
    }

    @Test func `are not written, whatever is sent`() throws {
        let bench = try bench()
        let replica = try ScriptedReplica(bench, 1, hidden: ["salary", "secret_code"])
        try replica.exchange()
        let edit = replica.update(
            "item", .text("a"), set: ["grade": (.integer(5), .integer(1))])
        guard case .refused(let refusal) = try replica.push(edit)[0] else {
            Issue.record("It was taken.")
            return
        }
        #expect(refusal.code == .readOnly)
        let both = replica.update(
            "item", .text("a"),
            set: ["grade": (.integer(5), .integer(1)), "name": (.text("A"), .text("AA"))])
        if case .refused = try replica.push(both)[0] {} else { Issue.record("It was taken.") }
        let named = try ScriptedReplica(bench, 2)
        let frames = try named.exchange(
            named.batch([
                named.update("item", .text("a"), set: ["salary": (.integer(313131), .integer(1))])
            ]))
        #expect(named.answer(frames)?.status == .notAccepted)
        #expect(
            try bench.rows("SELECT name, salary, grade FROM item")
                == [[.text("A"), .integer(313131), .integer(5)]])
    }

    @Test func `stay the database's own through updates and deletes`() throws {
        let bench = try bench()
        let replica = try ScriptedReplica(bench, 1, hidden: ["salary", "secret_code"])
        try replica.exchange()
        let edit = replica.update("item", .text("a"), set: ["name": (.text("A"), .text("AA"))])
        #expect(try replica.push(edit) == [.applied])
        #expect(try bench.rows("SELECT salary FROM item") == [[.integer(313131)]])
        let row: [Value] = [.text("a"), .text("AA"), .integer(5), .null]
        #expect(try replica.push(replica.delete("item", before: row)) == [.applied])
        #expect(try bench.rows("SELECT 1 FROM item").isEmpty)
    }

    @Test(arguments: [
        ColumnSettings(hidden: ["id"]), ColumnSettings(downOnly: ["id"]),
        ColumnSettings(hidden: ["nothing"]), ColumnSettings(downOnly: ["Name"]),
        ColumnSettings(hidden: ["parent"]),
    ])
    func `cannot be the key, a reference to a synced table, or nothing`(
        settings: ColumnSettings
    ) throws {
        let bench = try HubBench(schema: Self.schema, columns: ["item": settings])
        let replica = try ScriptedReplica(bench, 1)
        let error = #expect(throws: HubError.self) { try replica.exchange() }
        #expect(error?.code == .configuration)
    }

    @Test(arguments: ["nothing", "grade", "Name"])
    func `hold no file unless they are texts`(column: String) throws {
        let settings = ColumnSettings(files: [column])
        let bench = try HubBench(schema: Self.schema, columns: ["item": settings])
        let replica = try ScriptedReplica(bench, 1)
        let error = #expect(throws: HubError.self) { try replica.exchange() }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("item.\(column)") == true)
    }

    @Test func `travel like any text where they hold files`() throws {
        let bench = try HubBench(
            schema: Self.schema, columns: ["item": ColumnSettings(files: ["name"])])
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let edit = replica.update("item", .text("a"), set: ["name": (.text("A"), .text("AA"))])
        #expect(try replica.push(edit) == [.applied])
        #expect(try bench.rows("SELECT name FROM item") == [[.text("AA")]])
        let plain = try HubBench(schema: Self.schema)
        #expect(
            try bench.hub.currentSchema().schema.version
                == plain.hub.currentSchema().schema.version)
    }

    @Test func `of a table that is not attached are a mistake`() async throws {
        let bench = try HubBench(
            schema: Self.schema, columns: ["itme": ColumnSettings(hidden: ["salary"])])
        await #expect(throws: HubError.self) { try await bench.hub.checkConfiguration() }
    }
}

/// Settings that change while devices have rows.
@Suite(.ownThreads) struct `Columns that are hidden later` {
    @Test func `lose no deletion`() async throws {
        let database = try SQLiteDatabase()
        try database.execute(
            """
            CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name TEXT, salary INTEGER);
            CREATE TABLE other (id INTEGER NOT NULL PRIMARY KEY);
            INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 2);
            INSERT INTO other VALUES (1);
            """)
        let open = Hub(database: database)
        _ = try await open.attach()
        let file = try DatabaseQueue()
        _ = try await Replica.clone(into: file, from: .direct(open), tables: ["item", "other"])
        var configuration = HubConfiguration()
        configuration.columns = ["item": ColumnSettings(hidden: ["salary"])]
        let hub = Hub(database: database, configuration: configuration)
        try database.execute("DELETE FROM item WHERE id = 1; INSERT INTO other VALUES (2)")
        let replica = try await Replica(
            database: file, hub: .direct(hub), tables: [.table("item"), .table("other")])
        for edit in ["UPDATE item SET name = 'x' WHERE id = 2", "DELETE FROM other WHERE id = 1"] {
            try await file.write { try $0.execute(sql: edit) }
            try await replica.sync()
        }
        let ids = try await file.read { try Int.fetchAll($0, sql: "SELECT id FROM item") }
        #expect(ids == [2])
        #expect(try await replica.verify().isEmpty)
        #expect(try await replica.pendingChanges.fetch().isEmpty)
        let central = try database.perform { try $0.run("SELECT name, salary FROM item", []) }
        #expect(central == [[.text("x"), .integer(2)]])
    }

    @Test func `cannot be what others refer to`() throws {
        let bench = try HubBench(
            schema: """
                CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, code TEXT UNIQUE);
                CREATE TABLE stock (
                  id INTEGER NOT NULL PRIMARY KEY, code TEXT REFERENCES item(code) ON DELETE CASCADE);
                """, columns: ["item": ColumnSettings(hidden: ["code"])])
        let replica = try ScriptedReplica(bench, 1)
        #expect(throws: HubError.self) { try replica.exchange() }
    }
}
