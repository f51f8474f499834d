import Foundation
import GRDB
import Moorage
import MoorageConfiguration
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Bad input is a typed error and nothing is half done` {
    static let schema = [
        "CREATE TABLE customer (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL, age INTEGER)",
        "CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, customer INTEGER REFERENCES customer(id))",
        "INSERT INTO customer VALUES (1, 'Ann', 30), (2, 'Bob', NULL)",
        "INSERT INTO orders VALUES (10, 1)",
    ]

    private static func failure(
        _ work: () async throws -> Void
    ) async throws -> any Error {
        do {
            try await work()
        } catch {
            return error
        }
        Issue.record("nothing was thrown")
        throw CancellationError()
    }

    static func replicaError(_ work: () async throws -> Void) async throws -> ReplicaError {
        let error = try await failure(work)
        return try #require(error as? ReplicaError, "\(error)")
    }

    private static func hubError(_ work: () async throws -> Void) async throws -> HubError {
        let error = try await failure(work)
        return try #require(error as? HubError, "\(error)")
    }

    // MARK: Schemas

    @Test(arguments: CentreKind.available)
    func `a table without a primary key`(kind: CentreKind) async throws {
        let schema = Self.schema + ["CREATE TABLE loose (a INTEGER, b TEXT)"]
        try await World.run(kind, schema: schema, attaches: false) { world in
            let error = try await Self.hubError {
                _ = try await world.hub.attach(tables: ["customer", "loose"])
            }
            #expect(error.code == .tableUnsupported)
            #expect(error.message.contains("loose") && error.message.contains("primary key"))
            // Attaching fails as a whole: the supported table is not attached either.
            let sql =
                switch kind {
                case .sqlite: "SELECT count(*) FROM sqlite_master WHERE name LIKE 'moorage%'"
                case .postgres: "SELECT count(*) FROM pg_class WHERE relname LIKE 'moorage%'"
                case .mariadb:
                    """
                    SELECT count(*) FROM information_schema.tables
                    WHERE table_schema = database() AND table_name LIKE 'moorage%'
                    """
                }
            #expect(try world.centre.count(sql) == 0)
            // Without a list, attaching takes the other tables and reports this one.
            let report = try await world.hub.attach()
            #expect(report.unsupported.map(\.name) == ["loose"])
            #expect(report.unsupported.first?.reason.contains("primary key") == true)
        }
    }

    @Test(arguments: CentreKind.available)
    func `an unknown table, asked for by attach, clone and replica`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let attach = try await Self.hubError {
                _ = try await world.hub.attach(tables: ["customer", "costumer"])
            }
            #expect(attach.code == .unknownTable && attach.message.contains("costumer"))
            let clone = try await Self.replicaError {
                _ = try await world.clone("A", tables: ["customer", "costumer"])
            }
            #expect(clone.code.rawValue == "unknownTable" && clone.message.contains("costumer"))
            #expect(clone.message.contains("moorage attach"))
            let file = try DatabaseQueue(path: world.folder.path("A.db"))
            #expect(
                try await file.read {
                    try Int.fetchOne(
                        $0, sql: "SELECT count(*) FROM sqlite_master WHERE name = 'customer'")
                } == 0)

            let device = try await world.open(
                "B",
                schema: """
                    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
                    CREATE TABLE draft (id INTEGER PRIMARY KEY, t TEXT);
                    INSERT INTO draft VALUES (1, 'kept');
                    """, tables: [.table("customer"), .table("draft", firstContact: .upload)])
            let before = try await device.state()
            let error = try await Self.replicaError { try await device.replica.sync() }
            #expect(error.code.rawValue == "unknownTable" && error.message.contains("draft"))
            #expect(try await device.state() == before)
            // Without the unknown table, the other one syncs.
            let again = try await world.reopen(device, tables: ["customer"])
            try await again.replica.sync()
            #expect(try again.values("customer", "id").count == 2)
            #expect(try again.values("draft", "t") == [[.text("kept")]])
        }
    }

    @Test(arguments: CentreKind.available)
    func `a table that is not on the device`(kind: CentreKind) async throws {
        try await World.run(kind, schema: Self.schema) { world in
            let error = try await Self.replicaError {
                _ = try await world.open("A", schema: "", tables: [.table("customer")])
            }
            #expect(error.code == .noSuchTable && error.message.contains("customer"))
        }
    }

    @Test(arguments: [
        ("id INTEGER PRIMARY KEY, age INTEGER", "missingColumn", "name"),
        (
            "id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, extra TEXT NOT NULL",
            "missingColumn", "extra"
        ),
        ("id INTEGER PRIMARY KEY, name INTEGER, age INTEGER", "typeMismatch", "name"),
        ("id INTEGER, name TEXT PRIMARY KEY, age INTEGER", "keyMismatch", "customer"),
        ("id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INTEGER", "uniqueIndexUnknown", "customer"),
    ])
    func `a column that only one side has, or of another type`(
        columns: String, code: String, named: String
    ) async throws {
        for kind in CentreKind.available {
            try await World.run(kind, schema: Self.schema) { world in
                let device = try await world.open(
                    "A", schema: "CREATE TABLE customer (\(columns))", tables: [.table("customer")])
                let before = try await device.state()
                let error = try await Self.replicaError { try await device.replica.sync() }
                #expect(error.code.rawValue == code)
                #expect(error.message.contains(named))
                #expect(error.recovery == .changeSchema)
                #expect(try await device.state() == before)
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `a pushed table or column that the hub does not have`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let before = try await world.centreState()
            let table = TableColumns(name: "costumer", columns: ["id"])
            let column = TableColumns(name: "customer", columns: ["id", "nmae"])
            for asked in [table, column] {
                let values = asked.columns.map { _ in Value.integer(99) }
                let batch = Batch(
                    number: 1, nonce: UUID().uuidString, preparedAt: 0, tables: [asked],
                    changes: [
                        Change(
                            table: asked.name, key: RowKey([.integer(99)]),
                            operation: .insert(values), editedAt: 0)
                    ])
                let request = ExchangeRequest(
                    replica: UUID().uuidString.lowercased(), hub: nil, sentAt: 0, tables: [asked],
                    cursor: .start, schemaVersion: nil, batch: batch, limits: PageLimits())
                let frames = Frames()
                try await world.hub.exchange(request) { await frames.add($0) }
                let outcomes = await frames.outcomes
                // The batch was made for another schema. The hub accepts none of it and sends its
                // schema in the welcome, so that the replica makes the batch again.
                #expect(outcomes.map(\.status) == [.notAccepted])
                #expect(await frames.hasSchema)
            }
            #expect(try await world.centreState() == before)
        }
    }

    @Test(arguments: CentreKind.available)
    func `a value of the wrong type is refused alone`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let a = try await world.clone("A")
            try a.execute(
                """
                INSERT INTO customer VALUES (3, 'Cy', 'elderly');
                INSERT INTO customer VALUES (4, 'Di', 44);
                INSERT INTO customer VALUES (5, x'00ff', 5);
                """)
            try await a.replica.sync()
            let refused = try await a.replica.refusedChanges.fetch()
            #expect(refused.map(\.key.values) == [[.integer(3)], [.integer(5)]])
            #expect(refused.allSatisfy { $0.code == .type })
            #expect(refused.first?.message.contains("age") == true)
            #expect(refused.first?.message.contains("elderly") == false)
            #expect(refused.first?.after["age"] == .text("elderly"))
            #expect(try world.centre.count("SELECT count(*) FROM customer") == 3)
            try a.execute("UPDATE customer SET age = 33 WHERE id = 3")
            try a.execute("UPDATE customer SET name = 'Ed' WHERE id = 5")
            try await a.replica.sync()
            #expect(try await world.differences(a) == [])
        }
    }

    // MARK: Another hub, another epoch

    @Test(arguments: CentreKind.available)
    func `a server of another hub`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let a = try await world.clone("A")
            try a.execute("UPDATE customer SET name = 'edited' WHERE id = 1")
            try await World.run(.sqlite, .http, schema: Self.schema) { other in
                let astray = try await world.reopen(a, link: other.link)
                let before = try await astray.state()
                let central = try await other.centreState()
                let error = try await Self.replicaError { try await astray.replica.sync() }
                #expect(error.code == .differentHub)
                #expect(error.recovery == .choose)
                #expect(try await astray.state() == before)
                #expect(try await other.centreState() == central)
            }
            let home = try await world.reopen(a)
            try await home.replica.sync()
            #expect(try await world.differences(home) == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `a server of another epoch: the replica compares itself and goes on`(
        kind: CentreKind
    ) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let a = try await world.clone("A")
            let b = try await world.clone("B")
            try a.execute("UPDATE customer SET name = 'acknowledged' WHERE id = 1")
            try a.execute("INSERT INTO customer VALUES (3, 'acknowledged too', 3)")
            try await a.replica.sync()
            try await b.replica.sync()
            try a.execute("UPDATE customer SET name = 'pending' WHERE id = 2")
            // A backup is restored. It has neither what A pushed nor a row that all devices had.
            try world.centre.execute(
                """
                UPDATE customer SET name = 'Ann' WHERE id = 1;
                DELETE FROM customer WHERE id = 3;
                DELETE FROM orders WHERE id = 10;
                """)
            _ = try await world.hub.attach(newEpoch: true)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            func name(_ id: Int) throws -> String? {
                try world.centre.text("SELECT name FROM customer WHERE id = \(id)")
            }
            #expect(try name(2) == "pending")
            // The order is gone at the centre and no device pushed it, so devices list it instead
            // of losing it.
            let recovered =
                try await a.replica.refusedChanges.fetch() + b.replica.refusedChanges.fetch()
            #expect(try world.centre.count("SELECT count(*) FROM orders") == 0)
            #expect(
                recovered.allSatisfy { [.recovered, .gone, .foreignKey].contains($0.code) },
                "\(recovered)")
        }
    }

    // MARK: The central database

    @Test func `a SQLite database that cannot be opened`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let error = try await Self.failure {
            _ = try SQLiteDatabase(path: folder.path("no such folder/central.db"))
        }
        let central = try #require(error as? CentralError)
        #expect(central.kind == .unavailable)
        #expect(central.message.contains("central.db"))
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `a PostgreSQL database that is dropped under the hub`() async throws {
        try await World.run(.postgres, .http, schema: Self.schema) { world in
            let a = try await world.clone("A")
            try a.execute("UPDATE customer SET name = 'edited' WHERE id = 1")
            let before = try await a.state()
            try world.centre.close()
            var error = try await Self.replicaError { try await a.replica.sync() }
            // The server drops the database before it ends the sessions. Until then the hub has a
            // session that breaks.
            try await eventually("the hub's sessions have ended") {
                if error.code.rawValue != "databaseUnavailable" { return true }
                error = try await Self.replicaError { try await a.replica.sync() }
                return false
            }
            // The replica tries again, but no sooner than after other errors that an operator has
            // to fix.
            #expect(error.code.rawValue == "databaseError", "\(error)")
            #expect(error.recovery == .askOperator)
            #expect(try await a.state() == before)
        }
    }

    @Test(arguments: ["", "moorage:not-the-password@"])
    func `a PostgreSQL server that is not there`(user: String) async throws {
        let nobody = try ClosedPort()
        let url = "postgres://\(user)127.0.0.1:\(nobody.number)/nowhere"
        let hub = Hub(database: try PostgresCentre.connector(url: url))
        let error = try await Self.hubError { _ = try await hub.schema() }
        withExtendedLifetime(nobody) {}
        #expect(error.code == .databaseUnavailable)
        #expect(error.isTransient)
        #expect(!error.message.contains("not-the-password"))
    }

    @Test(arguments: CentreKind.available)
    func `a database that nothing was attached to`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema, attaches: false) { world in
            let error = try await Self.replicaError {
                _ = try await world.clone("A", tables: ["customer"])
            }
            #expect(error.code.rawValue == "notAttached")
            #expect(error.message.contains("moorage attach"))
        }
    }

    // MARK: The configuration

    #if Server
        @Test func `an unknown key in the configuration`() async throws {
            let error = try await Self.failure {
                _ = try MoorageConfiguration.parse(
                    "database: sqlite:central.db\ntables:\n  customer:\n    rul: server\n",
                    file: "moorage.yaml", environment: [:])
            }
            let failure = try #require(error as? CommandFailure)
            #expect(failure.place == "moorage.yaml:4")
            #expect(failure.what.contains("rul"))
            #expect(failure.next?.contains("`rule`") == true)
        }
    #endif
}

/// Collects the frames of one answer.
private actor Frames {
    private var frames: [Frame] = []

    func add(_ frame: Frame) { frames.append(frame) }

    var outcomes: [Outcomes] {
        frames.compactMap { if case .outcomes(let answer) = $0 { answer } else { nil } }
    }

    var hasSchema: Bool {
        if case .welcome(let welcome) = frames.first { welcome.schema != nil } else { false }
    }
}

extension World {
    /// The owner's rows. Tests compare them to see that nothing was half done.
    func centreState() async throws -> [String] {
        try await hub.schema().schema.tables.flatMap { table in
            try centre.rows(table).map { "\(table.name) \($0)" }.sorted()
        }
    }
}
