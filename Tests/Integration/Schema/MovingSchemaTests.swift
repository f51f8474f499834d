import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Tables change at the centre or on devices while replicas are in use.
@Suite(.ownThreads) struct `A schema that moves` {
    private static let schema = [
        "CREATE TABLE customer (id INTEGER NOT NULL PRIMARY KEY, name TEXT, city TEXT)",
        "CREATE TABLE product (id INTEGER NOT NULL PRIMARY KEY, title TEXT)",
        "INSERT INTO customer VALUES (1, 'Ann', 'Oslo'), (2, 'Bob', 'Rome')",
        "INSERT INTO product VALUES (1, 'Chai')",
    ]

    private static func run(
        _ kind: CentreKind,
        _ test: @escaping @Sendable (World, Device, Device) async throws -> Void
    ) async throws {
        try await World.run(kind, .http, schema: schema) { world in
            try await test(world, try await world.clone("A"), try await world.clone("B"))
        }
    }

    @Test(arguments: CentreKind.available)
    func `an added central column is not synced until attach, and then is`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a, b in
            try world.centre.execute(
                """
                ALTER TABLE customer ADD COLUMN phone TEXT;
                UPDATE customer SET phone = '1', city = 'Bergen' WHERE id = 1;
                """)
            try a.execute("UPDATE customer SET name = 'Anna' WHERE id = 1")
            try await world.converge(a, b)
            // The columns that were attached still sync.
            #expect(try b.text("SELECT name || city FROM customer WHERE id = 1") == "AnnaBergen")
            #expect(
                try await world.hub.schema().schema.table(named: "customer")?.columns.count == 3)
            #expect(try await world.differences(a, b) == [])

            _ = try await world.hub.attach()
            try await world.converge(a, b)
            // A device syncs the column once its own table has it. A value that it wrote before the
            // replica saw the column counts too.
            try a.execute("ALTER TABLE customer ADD COLUMN phone TEXT")
            try a.execute("UPDATE customer SET phone = '2' WHERE id = 2")
            try await world.converge(a, b)
            #expect(try a.text("SELECT phone FROM customer WHERE id = 1") == "1")
            #expect(try world.centre.text("SELECT phone FROM customer WHERE id = 2") == "2")
            #expect(try await world.differences(a) == [])
            // B still syncs without the column.
            try b.execute("UPDATE customer SET city = 'Paris' WHERE id = 2")
            try await world.converge(b, a)
            #expect(try a.text("SELECT city || phone FROM customer WHERE id = 2") == "Paris2")
        }
    }

    @Test(arguments: CentreKind.available)
    func `a dropped central column stops its table alone, with the command that mends it`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute(
                """
                UPDATE customer SET name = 'kept for later' WHERE id = 1;
                UPDATE product SET title = 'Chang' WHERE id = 1;
                """)
            try world.centre.execute("ALTER TABLE customer DROP COLUMN city")
            try await a.replica.sync()
            try await b.replica.sync()
            // The other table still syncs.
            #expect(try b.text("SELECT title FROM product WHERE id = 1") == "Chang")
            // This table is suspended by name, and its change is not lost.
            let suspended = try await world.hub.schema().suspended
            #expect(suspended.map(\.name) == ["customer"])
            #expect(suspended.first?.reason.contains("city") == true)
            #expect(suspended.first?.reason.contains("moorage attach") == true)
            let kept =
                try await a.replica.pendingChanges.fetch().map { $0.table }
                + a.replica.refusedChanges.fetch().map { $0.table }
            #expect(kept == ["customer"])
            #expect(try a.text("SELECT name FROM customer WHERE id = 1") == "kept for later")
            #expect(try world.centre.text("SELECT name FROM customer WHERE id = 1") == "Ann")

            _ = try await world.hub.attach()
            // The devices' own tables still have the column, which the hub no longer syncs.
            try await world.converge(a, b)
            try b.execute("UPDATE customer SET name = 'Bobby' WHERE id = 2")
            try await world.converge(a, b)
            #expect(try world.centre.text("SELECT name FROM customer WHERE id = 2") == "Bobby")
            #expect(try a.text("SELECT name FROM customer WHERE id = 2") == "Bobby")
        }
    }

    @Test(arguments: CentreKind.available)
    func `a retyped central column stops its table`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            switch kind {
            case .sqlite:
                try world.centre.execute(
                    """
                    CREATE TABLE other (id INTEGER NOT NULL PRIMARY KEY, name INTEGER, city TEXT);
                    DROP TABLE customer;
                    ALTER TABLE other RENAME TO customer;
                    """)
            case .postgres:
                try world.centre.execute(
                    "ALTER TABLE customer ALTER COLUMN name TYPE integer USING length(name)")
            case .mariadb:
                try world.centre.execute(
                    """
                    UPDATE customer SET name = length(name);
                    ALTER TABLE customer MODIFY name INTEGER;
                    """)
            }
            try world.centre.execute("INSERT INTO product VALUES (2, 'Aniseed')")
            let before = try a.values("customer", "id", "name")
            try await world.converge(a, b)
            #expect(try await world.hub.schema().suspended.map(\.name) == ["customer"])
            #expect(try a.values("customer", "id", "name") == before)
            #expect(try b.text("SELECT title FROM product WHERE id = 2") == "Aniseed")
        }
    }

    @Test(arguments: CentreKind.available)
    func `a dropped central table stops alone`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            try world.centre.execute("DROP TABLE customer")
            try world.centre.execute("INSERT INTO product VALUES (2, 'Aniseed')")
            try await world.converge(a, b)
            #expect(try await world.hub.schema().suspended.map(\.name) == ["customer"])
            #expect(try a.values("customer", "id").count == 2)
            #expect(try a.values("product", "id").count == 2)
        }
    }

    @Test(arguments: CentreKind.available)
    func `a device's migration adds a column, renames a table away and back, and loses triggers`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a, b in
            // The usual migration of SQLite: a new table without triggers takes the old one's name.
            // The app edits rows before the triggers are there again.
            try a.execute("UPDATE customer SET name = 'edited before' WHERE id = 1")
            try a.execute(
                """
                CREATE TABLE new_customer (
                  id INTEGER PRIMARY KEY NOT NULL, name TEXT, city TEXT, draft TEXT DEFAULT 'mine');
                INSERT INTO new_customer (id, name, city) SELECT id, name, city FROM customer;
                DROP TABLE customer;
                ALTER TABLE new_customer RENAME TO customer;
                UPDATE customer SET city = 'edited unrecorded' WHERE id = 2;
                INSERT INTO customer (id, name) VALUES (3, 'inserted unrecorded');
                """)
            try world.centre.execute("UPDATE product SET title = 'Chang'")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try b.text("SELECT name FROM customer WHERE id = 1") == "edited before")
            #expect(try b.text("SELECT city FROM customer WHERE id = 2") == "edited unrecorded")
            #expect(try b.text("SELECT name FROM customer WHERE id = 3") == "inserted unrecorded")
            // The triggers are there again.
            try a.execute("UPDATE customer SET name = 'seen' WHERE id = 3")
            try await world.converge(a, b)
            #expect(try b.text("SELECT name FROM customer WHERE id = 3") == "seen")
        }
    }

    @Test(arguments: CentreKind.available)
    func `a device that drops a synced column goes on without it`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            // The triggers name the column. SQLite requires that an app drops them before the
            // column.
            let triggers = try await a.file.read {
                try String.fetchAll(
                    $0,
                    sql: """
                        SELECT name FROM sqlite_master
                        WHERE type = 'trigger' AND tbl_name = 'customer'
                        """)
            }
            for trigger in triggers { try a.execute("DROP TRIGGER \"\(trigger)\"") }
            try a.execute("ALTER TABLE customer DROP COLUMN city")
            try a.execute("UPDATE product SET title = 'Chang' WHERE id = 1")
            try world.centre.execute("INSERT INTO product VALUES (2, 'Aniseed')")
            try await world.converge(a, b)
            // Whatever happens to this table, the other one still syncs, and no copy loses a value.
            #expect(try b.text("SELECT title FROM product WHERE id = 1") == "Chang")
            #expect(try a.values("product", "id").count == 2)
            #expect(
                try world.centre.count("SELECT count(*) FROM customer WHERE city IS NOT NULL") == 2)
        }
    }
}
