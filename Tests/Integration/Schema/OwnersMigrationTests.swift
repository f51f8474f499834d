import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

/// Migrations as owners run them: a new table in the place of the old one, columns of another type.
@Suite(.ownThreads) struct `Migrations of the owner's` {
    private static let schema = [
        "CREATE TABLE customer (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20), price DECIMAL(10,2))",
        "CREATE TABLE product (id INTEGER NOT NULL PRIMARY KEY, title VARCHAR(20))",
        "INSERT INTO customer VALUES (1, 'Ann', 1.25), (2, 'Bob', 2.5)",
        "INSERT INTO product VALUES (1, 'Chai')",
    ]

    private static func run(
        _ kind: CentreKind, more: [String] = [],
        _ test: @escaping @Sendable (World, Device) async throws -> Void
    ) async throws {
        try await World.run(kind, .http, schema: schema + more) { world in
            try await test(world, try await world.clone("A"))
        }
    }

    private static let other = """
        CREATE TABLE other (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20), price DECIMAL(10,2));
        INSERT INTO other SELECT * FROM customer;
        """

    /// The owner drops the table or renames it, and gives its name to another one.
    private static func replacements(_ kind: CentreKind) -> [String] {
        switch kind {
        case .sqlite, .postgres:
            [
                other + "DROP TABLE customer; ALTER TABLE other RENAME TO customer",
                other + "ALTER TABLE customer RENAME TO old; ALTER TABLE other RENAME TO customer",
            ]
        case .mariadb:
            [
                other + "DROP TABLE customer; RENAME TABLE other TO customer",
                other + "RENAME TABLE customer TO old, other TO customer",
            ]
        }
    }

    @Test(arguments: CentreKind.available, [0, 1])
    func `a table in another one's place is suspended, and attach finds what was missed`(
        kind: CentreKind, way: Int
    ) async throws {
        try await Self.run(kind) { world, a in
            try world.centre.execute(Self.replacements(kind)[way])
            try world.centre.execute(
                """
                INSERT INTO customer VALUES (3, 'Cy', 3);
                UPDATE customer SET name = 'Anna' WHERE id = 1;
                DELETE FROM customer WHERE id = 2;
                UPDATE product SET title = 'Chang';
                """)
            try await world.converge(a)
            // The other table still syncs.
            #expect(try a.text("SELECT title FROM product WHERE id = 1") == "Chang")
            let suspended = try await world.hub.schema().suspended
            #expect(suspended.map(\.name) == ["customer"])
            #expect(suspended.first?.reason.contains("moorage attach") == true)

            _ = try await world.hub.attach(tables: ["customer", "product"])
            #expect(try await world.hub.schema().suspended == [])
            try await world.converge(a)
            #expect(try await world.differences(a) == [])
            // The hub no longer tracks the old table.
            if way == 1 { try world.centre.execute("DELETE FROM old") }
            try world.centre.execute("UPDATE customer SET name = 'Annabel' WHERE id = 1")
            try await world.converge(a)
            #expect(try await world.differences(a) == [])
        }
    }

    /// On MariaDB each step of an attach is a transaction of its own.
    @Test(arguments: CentreKind.available.filter { $0 != .mariadb })
    func `a table stays suspended until an attach has ended that has it read again`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { world, a in
            try world.centre.execute(Self.replacements(kind)[0])
            try world.centre.execute(
                """
                INSERT INTO customer VALUES (3, 'Cy', 3);
                UPDATE customer SET name = 'Anna' WHERE id = 1;
                """)
            struct Broken: Error {}
            let database = try world.centre.connector()
            #expect(throws: Broken.self) {
                try database.perform { connection in
                    let text = Locked("")
                    var attachment = Attachment(on: connection, makeID: { "id" })
                    attachment.batchRows = 1
                    attachment.afterBatch = {
                        if text.withLock({ $0.contains("read again") }) { throw Broken() }
                    }
                    _ = try attachment.attach(tables: nil) { step in text.withLock { $0 = step } }
                }
            }
            try await world.converge(a)
            let suspended = try await world.hub.schema().suspended
            #expect(suspended.map(\.name) == ["customer"])
            #expect(suspended.first?.reason.contains("has not ended") == true)
            #expect(try a.text("SELECT name FROM customer WHERE id = 1") == "Ann")

            // Another attach ends it.
            try database.perform {
                _ = try Attachment(on: $0, makeID: { "id" }).attach(tables: nil)
            }
            #expect(try await world.hub.schema().suspended == [])
            try await world.converge(a)
            #expect(try await world.differences(a) == [])
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `a column that becomes narrower has its values read again`() async throws {
        let more = [
            "CREATE TYPE mood AS ENUM ('sad', 'glad')",
            "ALTER TABLE customer ADD COLUMN mood mood DEFAULT 'sad'",
            "ALTER TABLE customer ADD COLUMN twice DECIMAL(10,2) GENERATED ALWAYS AS (price * 2) STORED",
        ]
        try await Self.run(.postgres, more: more) { world, a in
            for change in [
                "ALTER TABLE product ALTER COLUMN title TYPE VARCHAR(40)",
                "ALTER TYPE mood ADD VALUE 'angry'",
            ] {
                try world.centre.execute(change)
                #expect(try await world.hub.schema().suspended == [], "\(change)")
            }
            for change in [
                "ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'",
                "ALTER TABLE customer DROP COLUMN twice; ALTER TABLE customer ALTER COLUMN price TYPE DECIMAL(10,1)",
            ] { try await Self.expect(change, suspends: ["customer"], world, a) }
            #expect(try a.text("SELECT mood FROM customer WHERE id = 1") == "blue")
        }
    }

    @Test(.enabled(if: CentreKind.available.contains(.mariadb)))
    func `the same on MariaDB`() async throws {
        let more = [
            """
            ALTER TABLE customer ADD COLUMN mood ENUM('sad', 'it''s (so)') DEFAULT 'sad',
              ADD COLUMN twice DECIMAL(10,2) AS (price * 2) STORED
            """
        ]
        try await Self.run(.mariadb, more: more) { world, a in
            for change in [
                "ALTER TABLE product MODIFY title VARCHAR(40)",
                "ALTER TABLE customer MODIFY mood ENUM('sad', 'it''s (so)', 'angry')",
                "ALTER TABLE customer MODIFY id BIGINT NOT NULL",
            ] {
                try world.centre.execute(change)
                #expect(try await world.hub.schema().suspended == [], "\(change)")
            }
            for change in [
                "ALTER TABLE customer MODIFY twice DECIMAL(10,2) AS (price * 3) STORED",
                "ALTER TABLE customer DROP COLUMN twice, MODIFY price DECIMAL(10,1)",
            ] { try await Self.expect(change, suspends: ["customer"], world, a) }
            // The definition still has every old label, in another order.
            try await Self.expect(
                "ALTER TABLE customer MODIFY mood ENUM('angry', 'it''s (so)', 'sad')", suspends: [],
                world, a)
        }
    }

    /// Changes a table, and expects that these tables are suspended. After an attach the device has
    /// the central rows.
    private static func expect(
        _ change: String, suspends tables: [String], _ world: World, _ a: Device
    ) async throws {
        try world.centre.execute(change)
        try await world.converge(a)
        let suspended = try await world.hub.schema().suspended
        #expect(suspended.map(\.name) == tables, "\(change): \(suspended.first?.reason ?? "")")
        _ = try await world.hub.attach()
        #expect(try await world.hub.schema().suspended == [], "\(change)")
        try await world.converge(a)
        #expect(try await world.differences(a) == [], "\(change)")
    }

    @Test func `a deletion that no trigger saw is a difference`() async throws {
        try await Self.run(.sqlite) { world, a in
            let centre = world.centre
            let trigger = try #require(
                try centre.text(
                    """
                    SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'moorage_delete%'
                      AND tbl_name = 'customer'
                    """))
            let name = try #require(
                try centre.text(
                    """
                    SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'moorage_delete%'
                      AND tbl_name = 'customer'
                    """))
            try centre.execute("DROP TRIGGER \(name); DELETE FROM customer WHERE id = 2")
            try centre.execute(trigger)
            try await world.converge(a)
            let found = try await a.replica.verify()
            #expect(found.map(\.kind) == [.missingThere])
            #expect(found.map(\.key.values) == [[.integer(2)]])
        }
    }
}
