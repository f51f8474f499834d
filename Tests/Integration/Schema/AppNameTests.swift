import GRDB
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

/// The owner's names are not those of the apps, and an old and a new app have different ones.
@Suite(.ownThreads) struct `An app with names of its own` {
    private static let schema = [
        """
        CREATE TABLE tbl_cust (
          id INTEGER NOT NULL PRIMARY KEY, c_title VARCHAR(20), height INTEGER)
        """,
        """
        CREATE TABLE tbl_note (
          id INTEGER NOT NULL PRIMARY KEY, cust INTEGER, body VARCHAR(20),
          FOREIGN KEY (cust) REFERENCES tbl_cust (id))
        """,
        "INSERT INTO tbl_cust VALUES (1, 'Hut', 10), (2, 'Barn', 20)",
    ]

    private static var configuration: HubConfiguration {
        var configuration = HubConfiguration()
        configuration.tableNames = [
            "tbl_cust": AppNames(name: "customers", renamedFrom: ["clients"]),
            "tbl_note": AppNames(name: "notes"),
        ]
        configuration.columns = [
            "tbl_cust": ColumnSettings(
                names: ["c_title": AppNames(name: "title", renamedFrom: ["name", "label"])]),
            "tbl_note": ColumnSettings(names: ["cust": AppNames(name: "customer")]),
        ]
        return configuration
    }

    /// Runs a test with a device of the old app, and one of the new app.
    private static func run(
        _ kind: CentreKind,
        _ test: @escaping @Sendable (World, _ old: Device, _ new: Device) async throws -> Void
    ) async throws {
        try await World.run(kind, schema: schema, configuration: configuration) { world in
            func device(_ name: String, _ table: String, _ column: String) async throws -> Device {
                try await world.open(
                    name,
                    schema: """
                        CREATE TABLE \(table) (
                          id INTEGER NOT NULL PRIMARY KEY, \(column) TEXT, height INTEGER)
                        """, tables: [.table(table)])
            }
            let old = try await device("old", "clients", "name")
            let new = try await device("new", "customers", "title")
            try await world.converge(old, new)
            try await test(world, old, new)
        }
    }

    /// Checks that both devices and the centre have these rows, and that nobody lost anything.
    private static func check(
        _ world: World, _ old: (device: Device, column: String), _ new: Device,
        _ rows: [[Value]]
    ) async throws {
        let query = "SELECT c_title FROM tbl_cust WHERE id = "
        #expect(
            try rows.map { row in
                guard case .integer(let id) = row[0] else { return Value.null }
                return try world.centre.text(query + "\(id)").map(Value.text) ?? .null
            } == rows.map { $0[1] })
        #expect(try Set(old.device.values("clients", "id", old.column, "height")) == Set(rows))
        #expect(try Set(new.values("customers", "id", "title", "height")) == Set(rows))
        #expect(try await world.conflicts() == [])
        for device in [old.device, new] {
            #expect(device.replica.status.suspendedTables.isEmpty)
            #expect(try await device.replica.pendingChanges.fetch().isEmpty)
            #expect(try await device.replica.refusedChanges.fetch().isEmpty)
            #expect(try await device.replica.overruledChanges.fetch().isEmpty)
            #expect(try await device.replica.verify().isEmpty)
        }
    }

    @Test(arguments: CentreKind.available)
    func `syncs the same column as a newer app with another name`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, old, new in
            try old.execute("UPDATE clients SET name = 'Lodge' WHERE id = 1")
            try new.execute("UPDATE customers SET title = 'Shed' WHERE id = 2")
            try new.execute("INSERT INTO customers VALUES (3, 'Tent', 30)")
            try old.execute("INSERT INTO clients VALUES (4, 'Cave', NULL)")
            try await world.converge(old, new)
            try old.execute("DELETE FROM clients WHERE id = 3")
            try await world.converge(old, new)
            try await Self.check(
                world, (old, "name"), new,
                [
                    [.integer(1), .text("Lodge"), .integer(10)],
                    [.integer(2), .text("Shed"), .integer(20)],
                    [.integer(4), .text("Cave"), .null],
                ])
        }
    }

    @Test(arguments: CentreKind.available)
    func `takes the new name with edits pending, and nobody loses a value`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, old, new in
            try old.execute("UPDATE clients SET name = 'Lodge' WHERE id = 1")
            try new.execute("UPDATE customers SET height = 11 WHERE id = 1")
            try new.execute("UPDATE customers SET title = 'Shed' WHERE id = 2")
            try await world.converge(new)
            try old.execute("ALTER TABLE clients RENAME COLUMN name TO title")
            let upgraded = try await world.reopen(old, tables: ["clients"])
            #expect(try await upgraded.replica.pendingChanges.fetch().count == 1)
            try await world.converge(upgraded, new)
            try await Self.check(
                world, (upgraded, "title"), new,
                [
                    [.integer(1), .text("Lodge"), .integer(11)],
                    [.integer(2), .text("Shed"), .integer(20)],
                ])
        }
    }

    @Test(arguments: CentreKind.available)
    func `gets the owner's tables with their references by these names`(
        kind: CentreKind
    ) async throws {
        try await World.run(kind, schema: Self.schema, configuration: Self.configuration) { world in
            let clone = try await world.clone("clone", tables: ["customers", "notes"])
            let file = try DatabaseQueue(path: world.folder.path("opened.db"))
            let opened = try await Replica.open(database: file, hub: world.link)
            try await opened.sync()
            let devices = [clone, Device(name: "opened", file: file, replica: opened)]
            for (id, device) in zip(1..., devices) {
                #expect(try device.text("SELECT title FROM customers WHERE id = 1") == "Hut")
                #expect(
                    try device.text(
                        """
                        SELECT "table" || '.' || "from" || '.' || "to"
                        FROM pragma_foreign_key_list('notes')
                        """) == "customers.customer.id")
                try device.execute("INSERT INTO notes VALUES (\(id), 2, 'Door')")
                try await device.replica.sync()
                let query = "SELECT body FROM tbl_note WHERE cust = 2 AND id = \(id)"
                #expect(try world.centre.text(query) == "Door")
                #expect(try await device.replica.verify().isEmpty)
            }
        }
    }

    /// The old app goes on, and so do its edits from before the rename.
    @Test(arguments: CentreKind.available)
    func `goes on under the old name after the owner renames a column`(
        kind: CentreKind
    ) async throws {
        try await World.run(kind, schema: Self.schema) { world in
            let device = try await world.open(
                "old",
                schema: """
                    CREATE TABLE tbl_cust (
                      id INTEGER NOT NULL PRIMARY KEY, c_title TEXT, height INTEGER)
                    """, tables: [.table("tbl_cust")])
            try await world.converge(device)
            try device.execute("UPDATE tbl_cust SET c_title = 'Lodge' WHERE id = 1")
            try world.centre.execute("ALTER TABLE tbl_cust RENAME COLUMN c_title TO title")
            var configuration = HubConfiguration()
            configuration.columns["tbl_cust"] = ColumnSettings(
                names: ["title": AppNames(renamedFrom: ["c_title"])])
            let hub = Hub(database: try world.centre.connector(), configuration: configuration)
            _ = try await hub.attach()
            let old = try await world.reopen(device, link: .direct(hub), tables: ["tbl_cust"])
            try await world.converge(old)
            #expect(old.replica.status.suspendedTables.isEmpty)
            #expect(try world.centre.text("SELECT title FROM tbl_cust WHERE id = 1") == "Lodge")
            try world.centre.execute("UPDATE tbl_cust SET title = 'Shed' WHERE id = 2")
            try await world.converge(old)
            #expect(try old.text("SELECT c_title FROM tbl_cust WHERE id = 2") == "Shed")
            #expect(try await hub.conflicts().isEmpty)
            #expect(try await old.replica.refusedChanges.fetch().isEmpty)
            #expect(try await old.replica.verify().isEmpty)
            let usage = try await hub.checkDrop(ofTable: "tbl_cust", column: "c_title")
            #expect(usage.needCount == 1)
        }
    }
}
