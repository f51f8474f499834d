import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Other programs write to the central tables as before, and know nothing of Moorage.
@Suite(.ownThreads) struct `Writers beside the hub` {
    private static let schema = [
        "CREATE TABLE customer (id INTEGER NOT NULL PRIMARY KEY, email VARCHAR(60) UNIQUE, name TEXT)",
        """
        CREATE TABLE orders (
          id INTEGER NOT NULL PRIMARY KEY,
          customer INTEGER REFERENCES customer(id) ON DELETE CASCADE ON UPDATE CASCADE, note TEXT)
        """,
        "INSERT INTO customer VALUES (1, 'ann@example.com', 'Ann'), (2, 'bob@example.com', 'Bob')",
        "INSERT INTO orders VALUES (10, 1, NULL), (11, 1, 'x'), (20, 2, 'y')",
    ]

    private static func run(
        _ kind: CentreKind, more: [String] = [],
        _ test: @escaping @Sendable (World, Device, Device) async throws -> Void
    ) async throws {
        try await World.run(kind, .http, schema: schema + more) { world in
            try await test(world, try await world.clone("A"), try await world.clone("B"))
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `a role with rights on the owner's tables alone goes on writing`() async throws {
        try await Self.run(.postgres) { world, a, b in
            let centre = try #require(world.centre as? PostgresCentre)
            let role = "clerk_" + UUID().uuidString.lowercased().prefix(8)
            try centre.execute(
                """
                CREATE ROLE \(role) LOGIN PASSWORD 'of-the-clerk';
                GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON customer, orders TO \(role);
                """)
            defer {
                do { try centre.execute("DROP OWNED BY \(role); DROP ROLE \(role)") } catch {
                    Issue.record("the role was not dropped: \(error)")
                }
            }
            let url = try centre.url(user: role, password: "of-the-clerk")
            do {
                let clerk = try PostgresSession(url: url)
                try clerk.query(
                    """
                    INSERT INTO customer VALUES (3, 'cy@example.com', 'Cy');
                    INSERT INTO orders VALUES (30, 3, 'by the clerk');
                    INSERT INTO orders VALUES (10, 2, 'upsert')
                      ON CONFLICT (id) DO UPDATE SET note = excluded.note;
                    UPDATE customer SET name = 'Anna' WHERE id = 1;
                    UPDATE customer SET id = 5 WHERE id = 2;
                    DELETE FROM orders WHERE id = 11;
                    """)
                // The role cannot read our tables.
                #expect(throws: PostgresSession.Failure.self) {
                    try clerk.query("SELECT * FROM moorage_meta")
                }
                try await world.converge(a, b)
                #expect(try await world.differences(a, b) == [])
                #expect(try a.text("SELECT note FROM orders WHERE id = 10") == "upsert")
                #expect(try a.text("SELECT customer FROM orders WHERE id = 20") == "5")
                try clerk.query("TRUNCATE orders")
                try await world.converge(a, b)
                #expect(try a.values("orders", "id").isEmpty)
                #expect(try await world.differences(a, b) == [])
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `an own trigger that lower-cases is told to the device, and makes no conflict`(
        kind: CentreKind
    ) async throws {
        let trigger: [String]
        switch kind {
        case .sqlite:
            trigger = [
                """
                CREATE TRIGGER lower_case AFTER INSERT ON customer WHEN NEW.email <> lower(NEW.email)
                BEGIN UPDATE customer SET email = lower(NEW.email) WHERE id = NEW.id; END
                """,
                """
                CREATE TRIGGER lower_case_too AFTER UPDATE OF email ON customer
                WHEN NEW.email <> lower(NEW.email)
                BEGIN UPDATE customer SET email = lower(NEW.email) WHERE id = NEW.id; END
                """,
            ]
        case .mariadb:
            trigger = ["INSERT", "UPDATE"].map {
                """
                CREATE TRIGGER lower_case_\($0) BEFORE \($0) ON customer
                FOR EACH ROW SET NEW.email = lower(NEW.email)
                """
            }
        case .postgres:
            trigger = [
                """
                CREATE FUNCTION lower_case() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.email := lower(NEW.email); RETURN NEW; END $$
                """,
                """
                CREATE TRIGGER lower_case BEFORE INSERT OR UPDATE ON customer
                FOR EACH ROW EXECUTE FUNCTION lower_case()
                """,
            ]
        }
        try await Self.run(kind, more: trigger) { world, a, b in
            try a.execute("INSERT INTO customer VALUES (3, 'Cy@Example.COM', 'Cy')")
            try b.execute("UPDATE customer SET email = 'Anna@Example.com' WHERE id = 1")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try a.text("SELECT email FROM customer WHERE id = 3") == "cy@example.com")
            #expect(try a.text("SELECT email FROM customer WHERE id = 1") == "anna@example.com")
            // An edit of a row that the device pushed before is no conflict of the device with
            // itself.
            try a.execute("UPDATE customer SET email = 'Cy2@Example.com' WHERE id = 3")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try await world.conflicts() == [])
            // Where the trigger undoes an edit completely, the log has the value that the device
            // sent.
            try b.execute("UPDATE customer SET email = 'ANNA@example.com' WHERE id = 1")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try await world.conflicts().count == 1)
        }
    }

    @Test(arguments: CentreKind.available)
    func `a key that changes is a removal and a new row, with all that refers to it`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a, b in
            try world.centre.execute(
                (kind == .sqlite ? "PRAGMA foreign_keys = ON; " : "")
                    + "UPDATE customer SET id = id + 100")
            try a.execute("UPDATE orders SET note = 'edited meanwhile' WHERE id = 20")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try b.text("SELECT note FROM orders WHERE id = 20") == "edited meanwhile")
            // The same on a device.
            try b.execute("UPDATE customer SET id = id - 100")
            try await world.converge(b, a)
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT count(*) FROM customer WHERE id < 10") == 2)
            #expect(try world.centre.count("SELECT count(*) FROM orders WHERE customer < 10") == 3)
        }
    }

    @Test(arguments: CentreKind.available)
    func `a table that is emptied at once`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            try a.execute("INSERT INTO orders VALUES (40, 2, 'made meanwhile')")
            try world.centre.execute(kind == .sqlite ? "DELETE FROM orders" : "TRUNCATE orders")
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try b.values("orders", "id") == [[.integer(40)]])
            if kind == .postgres {
                try world.centre.execute("TRUNCATE customer CASCADE")
                try await world.converge(a, b)
                #expect(try await world.differences(a, b) == [])
                #expect(try b.values("customer", "id").isEmpty)
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `a statement that rolls back leaves no trace`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, a, b in
            try world.centre.execute(
                """
                BEGIN;
                UPDATE customer SET name = 'never';
                DELETE FROM orders;
                ROLLBACK;
                """)
            let summary = try await a.replica.sync()
            #expect(summary.rowsReceived == 0 && summary.rowsRemoved == 0)
            #expect(try await world.differences(a, b) == [])
        }
    }
}
