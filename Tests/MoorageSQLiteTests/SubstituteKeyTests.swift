import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MoorageSQLite

/// Keys of tables that have no primary key (docs/decisions/0104).
@Suite(.ownThreads) struct `A table without a primary key on SQLite` {
    @Test func `is numbered by the names that its key has now`() throws {
        let database = try SQLiteDatabase()
        try database.execute(
            """
            CREATE TABLE item (
              area INTEGER NOT NULL, "a ""code" TEXT NOT NULL, note TEXT UNIQUE,
              UNIQUE (area, "a ""code"));
            INSERT INTO item VALUES (1, 'x', 'n'), (2, 'x', 'm');
            """)
        try database.perform { connection in
            _ = try Attachment(
                on: connection, keys: ["item": ["area", "a \"code"]], makeID: { "id" }
            ).attach(tables: nil)
            try connection.numberChanges()
        }
        // The first row goes without a delete trigger.
        try database.execute(
            """
            ALTER TABLE item RENAME COLUMN "a ""code" TO "OLD";
            INSERT OR REPLACE INTO item VALUES (3, 'y', 'n');
            """)
        let tracked = try database.perform { connection in
            try connection.numberChanges()
            return try connection.run(
                """
                SELECT k0, k1, live, version IS NOT NULL FROM moorage_track_1_item ORDER BY k0
                """, [])
        }
        #expect(
            tracked == [
                [.integer(1), .text("x"), .integer(0), .integer(1)],
                [.integer(2), .text("x"), .integer(1), .integer(1)],
                [.integer(3), .text("y"), .integer(1), .integer(1)],
            ])
    }

    private static let loose = """
        CREATE TABLE loose (a INTEGER);
        CREATE TABLE other (id INTEGER PRIMARY KEY);
        INSERT INTO loose VALUES (1), (1), (2);
        """

    private func addKey(_ connection: any CentralConnection) throws {
        _ = try Attachment(on: connection, makeID: { "id" }).attach(
            tables: nil, addingKeysTo: ["loose"])
    }

    @Test func `ends with an error where a trigger skips the update of its key`() throws {
        let database = try SQLiteDatabase()
        try database.execute(Self.loose)
        try database.execute(
            "CREATE TRIGGER kept BEFORE UPDATE ON loose BEGIN SELECT RAISE(IGNORE); END")
        let error = #expect(throws: CentralError.self) { try database.perform(addKey) }
        #expect(error?.kind == .failed)
        #expect(error?.message.contains("trigger") == true)
        try database.execute("DROP TRIGGER kept")
        try database.perform(addKey)
        let keys = try database.perform {
            try $0.run("SELECT count(DISTINCT moorage_key) FROM loose", [])
        }
        #expect(keys == [[.integer(3)]])
    }

    /// Refuses to add a column.
    private final class RefusingConnection: ForwardingConnection {
        override func runStep(_ sql: String) throws {
            if sql.contains("ADD COLUMN") { throw CentralError(.failed, "It refuses the column.") }
            try super.runStep(sql)
        }
    }

    @Test func `is attached without a key again after its column was refused`() throws {
        let database = try SQLiteDatabase()
        try database.execute(Self.loose)
        let error = #expect(throws: CentralError.self) {
            try database.perform { try addKey(RefusingConnection($0)) }
        }
        #expect(error?.message == "It refuses the column.")
        try database.perform { connection in
            let left = try connection.run(
                "SELECT name FROM moorage_meta WHERE value = 'loose'", [])
            #expect(left == [])
            let report = try Attachment(on: connection, makeID: { "id" }).attach(tables: nil)
            #expect(report.attached.map(\.name) == ["other"])
            #expect(report.unsupported.map(\.name) == ["loose"])
        }
        try database.perform(addKey)
    }
}

/// Rows that other rows bring into scopes.
@Suite(.ownThreads) struct `A row in scopes on SQLite` {
    /// The owner's transaction may insert members before their row.
    @Test func `with two equal members comes into their scope once`() throws {
        let database = try SQLiteDatabase()
        try database.execute(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, note TEXT);
            CREATE TABLE member (
              id INTEGER PRIMARY KEY, person TEXT,
              item INTEGER REFERENCES item(id) DEFERRABLE INITIALLY DEFERRED);
            """)
        let scopes = ScopeSettings(rules: [
            "item": [ScopeRule(.members(of: "member", kind: "person", "person"))]
        ])
        try database.perform { connection in
            _ = try Attachment(on: connection, scopes: scopes, makeID: { "id" }).attach(
                tables: ["item"])
        }
        try database.execute(
            """
            BEGIN;
            INSERT INTO member VALUES (1, 'ann', 7), (2, 'ann', 7);
            INSERT INTO item VALUES (7, 'n');
            COMMIT;
            """)
        let tracked = try database.perform {
            try $0.run("SELECT k0, scope FROM moorage_track_1_item WHERE live", [])
        }
        #expect(tracked == [[.integer(7), .text("person/ann")]])
    }
}
