import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

/// Keys of tables that have no primary key (docs/decisions/0104).
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `A table without a primary key on PostgreSQL` {
    private func attach(
        _ subject: PostgresSubject, keys: [String: [String]] = [:],
        scopes: ScopeSettings = ScopeSettings(), addingKeysTo keyless: [String] = []
    ) throws {
        try subject.postgres.perform { connection in
            _ = try Attachment(on: connection, scopes: scopes, keys: keys, makeID: { "id" })
                .attach(tables: nil, addingKeysTo: keyless)
        }
    }

    private func tracked(_ owner: PostgresSession) throws -> [[String?]] {
        try owner.rows("SELECT k0, live FROM moorage_track_1_item ORDER BY k0")
    }

    @Test(arguments: [
        "", "PARTITION BY RANGE (code); CREATE TABLE item_rest PARTITION OF item DEFAULT",
    ])
    func `stops no writer once its key accepts NULL`(partitions: String) throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE item (code int NOT NULL UNIQUE, note text) \(partitions);
                INSERT INTO item VALUES (1, 'a'), (2, 'b')
                """)
            try attach(subject, keys: ["item": ["code"]])
            try owner.execute(
                """
                ALTER TABLE item ALTER code DROP NOT NULL;
                INSERT INTO item VALUES (NULL, 'c'), (3, 'd');
                UPDATE item SET code = NULL WHERE note = 'a';
                UPDATE item SET code = 4 WHERE note = 'c';
                UPDATE item SET note = 'e' WHERE code IS NULL
                """)
            #expect(try tracked(owner) == [["1", "f"], ["2", "t"], ["3", "t"], ["4", "t"]])
            try owner.execute("DELETE FROM item")
            #expect(try tracked(owner).allSatisfy { $0.last == "f" })
        }
    }

    @Test func `lets rows swap their keys in one transaction, with scopes`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE item (
                  code int NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED, note text, area text);
                INSERT INTO item VALUES (1, 'a', 'x'), (2, 'b', 'x')
                """)
            let filter = try RowFilter("area = 'x'")
            try attach(
                subject, keys: ["item": ["code"]],
                scopes: ScopeSettings(rules: ["item": filter.applied(to: [])]))
            try owner.execute(
                """
                BEGIN;
                UPDATE item SET code = 2 WHERE note = 'a';
                UPDATE item SET code = 1 WHERE note = 'b';
                INSERT INTO item VALUES (1, 'c', 'x');
                UPDATE item SET code = 3 WHERE note = 'c';
                COMMIT
                """)
            #expect(try tracked(owner) == [["1", "t"], ["2", "t"], ["3", "t"]])
        }
    }

    @Test func `ends with an error where a trigger skips the update of its added key`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE loose (a int);
                INSERT INTO loose VALUES (1), (1), (2);
                CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER kept BEFORE UPDATE ON loose FOR EACH ROW EXECUTE FUNCTION kept()
                """)
            let error = #expect(throws: CentralError.self) {
                try attach(subject, addingKeysTo: ["loose"])
            }
            #expect(error?.kind == .failed)
            #expect(error?.message.contains("trigger") == true)
            try owner.execute("DROP TRIGGER kept ON loose")
            try attach(subject)
            #expect(try owner.cell("SELECT count(DISTINCT moorage_key) FROM loose") == "3")
        }
    }
}

/// Sessions in which a backslash in quotes escapes the next character.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `A session with escapes in its literals` {
    private static let escaping = """
        SET standard_conforming_strings TO off; SET escape_string_warning TO off
        """

    @Test func `has its rows compared with a filter's constants as they are`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute("CREATE TABLE item (id int PRIMARY KEY, path text)")
            let filter = try RowFilter(#"path IN ('C:\a', 'b\')"#)
            try subject.attach(scopes: ScopeSettings(rules: ["item": filter.applied(to: [])]))
            try owner.execute(Self.escaping)
            try owner.execute(#"INSERT INTO item VALUES (1, 'C:\\a'), (2, 'b\\'), (3, 'C:a')"#)
            let live = try owner.rows("SELECT k0 FROM moorage_track_1_item WHERE live ORDER BY k0")
            #expect(live == [["1"], ["2"]])
        }
    }

    @Test func `has its rows tracked by a key with a backslash in its name`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(#"CREATE TABLE item ("i\d" int PRIMARY KEY)"#)
            try subject.attach()
            try owner.execute(Self.escaping)
            try owner.execute("INSERT INTO item VALUES (1)")
            #expect(try owner.cell("SELECT k0 FROM moorage_track_1_item WHERE live") == "1")
        }
    }
}
