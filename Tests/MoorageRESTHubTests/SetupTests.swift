import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `An app that begins to sync with an API` {
    /// The app's migrations, as they are while it is developed.
    private func migrator(_ steps: [(name: String, sql: String)]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        for (name, sql) in steps {
            migrator.registerMigration(name) { try $0.execute(sql: sql) }
        }
        return migrator
    }

    private static let todos = (
        name: "todos",
        sql: """
        CREATE TABLE todo(
          id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, done BOOLEAN NOT NULL DEFAULT 0,
          note TEXT)
        """
    )

    private let api = FakeAPI([
        "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#]),
        "people": FakeCollection { $0.makesIDs = true },
        "orders": FakeCollection(),
    ])

    private func hub(_ models: [any Uploadable.Type], _ database: DatabaseQueue) -> RESTHub {
        RESTHub(FakeAPI.address, models, in: database, transport: api)
    }

    /// A file with a row in three tables, and no replica.
    private func fileWithRows() async throws -> DatabaseQueue {
        let database = try DatabaseQueue()
        try await database.write { db in
            try db.execute(sql: Device.schema)
            try db.execute(
                sql: """
                    INSERT INTO todo(id, title) VALUES ('old', 'Old');
                    INSERT INTO "order"(id, customer) VALUES ('o', 'Ann');
                    INSERT INTO line VALUES ('l', 'o', 'Tea', 1);
                    """)
        }
        return database
    }

    @Test func `gives its migrations to the replica, and keeps what was not sent`() async throws {
        let database = try DatabaseQueue()
        let first = try await hub([Todo.self], database).replica(
            migrator: migrator([Self.todos]), options: Device.options)
        try await first.sync()
        try await database.write {
            try $0.execute(sql: "INSERT INTO todo(id, title) VALUES ('b', 'Tea')")
        }
        // A new launch, with a migration that makes the table again.
        let rebuild = (
            name: "rebuilt",
            sql: """
            CREATE TABLE new(
              id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, done BOOLEAN NOT NULL DEFAULT 0,
              note TEXT, pinned INTEGER NOT NULL DEFAULT 0);
            INSERT INTO new(id, title, done, note) SELECT id, title, done, note FROM todo;
            DROP TABLE todo; ALTER TABLE new RENAME TO todo;
            """
        )
        let second = try await hub([Todo.self], database).replica(
            migrator: migrator([Self.todos, rebuild]), options: Device.options)
        #expect(second.status.pendingCount == 1)
        try await second.sync()
        #expect(api.rows("todos").keys.sorted() == ["a", "b"])
        let titles = try await database.read {
            try String.fetchAll($0, sql: "SELECT title FROM todo ORDER BY id")
        }
        #expect(titles == ["Milk", "Tea"])
        #expect(try await second.refusedChanges.fetch().isEmpty)
    }

    @Test func `says for each table what becomes of its rows`() async throws {
        let database = try await fileWithRows()
        let replica = try await hub([Todo.self, Order.self], database).replica(
            firstContact: .replace,
            tables: [
                .table(Order.self, firstContact: .upload),
                .table(Line.self, firstContact: .upload),
            ], options: Device.options)
        try await replica.sync()
        #expect(api.rows("todos").keys.sorted() == ["a"])
        #expect(
            api.rows("orders") == [
                "o":
                    #"{"customer":"Ann","id":"o","lines":[{"count":1,"id":"l","product":"Tea"}]}"#
            ])
        let ids = try await database.read { try String.fetchAll($0, sql: "SELECT id FROM todo") }
        #expect(ids == ["a"])
    }

    @Test func `with rows reads in the error what to choose`() async throws {
        let database = try await fileWithRows()
        let hub = hub([Todo.self], database)
        let error = await #expect(throws: ReplicaError.self) { try await hub.replica() }
        #expect(error?.code == .tableNotEmpty)
        #expect(
            error?.message.contains("Choose what becomes of the rows by `firstContact`") == true)
    }

    @Test func `cannot sync a table that no model has`() async throws {
        let database = try await fileWithRows()
        let hub = hub([Todo.self], database)
        let error = await #expect(throws: ReplicaError.self) {
            try await hub.replica(tables: [.table(Person.self)])
        }
        #expect(error?.code == .hub(.configuration))
        #expect(error?.message.contains("person") == true)
        let tables = try await database.read { try $0.tableExists("_moorage_meta") }
        #expect(!tables)
    }

    @Test func `keeps a person's unsent changes from the next person's token`() async throws {
        let ada = try await Device(api, [Todo.self], credentials: .secret("ada"), user: "ada")
        try await ada.sync()
        try await ada.execute("INSERT INTO todo(id, title) VALUES ('hers', 'Hers')")
        await ada.replica.stop()
        let bo = RESTHub(
            FakeAPI.address, [Todo.self], in: ada.database, credentials: .secret("bo"),
            user: "bo", transport: api)
        let replica = try await bo.replica(options: Device.options)
        let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
        #expect(error?.code == .hub(.differentUser))
        #expect(api.requests("POST").isEmpty)
        #expect(try await ada.rows("SELECT id FROM todo ORDER BY id") == ["a", "hers"])
    }
}
